import { beforeEach, describe, expect, it } from '@jest/globals';
import { REMEDIATE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES, MACHINE_HEALTH_CHECKS } from '../../../k8s/dialects/openshift/resources.ts';
import { PROCEED_ANNOTATION } from '../../../k8s/model/machine-health-check.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aMachineHealthCheck } from '../../world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { NodeHistory } from './node-history.ts';
import { Remediations } from './remediations.ts';
import { StormHoldsJudge } from './storm-holds.ts';

const unhealthyConditions = [{ type: 'Ready', status: 'Unknown', timeout: '1m' } as const];
const CHECK = aMachineHealthCheck('check', { unhealthyConditions });
const SET = aMachineSet({ name: 'workers', replicas: 5 });
const NAMES = ['a', 'b', 'c', 'd', 'e'];

let api: ApiServer;
let now: number;
let accused: string[];
let stopped: Set<string>;
let judge: StormHoldsJudge;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  stopped = new Set();
  const nodes = new NodeHistory(api, () => now);
  const remediations = new Remediations({ api, now: () => now, onRemediation: () => {} });
  const runs = (uid: string) => !stopped.has(uid);
  judge = new StormHoldsJudge({ api, nodes, remediations, runs, accuse: (message) => void accused.push(message) });
  api.put({ ...SET }, { ...CHECK });
  for (const name of NAMES) {
    const node = aNode({ name: `node-of-${name}` });
    const nodeRef = { kind: 'Node', name: node.metadata.name, uid: node.metadata.uid };
    const status = { nodeRef, providerStatus: { instanceState: 'running' } } as never;
    api.put({ ...node }, { ...aMachine({ name, set: SET, status }) });
  }
});

const silence = (...names: string[]) => {
  for (const name of names) api.put({ ...aNode({ name: `node-of-${name}`, ready: 'Unknown' }) });
  now += 90_000;
};
const remediate = (name: string) => {
  const machine = api.peek(MACHINES, NAMESPACE, name) as unknown as MachineObject;
  judge.see({ machine, check: CHECK.metadata.uid, at: now });
};

describe('the judge of storms', () => {
  it('accuses a check that remediates in a storm', () => {
    silence('a', 'b', 'c', 'd');
    remediate('a');
    expect(accused).toEqual(['Machine a is remediated in a storm: 4 of 5 are bad by Ready']);
  });

  it('leaves alone what is no storm, what is proved, and what somebody wants', async () => {
    silence('a', 'b', 'c');
    remediate('a');
    silence('d');
    stopped.add(api.peek(MACHINES, NAMESPACE, 'a')?.metadata.uid ?? '');
    remediate('a');
    const annotations = { [REMEDIATE_ANNOTATION]: 'disk' };
    await api.others.mergePatch(MACHINES, NAMESPACE, 'b', { metadata: { annotations } });
    remediate('b');
    expect(accused).toEqual([]);
  });

  it('leaves alone what a person has seen', async () => {
    silence('a', 'b', 'c', 'd');
    const annotations = { [PROCEED_ANNOTATION]: new Date(now).toISOString() };
    await api.others.mergePatch(MACHINE_HEALTH_CHECKS, NAMESPACE, 'check', { metadata: { annotations } });
    remediate('a');
    expect(accused).toEqual([]);
  });
});
