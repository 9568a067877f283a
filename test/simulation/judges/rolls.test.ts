import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { ROLLED_FOR_ANNOTATION } from '../../../k8s/model/deployment.ts';
import { DEPLOYMENTS, DISRUPTION_BUDGETS, PODS } from '../../../k8s/resources.ts';
import { aBudget } from '../../world/builders/a-budget.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { deployedPod } from '../../world/run-deployments.ts';
import { RollJudge } from './rolls.ts';
import { given } from '../../../providers/given.ts';

let api: ApiServer;
let judge: RollJudge;
let accused: string[];
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  accused = [];
  judge = new RollJudge({ api, accuse: (by) => void accused.push(by) });
  for (const name of ['a', 'b']) api.put(aMachine({ name }));
  api.put(...deployedPod({ name: 'web', asked: 'surge' }), aBudget('web', { minAvailable: 1 }));
});

const want = (name: string, spec: MachineObject['spec'] | object) =>
  api.others.mergePatch(MACHINES, NAMESPACE, name, { spec });
const say = (name: string, type: string, status: 'True' | 'False') => {
  const condition = { type, status, reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const body = { status: { conditions: [condition] } };
  return api.others.mergePatch(MACHINES, NAMESPACE, name, body, { subresource: 'status' });
};
const annotate = (value: string | null, where: { readonly template: boolean; readonly record: boolean }) => {
  const annotations = { [ROLLED_FOR_ANNOTATION]: value };
  const change = given({
    metadata: where.record ? { annotations } : undefined,
    spec: where.template ? { template: { metadata: { annotations } } } : undefined,
  });
  return api.others.mergePatch(DEPLOYMENTS, NAMESPACE, 'web', change);
};
const roll = (name: string, start: string) => {
  const { uid } = api.require(MACHINES, NAMESPACE, name).metadata;
  return annotate([NAMESPACE, name, uid, start].join('/'), { template: true, record: true });
};

describe('a roll', () => {
  it('comes once while the drain lasts that it was for', async () => {
    await want('a', { maintenance: true });
    await roll('a', '1');
    await want('b', { delete: true });
    await roll('b', '2');
    expect(accused).toEqual(['one roll a drain']);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['is over', () => say('a', 'Maintenance', 'True')],
    ['is taken back', () => want('a', { maintenance: false })],
    ['is for something else', () => want('a', { delete: true })],
    ['is of a Machine that is gone', () => api.others.delete(MACHINES, NAMESPACE, 'a')],
  ])('may come again when that drain %s', async (_what, end) => {
    await want('a', { maintenance: true });
    await roll('a', '1');
    await end();
    await want('b', { delete: true });
    await roll('b', '2');
    expect(accused).toEqual([]);
  });

  it('is not repeated where somebody put the template back', async () => {
    await want('a', { maintenance: true });
    await roll('a', '1');
    await annotate(null, { template: true, record: false });
    expect(accused).toEqual([]);
    await roll('a', '1');
    expect(accused).toEqual(['one roll a drain']);
  });

  it('may be where somebody took the record away too: nobody else can know', async () => {
    await want('a', { maintenance: true });
    await roll('a', '1');
    await annotate(null, { template: true, record: true });
    await want('b', { delete: true });
    await roll('b', '2');
    expect(accused).toEqual([]);
  });
});

describe('a write of a Deployment', () => {
  const write = (resourceVersion?: string) =>
    judge.seeRequest({
      verb: 'apply',
      resource: DEPLOYMENTS,
      namespace: NAMESPACE,
      name: 'web',
      body: { metadata: given({ resourceVersion }) },
    });

  it('has the leave of its owner', () => {
    write();
    expect(accused).toEqual([]);
  });

  it('is accused without it, unless it is of an older version, which the API server refuses', async () => {
    const annotations = { 'millwright.dev/drain': null };
    await api.others.mergePatch(DEPLOYMENTS, NAMESPACE, 'web', { metadata: { annotations } });
    write('1');
    expect(accused).toEqual([]);
    write();
    expect(accused).toEqual(['rolls by leave']);
  });
});

describe('a pod that is asked to end', () => {
  const end = () => api.others.delete(PODS, NAMESPACE, 'web-1');

  it('is one too few where a roll takes it before another one is Ready', async () => {
    await roll('a', '1');
    await end();
    expect(accused).toEqual(['no pod short']);
  });

  it('is none where its budget does not count it', async () => {
    await roll('a', '1');
    await api.others.mergePatch(DISRUPTION_BUDGETS, NAMESPACE, 'web', { spec: { minAvailable: 0 } });
    await end();
    expect(accused).toEqual([]);
  });

  it('is none where its budget asks for more than there are to be', async () => {
    await roll('a', '1');
    await api.others.mergePatch(DISRUPTION_BUDGETS, NAMESPACE, 'web', { spec: { minAvailable: 2 } });
    const { apiVersion, kind, metadata, ...pod } = api.require(PODS, NAMESPACE, 'web-1');
    api.put({ apiVersion, kind, ...pod, metadata: { ...metadata, name: 'web-2', uid: 'uid-of-web-2' } });
    await end();
    expect(accused).toEqual([]);
  });

  it('is not by a roll where there was none, or where it was evicted', async () => {
    await end();
    expect(accused).toEqual([]);
    await roll('a', '1');
    judge.seeRequest({ verb: 'create', resource: PODS, namespace: NAMESPACE, name: 'web-2', subresource: 'eviction' });
    const { apiVersion, kind, metadata, ...pod } = api.require(PODS, NAMESPACE, 'web-1');
    const { deletionTimestamp: _none, ...own } = metadata;
    api.put({ apiVersion, kind, ...pod, metadata: { ...own, name: 'web-2', uid: 'uid-of-web-2' } });
    await api.others.delete(PODS, NAMESPACE, 'web-2');
    expect(accused).toEqual([]);
  });
});
