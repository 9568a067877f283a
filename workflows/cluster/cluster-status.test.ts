import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MACHINE_SETTINGS } from '../machine/settings.ts';
import type { FoundCluster } from './cluster-activities.ts';
import { clusterStatusOf } from './cluster-status.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const AT = '2026-01-01T12:00:00.000Z';

function seen(changes: Partial<FoundCluster> = {}): FoundCluster {
  const counts = { machines: 3, readyMachines: 2 };
  return {
    found: true,
    generation: 1,
    paused: false,
    status: {},
    ...counts,
    settings: DEFAULT_MACHINE_SETTINGS,
    ...changes,
  };
}

function told(changes: Partial<FoundCluster> = {}) {
  const status = clusterStatusOf(seen(changes), NOW);
  if (status === undefined) throw new Error('there is nothing to say');
  return status;
}

describe('the status of a Cluster', () => {
  it('says how many machines there are, and is not written where it says so already', () => {
    const status = told();
    expect(status).toEqual({ machines: 3, readyMachines: 2, observedGeneration: 1, conditions: [] });
    expect(clusterStatusOf(seen({ status }), NOW)).toBeUndefined();
  });

  it.each([{ machines: 4 }, { readyMachines: 1 }, { generation: 2 }, { paused: true }])(
    'is written where it is %j',
    (change) => {
      expect(clusterStatusOf(seen({ status: told(), ...change }), NOW)).toBeDefined();
    },
  );

  it('says that it is paused, since when, and no longer when it is not', () => {
    const status = told({ paused: true });
    expect(status.conditions).toEqual([
      { type: 'Paused', status: 'True', reason: 'Paused', message: expect.any(String), lastTransitionTime: AT },
    ]);
    expect(clusterStatusOf(seen({ paused: true, status }), NOW + 60_000)).toBeUndefined();
    const malformed = clusterStatusOf(seen({ paused: true, malformed: 'spec.paused is 7', status }), NOW + 60_000);
    expect(malformed?.conditions).toMatchObject([{ reason: 'MalformedObject', lastTransitionTime: AT }]);
    expect(malformed?.conditions[0]?.message).toContain('spec.paused is 7');
    expect(told({ status }).conditions).toEqual([]);
  });
});
