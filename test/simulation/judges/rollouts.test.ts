import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { CAUSE_ANNOTATION } from '../../../k8s/model/cause.ts';
import { aMachineDeployment } from '../../world/builders/a-machine-deployment.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { MADE_AT, NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { RolloutJudge } from './rollouts.ts';

let api: ApiServer;
let now: number;
let accused: string[];
let isExcused: boolean;
let byHand: string | undefined;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  isExcused = false;
  byHand = undefined;
  void new RolloutJudge({
    api,
    now: () => now,
    isByHand: (uid) => uid === byHand,
    isExcused: () => isExcused,
    accuse: (judge, message) => void accused.push(`${judge}: ${message}`),
  });
  put({});
  for (const name of ['a', 'b', 'c']) make(name);
});

/** The deployment wants this, and has answered to it. */
function put(spec: Partial<MachineDeploymentObject['spec']>, generation = 1): void {
  const { metadata, ...deployment } = aMachineDeployment({ spec });
  const stored: MachineDeploymentObject = {
    ...deployment,
    metadata: { ...metadata, generation },
    status: { observedGeneration: generation },
  };
  api.put({ ...stored });
}

function make(name: string, ready: 'True' | 'False' = 'True'): void {
  const conditions = [{ type: 'NodeReady', status: ready, lastTransitionTime: MADE_AT }];
  const machine = aMachine({ name, status: { conditions }, metadata: { labels: { pool: 'workers' } } });
  api.put({ ...machine });
}

/** As the set of a deployment does it. */
async function take(name: string): Promise<void> {
  const annotations = { [CAUSE_ANNOTATION]: '2026-01-01T12:00:00Z MachineDeployment ns/workers replaces the machines' };
  await api.others.mergePatch(MACHINES, NAMESPACE, name, { metadata: { annotations } });
  await api.others.delete(MACHINES, NAMESPACE, name);
}
const mark = (name: string) =>
  api.others.mergePatch(MACHINES, NAMESPACE, name, {
    metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: 'true' } },
  });
const minutes = (count: number) => (now += count * 60_000);

describe('the judge of rollouts', () => {
  it('accuses a machine that is made beyond replicas and maxSurge, those that are being deleted included', async () => {
    await take('a').catch(() => undefined);
    accused = [];
    make('d');
    expect(accused).toEqual([]);
    make('e');
    expect(accused).toEqual(['no surge beyond: Machine e is made: 5 of workers, and at most 4 may be']);
  });

  it('excuses what nobody can know, and what was asked for a moment ago', () => {
    minutes(5);
    put({ replicas: 2 }, 2);
    make('d');
    expect(accused).toEqual([]);
    isExcused = true;
    make('e');
    expect(accused).toEqual([]);
  });

  it('accuses an available machine that is taken where too few are left', async () => {
    minutes(5);
    await take('a');
    expect(accused[0]).toContain('enough stay available: Machine a of workers is taken');
  });

  it('lets a marked machine go however few are left, and counts it', async () => {
    minutes(5);
    await mark('a');
    await take('a');
    expect(accused).toEqual([]);
    await take('b');
    expect(accused[0]).toContain('enough stay available: Machine b of workers is taken');
  });

  it('accuses none that is not available, nor one for which another was available a moment ago', async () => {
    make('d');
    make('c', 'False');
    await take('c');
    await take('a');
    expect(accused).toEqual([]);
    await take('b');
    expect(accused).toHaveLength(1);
  });

  it('accuses one that is taken of a paused rollout', async () => {
    put({ paused: true }, 2);
    minutes(5);
    make('c', 'False');
    await take('c');
    expect(accused).toEqual(['a paused rollout stands: Machine c of workers is taken: 2 are left of 3']);
  });

  it('accuses nobody where a person deletes one', async () => {
    minutes(5);
    await api.others.delete(MACHINES, NAMESPACE, 'a');
    expect(accused).toEqual([]);
    byHand = api.peek(MACHINES, NAMESPACE, 'b')?.metadata.uid;
    await take('b');
    expect(accused).toEqual([]);
  });
});
