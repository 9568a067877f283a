import { describe, expect, it } from '@jest/globals';
import { CLUSTER_LABEL } from '../../k8s/dialects/openshift/labels.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { REMEDIATED_BY_ANNOTATION, writeHealthClaim } from '../../k8s/model/health-claim.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import { REBOOT_ANNOTATION, writeRebootWish, type RebootRecord } from '../../k8s/model/reboot.ts';
import { NODES } from '../../k8s/resources.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { aMachineHealthCheck, type MachineHealthCheckSpec } from '../../test/world/builders/a-machine-health-check.ts';
import { aNode, type StoredNode } from '../../test/world/builders/a-node.ts';
import { aRulesConfigMap } from '../../test/world/builders/a-rules-config-map.ts';
import { NAMESPACE, refOf } from '../../test/world/builders/metadata.ts';
import { refused } from '../../test/world/world-cloud.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import { given } from '../../providers/given.ts';

const ID = '2026-01-01T00:00:00.000Z';
const SILENT = 'node Ready=Unknown 60000';
const SPEC = {
  selector: { matchLabels: { checked: 'true' } },
  unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '60s' }],
  remediation: { steps: [{ action: 'Reboot' }] },
} as const satisfies Partial<MachineHealthCheckSpec>;

interface Given {
  readonly record?: Partial<RebootRecord>;
  readonly ready?: 'True' | 'Unknown';
  readonly bootID?: string;
}

/** A Machine whose reboot is on record, and is to be sent. */
async function recorded({ record, ready = 'Unknown', bootID = 'boot-1' }: Given = {}) {
  const world = new World(ownClock());
  const sentAt = new Date(world.clock.timeOfDay()).toISOString();
  const check = aMachineHealthCheck('check', SPEC);
  const node: StoredNode = aNode({ name: 'n', ready });
  world.kube.put(check, { ...node, status: { ...node.status, nodeInfo: { bootID } } } as StoredNode);
  const reboot = { id: ID, state: 'Sent', bootID: 'boot-1', sentAt, times: [sentAt], ...record };
  const { target, id: instance } = await world.addLaunched({
    name: 'm',
    metadata: {
      labels: { checked: 'true', [CLUSTER_LABEL]: 'c1' },
      annotations: {
        [REMEDIATED_BY_ANNOTATION]: writeHealthClaim(refOf(check)),
        [REBOOT_ANNOTATION]: writeRebootWish({ id: ID, causes: [SILENT] }),
      },
    },
    status: { phase: 'Running', nodeRef: { kind: 'Node', name: 'n', uid: node.metadata.uid } },
  });
  await patch({ status: { providerStatus: { reboot } } }, 'status');
  async function patch(body: object, subresource?: 'status'): Promise<void> {
    const options = given({ subresource });
    await world.kube.others.mergePatch(MACHINES, NAMESPACE, 'm', body, options);
  }
  const request = { ...target, wish: ID, sentAt, instance };
  const call = (more: object = {}, info: object = {}) =>
    world.run((activities) => activities.rebootInstance({ ...request, ...more }), info);
  const look = () => world.run((activities) => activities.lookAtReboot(target));
  const forget = () => world.run((activities) => activities.forgetReboot(target));
  const reboots = () => world.cloud.asked('reboot').length;
  const annotate = (annotations: object) => patch({ metadata: { annotations } });
  const editCheck = (changes: object) =>
    world.kube.put({
      ...check,
      ...changes,
      metadata: { ...check.metadata, ...(changes as { metadata?: object }).metadata },
    });
  return { world, check, instance, call, look, forget, reboots, patch, annotate, editCheck };
}

const HELD = { outcome: 'refused', failure: { code: 'Aborted' } };

const withTimeout = (timeout: string) => ({
  spec: { ...SPEC, unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout }] },
});

describe('the call to reboot', () => {
  it('is one, too, where the time-out of the rule on it was edited since', async () => {
    const { call, reboots, editCheck } = await recorded();
    editCheck(withTimeout('10m'));
    expect(await call()).toEqual({ outcome: 'sent' });
    expect(reboots()).toBe(1);
  });

  it('is one, where all is as it was when it was recorded', async () => {
    const { call, reboots } = await recorded();
    expect(await call()).toEqual({ outcome: 'sent' });
    expect(reboots()).toBe(1);
  });

  it.each([
    ['is Ready by now, and is not drained', { ready: 'True' }, {}],
    ['tells of another boot already', { bootID: 'boot-2' }, {}],
    ['was recorded for another wish', { record: { id: 'other' } }, {}],
    ['was recorded at another time', { record: { sentAt: '2026-01-01T00:00:00Z' } }, {}],
    ['was taken back', { record: { state: 'Preparing' } }, {}],
    ['is for another wish than is there', {}, { wish: 'other' }],
    ['is for another instance', {}, { instance: 'i-00000000000000001' }],
  ] as const)('is not sent where the Machine or its Node %s', async (_words, given, more) => {
    const { call, reboots } = await recorded(given);
    expect(await call(more)).toMatchObject(HELD);
    expect(reboots()).toBe(0);
  });

  it('is not sent where it would be one too many within 24 hours', async () => {
    const times = [3, 2, 0].map(hoursAgo);
    const { call, reboots } = await recorded({ record: { times } });
    expect(await call()).toMatchObject(HELD);
    expect(reboots()).toBe(0);
  });

  it.each([
    ['the Machine is to be deleted', { spec: { delete: true } }],
    ['the Machine is paused', { metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } }],
    ['somebody wants it left alone', { metadata: { annotations: { 'machine.openshift.io/skip-remediation': '' } } }],
    ['nobody wants it any more', { metadata: { annotations: { [REBOOT_ANNOTATION]: null } } }],
    ['no check claims it any more', { metadata: { annotations: { [REMEDIATED_BY_ANNOTATION]: null } } }],
    ['its check does not select it any more', { metadata: { labels: { checked: null } } }],
  ])('is not sent where %s', async (_words, body) => {
    const { call, patch, reboots } = await recorded();
    await patch(body);
    expect(await call()).toMatchObject(HELD);
    expect(reboots()).toBe(0);
  });

  it.each([
    ['is paused', { metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } }],
    ['cannot be read', { spec: { ...SPEC, unhealthyConditions: 'all' } }],
    ['reboots none any more', { spec: { ...SPEC, remediation: { steps: [{ action: 'Replace' }] } } }],
    ['has other rules', { spec: { ...SPEC, unhealthyConditions: [{ type: 'X', status: 'True', timeout: '1s' }] } }],
  ])('is not sent where its check %s', async (_words, changes) => {
    const { call, editCheck, reboots } = await recorded();
    editCheck(changes);
    expect(await call()).toMatchObject(HELD);
    expect(reboots()).toBe(0);
  });

  it.each([
    ['a condition that they named when it was decided', SILENT, 1],
    ['what they never named', 'node Other=True 60000', 0],
  ])("where the cluster's rules cannot be read now, is sent for %s so often", async (_words, key, times) => {
    const { world, call, annotate, editCheck, reboots } = await recorded();
    const { unhealthyConditions: _own, ...spec } = SPEC;
    editCheck({ spec });
    world.kube.put(aRulesConfigMap('items: {'));
    await annotate({ [REBOOT_ANNOTATION]: writeRebootWish({ id: ID, causes: [key] }) });
    expect(await call()).toMatchObject(times === 0 ? HELD : { outcome: 'sent' });
    expect(reboots()).toBe(times);
  });

  it.each([
    ['is away', undefined, 0],
    ['was away a moment ago', 10_000, 0],
    ['was away, and the control plane has seen since which Nodes answer', 60_000, 1],
  ])('where the API server %s is sent so often', async (_words, agoMs, times) => {
    const { world, call, look, reboots } = await recorded();
    const now = world.clock.timeOfDay();
    const from = new Date(now - 120_000).toISOString();
    world.workflows.outages = [agoMs === undefined ? { from } : { from, until: new Date(now - agoMs).toISOString() }];
    expect((await look()).outcome).toBe(times === 0 ? 'held' : 'due');
    expect(await call()).toMatchObject(times === 0 ? HELD : { outcome: 'sent' });
    expect(reboots()).toBe(times);
  });

  it('is not sent for an instance that only the status names, and that is not the Machine’s', async () => {
    const { world, call, patch, reboots } = await recorded();
    const { id: other } = await world.cloud.launch({ machineUid: 'another', name: 'other' }, 'foreign');
    await patch({ status: { providerStatus: { instanceId: other } } }, 'status');
    expect(await call({ instance: other })).toMatchObject({ outcome: 'refused' });
    expect(reboots()).toBe(0);
  });

  it('is not sent where nobody waits for it any more', async () => {
    const { world, call, reboots } = await recorded();
    const info = { currentAttemptScheduledTimestampMs: world.clock.timeOfDay() - 3_600_000 };
    expect(await call({}, info)).toMatchObject(HELD);
    expect(reboots()).toBe(0);
  });

  it.each([
    ['NotFound', { outcome: 'refused', isFinal: true }],
    ['FailedPrecondition', { outcome: 'refused', isFinal: true }],
    ['InvalidArgument', { outcome: 'refused', isFinal: true }],
    ['Throttled', { outcome: 'refused' }],
    ['PermissionDenied', { outcome: 'refused' }],
    ['Unauthenticated', { outcome: 'refused' }],
    ['ResourceExhausted', { outcome: 'refused' }],
    ['Internal', { outcome: 'unanswered' }],
    ['Unavailable', { outcome: 'unanswered' }],
    ['DeadlineExceeded', { outcome: 'unanswered' }],
    ['Unknown', { outcome: 'unanswered' }],
    ['Aborted', { outcome: 'unanswered' }],
  ] as const)('that the cloud answers with %s comes to %j', async (code, answer) => {
    const { world, call } = await recorded();
    world.cloud.onRequest = refused('reboot', new ProviderError(code, 'no'));
    const got = await call();
    expect(got).toMatchObject(answer);
    expect('isFinal' in got).toBe('isFinal' in answer);
  });
});

function hoursAgo(hours: number): string {
  return new Date(ownClock().timeOfDay() - hours * 3_600_000).toISOString();
}

describe('a look whether a reboot is wanted', () => {
  it('tells what the reboot goes by', async () => {
    const { look } = await recorded({ ready: 'Unknown' });
    expect(await look()).toMatchObject({
      outcome: 'due',
      isSupported: true,
      isNodeReady: false,
      maxReboots: 2,
      bootID: 'boot-1',
    });
  });

  it.each([
    ['is gone', undefined, 'is gone'],
    [
      'reboots none any more',
      { spec: { ...SPEC, remediation: { steps: [{ action: 'Replace' }] } } },
      'reboots no machines',
    ],
    ['selects it no more', { spec: { ...SPEC, selector: { matchLabels: { other: '' } } } }, 'does not select'],
  ])(
    'of a check that %s answers that nobody does, and then the wish is taken off',
    async (_words, changes, message) => {
      const { world, look, forget, editCheck } = await recorded();
      if (changes === undefined) world.kube.drop(MACHINE_HEALTH_CHECKS, NAMESPACE, 'check');
      else editCheck(changes);
      expect(await look()).toMatchObject({ outcome: 'withdrawn', message: expect.stringContaining(message) });
      await forget();
      expect(world.kube.peek(MACHINES, NAMESPACE, 'm')?.metadata.annotations).not.toHaveProperty([REBOOT_ANNOTATION]);
    },
  );

  it('leaves a wish that somebody stands behind', async () => {
    const { world, forget } = await recorded();
    await forget();
    expect(world.kube.peek(MACHINES, NAMESPACE, 'm')?.metadata.annotations).toHaveProperty([REBOOT_ANNOTATION]);
  });

  it('holds it while its check is paused, or the machine is well', async () => {
    const { world, look, editCheck } = await recorded();
    editCheck({ metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } });
    expect(await look()).toMatchObject({ outcome: 'held', message: expect.stringContaining('paused') });
    editCheck({});
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    await world.kube.others.mergePatch(NODES, undefined, 'n', { status }, { subresource: 'status' });
    expect(await look()).toMatchObject({ outcome: 'held', message: 'it is healthy again' });
  });
});
