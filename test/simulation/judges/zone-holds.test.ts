import { beforeEach, describe, expect, it } from '@jest/globals';
import { REMEDIATE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES, MACHINE_HEALTH_CHECKS } from '../../../k8s/dialects/openshift/resources.ts';
import { PROCEED_ANNOTATION } from '../../../k8s/model/machine-health-check.ts';
import { NODES } from '../../../k8s/resources.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aMachineHealthCheck } from '../../world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { NodeHistory } from './node-history.ts';
import { Remediations } from './remediations.ts';
import { ZoneHoldsJudge } from './zone-holds.ts';

const unhealthyConditions = [{ type: 'Ready', status: 'Unknown', timeout: '1m' } as const];
const CHECK = aMachineHealthCheck('check', { unhealthyConditions });
const SET = aMachineSet({ name: 'workers', replicas: 4 });
const ZONES = { a: 'one', b: 'one', c: 'one', d: 'two' } as const;
type Name = keyof typeof ZONES;
const NAMES = Object.keys(ZONES) as Name[];

let api: ApiServer;
let now: number;
let accused: string[];
let stopped: Set<string>;
let judge: ZoneHoldsJudge;

const nodeOf = (name: Name, ready: 'True' | 'Unknown') => {
  const labels = { 'topology.kubernetes.io/zone': ZONES[name] };
  return aNode({ name: `node-of-${name}`, ready, metadata: { labels } });
};

beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  stopped = new Set();
  const nodes = new NodeHistory(api, () => now);
  const remediations = new Remediations({ api, now: () => now, onRemediation: () => {} });
  const runs = (uid: string) => !stopped.has(uid);
  judge = new ZoneHoldsJudge({ api, nodes, remediations, runs, accuse: (message) => void accused.push(message) });
  api.put({ ...SET }, { ...CHECK });
  for (const name of NAMES) {
    const node = nodeOf(name, 'True');
    const nodeRef = { kind: 'Node', name: node.metadata.name, uid: node.metadata.uid };
    const status = { nodeRef, providerStatus: { instanceState: 'running' } } as never;
    api.put({ ...node }, { ...aMachine({ name, set: SET, status }) });
  }
  now += 600_000;
});

const silence = (...names: Name[]) => {
  for (const name of names) api.put({ ...nodeOf(name, 'Unknown') });
  now += 90_000;
};
const remediate = (name: Name) => {
  const machine = api.peek(MACHINES, NAMESPACE, name) as unknown as MachineObject;
  judge.see({ machine, check: CHECK.metadata.uid, at: now });
};

describe('the judge of lost zones', () => {
  it('accuses a check that remediates in a zone of which no Node answers any more', () => {
    silence('a', 'b', 'c');
    remediate('a');
    expect(accused).toEqual(['Machine a is remediated while all Nodes of zone one are bad by Ready']);
  });

  it.each<[string, () => void]>([
    ['a Node of it answers', () => silence('a', 'b')],
    ['no zone is well', () => silence('a', 'b', 'c', 'd')],
    [
      'it has fewer than three Nodes',
      () => {
        api.drop(NODES, undefined, 'node-of-c');
        silence('a', 'b');
      },
    ],
    [
      'one was bad long before the others',
      () => {
        silence('a');
        now += 300_000;
        silence('b', 'c');
      },
    ],
    [
      'the last one turned bad a moment ago',
      () => {
        silence('a', 'b', 'c');
        api.put({ ...nodeOf('c', 'True') });
        now += 1000;
        api.put({ ...nodeOf('c', 'Unknown') });
        now += 1000;
      },
    ],
    [
      'its instance does not run',
      () => {
        silence('a', 'b', 'c');
        stopped.add(api.peek(MACHINES, NAMESPACE, 'a')?.metadata.uid ?? '');
      },
    ],
    [
      'a person has seen it',
      () => {
        silence('a', 'b', 'c');
        const annotations = { [PROCEED_ANNOTATION]: new Date(now).toISOString() };
        const check = api.peek(MACHINE_HEALTH_CHECKS, NAMESPACE, 'check');
        if (check !== undefined) api.put({ ...check, metadata: { ...check.metadata, annotations } });
      },
    ],
    [
      'somebody wants it',
      () => {
        silence('a', 'b', 'c');
        const machine = api.peek(MACHINES, NAMESPACE, 'a');
        const annotations = { [REMEDIATE_ANNOTATION]: 'disk' };
        if (machine !== undefined) api.put({ ...machine, metadata: { ...machine.metadata, annotations } });
      },
    ],
  ])('leaves a check alone where %s', (_words, happen) => {
    happen();
    remediate('a');
    expect(accused).toEqual([]);
  });
});
