import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aMachineHealthCheck } from '../../world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { NodeHistory } from './node-history.ts';
import { Remediations } from './remediations.ts';
import { TooManyHoldsJudge } from './too-many-holds.ts';

const unhealthyConditions = [{ type: 'Ready', status: 'Unknown', timeout: '1m' } as const];
const SET = aMachineSet({ name: 'workers', replicas: 4 });

let api: ApiServer;
let now: number;
let accused: string[];
let judge: TooManyHoldsJudge;
beforeEach(() => {
  api = new ApiServer({ now: () => now, garbage: 'when told' });
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  const nodes = new NodeHistory(api, () => now);
  const remediations = new Remediations({ api, now: () => now, onRemediation: () => {} });
  judge = new TooManyHoldsJudge({
    api,
    now: () => now,
    nodes,
    remediations,
    accuse: (message) => void accused.push(message),
  });
  api.put({ ...SET });
  for (const name of ['a', 'b', 'c', 'd']) {
    const node = aNode({ name: `node-of-${name}` });
    const nodeRef = { kind: 'Node', name: node.metadata.name, uid: node.metadata.uid };
    api.put({ ...node }, { ...aMachine({ name, set: SET, status: { nodeRef } }) });
  }
});

const allow = (maxUnhealthy: number | string) => {
  const { metadata, ...check } = aMachineHealthCheck('check', { unhealthyConditions, maxUnhealthy });
  api.put({ ...check, metadata: { ...metadata, generation: now } });
};
const silence = (...names: string[]) => {
  for (const name of names) api.put({ ...aNode({ name: `node-of-${name}`, ready: 'Unknown' }) });
  now += 90_000;
};
const remediate = (name: string): readonly string[] => {
  const machine = api.peek(MACHINES, NAMESPACE, name) as unknown as MachineObject;
  judge.see({ machine, check: aMachineHealthCheck('check').metadata.uid, at: now });
  return accused;
};

describe('the judge of maxUnhealthy', () => {
  it('accuses a check that remediates while more are unhealthy than may be', () => {
    allow(1);
    silence('a', 'b');
    expect(remediate('a')).toEqual(['Machine a is remediated while 2 of 4 are unhealthy, and 1 may be']);
  });

  it('leaves alone what is within it, and counts a percent of one more than there are', () => {
    allow('40%');
    silence('a', 'b');
    expect(remediate('a')).toEqual([]);
    silence('c');
    expect(remediate('a')).toHaveLength(1);
  });

  it('leaves alone what was allowed a moment ago', () => {
    allow(2);
    silence('a', 'b');
    allow(1);
    now += 30_000;
    expect(remediate('a')).toEqual([]);
    now += 60_000;
    expect(remediate('a')).toHaveLength(1);
  });

  it('leaves alone what had begun before', async () => {
    allow(1);
    silence('a');
    const annotations = { [REMEDIATED_BY_ANNOTATION]: 'check uid-of-check' };
    await api.others.mergePatch(MACHINES, NAMESPACE, 'a', { metadata: { annotations } });
    silence('b');
    now += 60_000;
    expect(remediate('a')).toEqual([]);
    expect(remediate('b')).toHaveLength(1);
  });
});
