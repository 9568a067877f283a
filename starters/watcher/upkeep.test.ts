import { afterEach, describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { systemClock } from '../../providers/clock.ts';
import { Upkeep, type UpkeepOptions } from './upkeep.ts';

const refOf = (name: string): ObjectRef => {
  const { apiVersion, kind } = MACHINES;
  return { apiVersion, kind, namespace: 'ns', name, uid: name };
};

let upkeep: Upkeep | undefined;
afterEach(() => upkeep?.stop());

function start(options: Partial<UpkeepOptions>): void {
  upkeep = new Upkeep({
    inventoryCheckMs: 60_000,
    slowSweepMs: 60_000,
    perSecond: 1000,
    isActive: () => true,
    ensureClusterWorkflows: () => {},
    refs: () => [],
    ensure: async () => false,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    ...options,
  });
  upkeep.start();
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 5) {
    if (waited > 5000) throw new Error(`still not so: ${holds.toString()}`);
    await delay(5);
  }
}

describe('the upkeep', () => {
  test('looks again and again whether the cluster’s own workflows run, while this watcher is the active one', async () => {
    let isActive = false;
    let checks = 0;
    start({ inventoryCheckMs: 5, isActive: () => isActive, ensureClusterWorkflows: () => void (checks += 1) });
    await delay(50);
    expect(checks).toBe(0);
    isActive = true;
    await until(() => checks >= 3);
  });

  test('looks at the workflow of every object, in rounds, also of those that come later', async () => {
    const refs = [refOf('a'), refOf('b')];
    const looked: string[] = [];
    start({ slowSweepMs: 20, refs: () => refs, ensure: async ({ name }) => (looked.push(name), false) });
    await until(() => looked.length >= 4);
    refs.push(refOf('c'));
    await until(() => looked.includes('c'));
    expect(looked.slice(0, 4)).toEqual(['a', 'b', 'a', 'b']);
  });

  test('spreads a round over its time, and keeps to so many a second', async () => {
    const looked: number[] = [];
    const refs = () => Array.from({ length: 20 }, (_, n) => refOf(`m${n}`));
    const begun = performance.now();
    start({ slowSweepMs: 1, perSecond: 50, refs, ensure: async () => (looked.push(performance.now() - begun), false) });
    await until(() => looked.length === 10);
    expect(looked[9]).toBeGreaterThan(190);
    upkeep?.stop();
    const spread: number[] = [];
    const again = performance.now();
    start({ slowSweepMs: 2000, refs, ensure: async () => (spread.push(performance.now() - again), false) });
    await until(() => spread.length === 3);
    expect(spread[2]).toBeGreaterThan(290);
  });

  test('goes on with the next one where a look fails', async () => {
    const looked: string[] = [];
    start({
      slowSweepMs: 20,
      refs: () => [refOf('a'), refOf('b')],
      ensure: async ({ name }) => {
        looked.push(name);
        throw new Error('no answer');
      },
    });
    await until(() => looked.length >= 4);
  });

  test('looks at nothing while another watcher is the active one, and at nothing when it is over', async () => {
    let looks = 0;
    let isActive = false;
    const ensure = async (): Promise<boolean> => ((looks += 1), false);
    start({ slowSweepMs: 5, refs: () => [refOf('a')], isActive: () => isActive, ensure });
    await delay(40);
    expect(looks).toBe(0);
    isActive = true;
    await until(() => looks > 0);
    upkeep?.stop();
    const atEnd = looks;
    await delay(40);
    expect(looks).toBeLessThanOrEqual(atEnd + 1);
  });
});
