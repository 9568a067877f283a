import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { REBOOT_ANNOTATION, writeRebootWish } from '../../../k8s/model/reboot.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { AbortJudge } from './aborts.ts';
import { Wishes } from './wishes.ts';

let api: ApiServer;
let judge: AbortJudge;
let accused: string[];
let hooksLookedAt: string[];
let now: number;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  accused = [];
  hooksLookedAt = [];
  now = 0;
  judge = new AbortJudge({
    api,
    wishes: new Wishes(api, () => now),
    now: () => now,
    judgeHook: (_machine, what) => void hooksLookedAt.push(what),
    accuse: (by) => void accused.push(by),
  });
  api.put({ ...aMachine({ name: 'm' }) });
});

const want = (spec: object) => api.others.mergePatch(MACHINES, NAMESPACE, 'm', { spec });
const say = (status: object) => {
  const observedGeneration = machine().metadata.generation;
  const body = { status: { observedGeneration, ...status } };
  return api.others.mergePatch(MACHINES, NAMESPACE, 'm', body, { subresource: 'status' });
};
const machine = () => api.require(MACHINES, NAMESPACE, 'm') as unknown as MachineObject;
const evict = () => judge.seeEviction(machine(), 'a pod is evicted');

describe('an eviction', () => {
  it('is nobody’s wish where none was ever asked for', () => {
    evict();
    expect(accused).toEqual(['nobody drained for nothing']);
  });

  it('is one for a reboot that a health check wants, until a moment after that is called off', async () => {
    const ask = (value: string | null) =>
      api.others.mergePatch(MACHINES, NAMESPACE, 'm', { metadata: { annotations: { [REBOOT_ANNOTATION]: value } } });
    await ask(writeRebootWish({ id: 'w', causes: [] }));
    now += 600_000;
    evict();
    await ask(null);
    now += 30_000;
    evict();
    expect(accused).toEqual([]);
    now += 30_000;
    evict();
    expect(accused).toEqual(['nobody drained for nothing']);
  });

  it('may be on its way until what was taken back is acknowledged', async () => {
    await want({ delete: true });
    evict();
    await say({ delete: true, prepareDeletionPhase: 'started' });
    await want({ delete: false });
    await say({ delete: true, prepareDeletionPhase: 'aborting' });
    evict();
    expect(accused).toEqual([]);
    await say({ delete: false, prepareDeletionPhase: null });
    evict();
    expect(accused).toEqual(['an abort holds']);
  });

  it('is as wanted where a maintenance goes on, or somebody asks again', async () => {
    await want({ delete: true, maintenance: true });
    await want({ delete: null });
    await say({ delete: false });
    evict();
    await want({ maintenance: false });
    await say({ maintenance: false });
    await want({ delete: true });
    evict();
    expect(accused).toEqual([]);
  });
});

describe('the deletion of a Machine', () => {
  const remove = (preconditions: object, by = 'machine') => {
    const request = { verb: 'delete' as const, resource: MACHINES, namespace: NAMESPACE, name: 'm' };
    judge.seeRequest({ ...request, body: preconditions }, by);
  };

  it('is for its workflow to ask for while spec.delete is true, and no hook holds it', async () => {
    await want({ delete: true });
    const { resourceVersion } = machine().metadata;
    remove({ resourceVersion });
    expect(accused).toEqual([]);
    expect(hooksLookedAt).toEqual(['Machine m is deleted by its own workflow']);
    await want({ delete: false });
    // Refused: it is another version by now.
    remove({ resourceVersion });
    expect(accused).toEqual([]);
    remove({});
    expect(accused).toEqual(['what is taken back stays']);
  });

  it('is for its set to ask for at any time', () => {
    remove({}, 'machineSet');
    expect(accused).toEqual([]);
  });

  it('comes before the end of its instance', async () => {
    await want({ delete: true });
    judge.seeEnd(machine(), 'i-1');
    expect(accused).toEqual(['what is taken back stays']);
    await api.others.delete(MACHINES, NAMESPACE, 'm');
    judge.seeEnd(machine(), 'i-1');
    expect(accused).toHaveLength(1);
  });
});
