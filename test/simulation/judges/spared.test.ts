import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { CAUSE_ANNOTATION, writeCause, writeRolloutCause } from '../../../k8s/model/cause.ts';
import { aMachine, type MachineFacts } from '../../world/builders/a-machine.ts';
import { aPod } from '../../world/builders/a-pod.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { SparedJudge } from './spared.ts';
import { Wishes } from './wishes.ts';

const BEGIN = Date.parse('2026-01-01T12:00:00Z');
const ROLLOUT = writeRolloutCause('its deployment replaces it', BEGIN);

let now: number;
let api: ApiServer;
let judge: SparedJudge;
let accused: string[];
beforeEach(() => {
  now = BEGIN;
  accused = [];
  api = new ApiServer({ now: () => now, garbage: 'when told' });
  const wishes = new Wishes(api, () => now);
  judge = new SparedJudge({ now: () => now, wishes, accuse: (by) => void accused.push(by) });
});

/** It is deleted for this cause, a long while after it was made. */
function deletedFor(cause: string, spec: MachineFacts['spec'] = {}): void {
  const metadata = { finalizers: ['theirs'], annotations: { [CAUSE_ANNOTATION]: cause } };
  now = BEGIN - 3_600_000;
  api.put(aMachine({ name: 'm', metadata, spec }));
  now = BEGIN;
  void api.others.delete(MACHINES, NAMESPACE, 'm', {});
}

function evictAfter(ms: number, { annotation = 'true', isHurried = false, isForced = false } = {}): readonly string[] {
  now = BEGIN + ms;
  const machine = api.require(MACHINES, NAMESPACE, 'm') as unknown as MachineObject;
  const pod = aPod({ name: 'p', metadata: { annotations: { 'karpenter.sh/do-not-disrupt': annotation } } });
  judge.seeEviction(machine, pod, { what: 'eviction', isHurried, isForced });
  return accused;
}

describe('a pod that asks not to be disrupted', () => {
  it('is not evicted for a rollout', () => {
    deletedFor(ROLLOUT);
    expect(evictAfter(3_600_000)).toEqual(['a rollout waits']);
  });

  it('is not evicted before the time for the drain is over, but may be then', () => {
    deletedFor(ROLLOUT, { drain: { timeout: '5m' } });
    expect(evictAfter(300_000)).toEqual([]);
    expect(evictAfter(290_000)).toEqual(['a rollout waits']);
  });

  it('may be evicted for another deletion, also where an earlier one was to be a rollout', () => {
    deletedFor(writeCause('5 are asked for', BEGIN));
    expect(evictAfter(1000)).toEqual([]);
    deletedFor(writeRolloutCause('its deployment replaces it', BEGIN - 3_000_000));
    expect(evictAfter(1000)).toEqual([]);
  });

  it('may be where it does not ask for that, or somebody hurries the drain, or Force needs the time', () => {
    deletedFor(ROLLOUT, { drain: { timeout: '5m', onTimeout: 'Force' } });
    evictAfter(1000, { annotation: 'false' });
    evictAfter(1000, { isHurried: true });
    expect(evictAfter(150_000, { isForced: true })).toEqual([]);
    expect(evictAfter(100_000, { isForced: true })).toEqual(['a rollout waits']);
  });

  it('is not evicted for a maintenance', () => {
    api.put(aMachine({ name: 'm', spec: { maintenance: true } }));
    expect(evictAfter(60_000)).toEqual(['a maintenance waits']);
  });
});
