import { beforeEach, describe, expect, it } from '@jest/globals';
import { SKIP_REMEDIATION_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { NODES } from '../../../k8s/resources.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aMachineHealthCheck } from '../../world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { IllAtDeadlineJudge, wasBadTooLong } from './ill-at-deadline.ts';
import { NodeHistory } from './node-history.ts';
import { Remediations } from './remediations.ts';

const CHECK = aMachineHealthCheck('check', {
  unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '2m' }],
});
const SET = aMachineSet({ name: 'workers' });
const NODE = aNode({ name: 'node-1' });
const MACHINE = aMachine({
  name: 'a',
  set: SET,
  status: { phase: 'Running', nodeRef: { kind: 'Node', name: 'node-1', uid: NODE.metadata.uid } },
  metadata: { annotations: { [REMEDIATED_BY_ANNOTATION]: `check ${CHECK.metadata.uid}` } },
});

let api: ApiServer;
let now: number;
let accused: string[];
let remediations: Remediations;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  now = 10_000_000;
  accused = [];
  const nodes = new NodeHistory(api, () => now);
  remediations = new Remediations({ api, now: () => now, onRemediation: (remediation) => judge.see(remediation) });
  const accuse = (message: string) => void accused.push(message);
  const judge = new IllAtDeadlineJudge({ api, now: () => now, nodes, remediations, accuse });
  api.put({ ...SET }, { ...MACHINE }, { ...CHECK }, { ...NODE });
});

const setReady = (ready: 'True' | 'Unknown') => api.put({ ...aNode({ name: 'node-1', ready }) });
const annotate = (annotations: Record<string, string>) =>
  api.others.mergePatch(MACHINES, NAMESPACE, 'a', { metadata: { annotations } });
const remediate = async () => {
  const request = { verb: 'delete', resource: MACHINES, namespace: NAMESPACE, name: 'a' } as const;
  remediations.seeRequest(request, 'machineHealthCheck');
  await api.others.delete(MACHINES, NAMESPACE, 'a');
};

describe('the judge of deadlines', () => {
  it('accuses where the Node is well, or has not been bad for long', async () => {
    setReady('Unknown');
    now += 60_000;
    await remediate();
    expect(accused).toEqual(['Machine a is remediated, and was not unhealthy for long enough']);
  });

  it('leaves alone what was bad for its time-out, or has no Node any more', async () => {
    setReady('Unknown');
    now += 120_000;
    await remediate();
    expect(accused).toEqual([]);
  });

  it('leaves alone what has no Node any more', async () => {
    await api.others.delete(NODES, undefined, 'node-1');
    await remediate();
    expect(accused).toEqual([]);
  });

  it('leaves alone who deletes one by hand', async () => {
    await api.others.delete(MACHINES, NAMESPACE, 'a');
    expect(accused).toEqual([]);
  });

  it.each([
    [PAUSED_ANNOTATION, '', 'it is paused'],
    [SKIP_REMEDIATION_ANNOTATION, '', 'somebody wants it left alone'],
  ])('accuses where %s was there', async (key, value, words) => {
    setReady('Unknown');
    now += 120_000;
    await annotate({ [key]: value });
    await remediate();
    expect(accused).toEqual([`Machine a is remediated, and ${words}`]);
  });

  it('accuses a check that has been paused for a while', async () => {
    setReady('Unknown');
    const annotations = { [PAUSED_ANNOTATION]: '' };
    await api.others.mergePatch(MACHINE_HEALTH_CHECKS, NAMESPACE, 'check', { metadata: { annotations } });
    now += 120_000;
    await remediate();
    expect(accused).toEqual(['Machine a is remediated, and its health check is paused']);
  });
});

describe('bad for too long', () => {
  const bad = (...times: [from: number, to: number][]) =>
    wasBadTooLong(
      times.map(([from, to]) => ({ from: from * 1000, to: to * 1000 })),
      120_000,
      1_000_000,
    );

  it.each<[name: string, times: [number, number][], is: boolean]>([
    ['all the time', [[880, Infinity]], true],
    ['not for long', [[920, Infinity]], false],
    ['long, and well again a moment ago', [[800, 970]], true],
    ['long, and well again for a while', [[700, 900]], false],
    [
      'with a break that no look need see',
      [
        [860, 900],
        [940, Infinity],
      ],
      true,
    ],
    [
      'with a break that ends it',
      [
        [760, 790],
        [900, Infinity],
      ],
      false,
    ],
    [
      'more than half of three time-outs',
      [
        [650, 740],
        [880, 999],
      ],
      true,
    ],
  ])('%s', (_name, times, is) => expect(bad(...times)).toBe(is));
});
