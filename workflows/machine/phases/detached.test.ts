import { describe, expect, it } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { NODES, PODS, VOLUME_ATTACHMENTS, VOLUME_CLAIMS, VOLUMES, type Resource } from '../../../k8s/resources.ts';
import { eventsOf, runningMachine } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { aBudget } from '../../../test/world/builders/a-budget.ts';
import { aNode } from '../../../test/world/builders/a-node.ts';
import { aPod } from '../../../test/world/builders/a-pod.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { before } from '../../../test/world/kubernetes/request.ts';
import { runPods, type PodsRun } from '../../../test/world/run-pods.ts';
import { changedSignal } from '../../signals.ts';
import { given } from '../../../providers/given.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const nodeOf = ({ ref }: MachineWorld) => `node-of-${ref.name}`;
const metadata = (name: string, namespace = 'default') => ({ name, namespace, uid: `uid-of-${name}` });
const isEnded = (world: MachineWorld) => world.cloud.calls('terminate').length > 0;

function anObject({ apiVersion, kind }: Resource, own: { readonly name: string; readonly uid: string }, spec: object) {
  return { apiVersion, kind, metadata: own, spec };
}

/** The claim, its volume, and that this is attached to the machine's Node. */
function attach(world: MachineWorld, name: string) {
  const { namespace: _none, ...clusterWide } = metadata(`pv-${name}`);
  const csi = { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` };
  const source = { persistentVolumeName: `pv-${name}` };
  world.kube.put(
    anObject(VOLUME_CLAIMS, metadata(name), { volumeName: `pv-${name}` }),
    anObject(VOLUMES, clusterWide, { csi }),
    anObject(
      VOLUME_ATTACHMENTS,
      { name: `att-${name}`, uid: `uid-of-att-${name}` },
      { nodeName: nodeOf(world), source },
    ),
  );
}

const detach = (world: MachineWorld, name: string) => world.kube.drop(VOLUME_ATTACHMENTS, undefined, `att-${name}`);

interface Deleted extends PodsRun {
  readonly spec?: object;
  /** How a look at volumes fails. */
  readonly unseen?: KubeError;
  /** The drain leaves no pod alone. @default false */
  readonly areAllToLeave?: boolean;
  /** By `spec.delete`. @default as `kubectl delete` does */
  readonly isOnlyAsked?: boolean;
}

/** A machine whose Node has the volume of a pod that leaves, and that of one that stays. */
async function deleted(
  name: string,
  { spec, unseen, areAllToLeave = false, isOnlyAsked = false, ...run }: Deleted = {},
) {
  const { world, handle } = await runningMachine(temporal, name);
  const node = nodeOf(world);
  const labels = areAllToLeave ? undefined : { 'cluster.x-k8s.io/drain': 'skip' };
  world.kube.put(
    aPod({ node, name: 'db', claims: ['data'] }),
    aPod({ node, name: 'agent', claims: ['cache'], ...given({ labels }) }),
  );
  for (const claim of ['data', 'cache']) attach(world, claim);
  const volumesAttached = [{ name: 'kubernetes.io/csi/ebs.csi.aws.com^vol-cache' }];
  await world.kube.others.mergePatch(
    NODES,
    undefined,
    node,
    { status: { volumesAttached } },
    { subresource: 'status' },
  );
  runPods(world, run);
  if (unseen !== undefined)
    world.onRequest = before({ verb: 'list', resource: VOLUME_ATTACHMENTS }, () => {
      throw unseen;
    });
  if (spec !== undefined) await world.edit({ spec });
  if (!isOnlyAsked) await world.delete();
  await temporal.signal(handle, changedSignal);
  return { world, handle };
}

describe('the volumes of pods that left', () => {
  it('are detached before the instance ends; those of pods that stay are not waited for', async () => {
    const { world, handle } = await deleted('volumes');
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    expect(world.status.waiting?.message).toContain('pv-data');
    expect(world.status.waiting?.message).not.toContain('cache');
    expect(world.status.deletion?.volumeDetachStartTime).toBeDefined();
    await temporal.pass(60);
    expect(isEnded(world)).toBe(false);
    const since = Date.parse(world.status.deletion?.volumeDetachStartTime ?? '');
    expect(world.condition('Deleting')).toMatchObject({
      status: 'True',
      reason: 'DeletionUnderWay',
      message: expect.stringMatching(/deletionTimestamp, .*; volumes are attached to the Node still, /),
    });
    const latest = new Date(since + 120_000).toISOString();
    expect(world.condition('Deleting')?.message).toMatch(new RegExp(`, and are waited for until ${latest}: pv-data$`));
    detach(world, 'data');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'VolumesStillAttached')).toEqual([]);
  });

  it('come from a Node that is cordoned and emptied once more where somebody opens it meanwhile', async () => {
    const { world, handle } = await deleted('opened');
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    const { volumeDetachStartTime: before, ...since } = world.status.deletion ?? {};
    await temporal.pass(30);
    const opened = { spec: { unschedulable: null } };
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), opened, { fieldManager: 'kubectl-uncordon' });
    world.kube.put(aPod({ node: nodeOf(world), name: 'late' }));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => eventsOf(world, 'DrainSucceeded').length > 1);
    const late = world.kube.peek(PODS, 'default', 'late');
    expect([late, world.kube.peek(NODES, undefined, nodeOf(world))]).toMatchObject([
      undefined,
      { spec: { unschedulable: true } },
    ]);
    expect([isEnded(world), world.status.deletion]).toMatchObject([false, since]);
    // The volumes of what has come have their whole time.
    expect(world.status.deletion?.volumeDetachStartTime).not.toBe(before);
    detach(world, 'data');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('have their whole time after a drain that was done once more', async () => {
    const { world, handle } = await deleted('att-opened', { spec: { drain: { volumeDetachTimeout: '60s' } } });
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    await temporal.pass(40);
    detach(world, 'data');
    const opened = { spec: { unschedulable: null } };
    attach(world, 'late');
    world.kube.put(aPod({ node: nodeOf(world), name: 'late', claims: ['late'], labels: { app: 'late' } }));
    world.kube.put(aBudget('late', { minAvailable: 1 }));
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), opened, { fieldManager: 'kubectl-uncordon' });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked', { within: 60 });
    await temporal.pass(60);
    world.kube.put(aBudget('late', { minAvailable: 0 }));
    await temporal.until(() => eventsOf(world, 'DrainSucceeded').length > 1, { within: 120 });
    await temporal.pass(10);
    expect([eventsOf(world, 'VolumesStillAttached'), isEnded(world)]).toEqual([[], false]);
    detach(world, 'late');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('do not have the time of a drain that was over begin anew', async () => {
    const drain = { timeout: '5m', onTimeout: 'Force', volumeDetachTimeout: '20m' };
    const { world, handle } = await deleted('att-forced', { spec: { drain }, areAllToLeave: true, stuck: ['agent'] });
    await temporal.until(() => eventsOf(world, 'DrainTimedOut').length > 0, { within: 400 });
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    const opened = { spec: { unschedulable: null } };
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), opened, { fieldManager: 'kubectl-uncordon' });
    await temporal.signal(handle, changedSignal);
    const at = temporal.clock.now();
    await temporal.until(() => world.status.waiting?.reason !== 'VolumesAttached', { within: 20 });
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached', { within: 400 });
    expect((temporal.clock.now() - at) / 1000).toBeLessThan(120);
  });

  it('are waited for after a drain that was done once more for a moment, whatever the time before', async () => {
    const { world } = await deleted('att-moment', { spec: { drain: { volumeDetachTimeout: '60s' } } });
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    await temporal.pass(40);
    detach(world, 'data');
    attach(world, 'late');
    world.kube.put(aPod({ node: nodeOf(world), name: 'late', claims: ['late'] }));
    const opened = { spec: { unschedulable: null } };
    await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), opened, { fieldManager: 'kubectl-uncordon' });
    await temporal.until(() => eventsOf(world, 'DrainSucceeded').length > 1, { within: 30 });
    const at = temporal.clock.now();
    await temporal.until(() => isEnded(world), { within: 200 });
    expect((temporal.clock.now() - at) / 1000).toBeGreaterThan(50);
  });

  it('have one drain where the Node on record names another instance by now', async () => {
    const { world, handle } = await runningMachine(temporal, 'att-two');
    const a = world.kube.peek(NODES, undefined, nodeOf(world)) as never as {
      metadata: { uid: string };
      spec: { providerID: string };
    };
    let drains = 0;
    world.onActivity = async (name, run) => {
      if (name === 'drainNode') drains += 1;
      return run();
    };
    const b = 'node-b';
    world.kube.put(aNode({ name: b, providerID: a.spec.providerID, metadata: { uid: 'b' } }));
    world.kube.put(
      aNode({ name: nodeOf(world), providerID: 'aws:///eu-west-1a/i-other', metadata: { uid: a.metadata.uid } }),
    );
    world.kube.put(aPod({ node: b, name: 'db', claims: ['data'] }));
    attach(world, 'data');
    const { metadata: made, spec } = world.kube.peek(VOLUME_ATTACHMENTS, undefined, 'att-data') as never as {
      metadata: { name: string; uid: string };
      spec: object;
    };
    world.kube.put(anObject(VOLUME_ATTACHMENTS, made, { ...spec, nodeName: b }));
    runPods(world, {});
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.pass(60);
    expect(drains).toBeLessThan(5);
  });

  it('are named by the condition Deleting also where something wakes their machine, which costs no write', async () => {
    const { world, handle } = await deleted('named');
    const named = () =>
      /; volumes are attached to the Node still, and are waited for until [^ ]+Z: pv-data$/.test(
        world.condition('Deleting')?.message ?? '',
      );
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    const messages: unknown[] = [];
    world.kube.store.onChange(() => messages.push(named()));
    for (let n = 0; n < 3; n += 1) {
      await temporal.signal(handle, changedSignal);
      await temporal.pass(1);
    }
    await temporal.pass(20);
    expect([named(), messages.filter((is) => is !== true)]).toEqual([true, []]);
    detach(world, 'data');
    await temporal.resultOf(handle);
  });

  it('are named by it as well while the deletion can be aborted, and not afterwards', async () => {
    const lifecycleHooks = { preTerminate: [{ name: 'CopyLogs', owner: 'log-copier' }] };
    const { world, handle } = await deleted('preparing', { spec: { delete: true, lifecycleHooks }, isOnlyAsked: true });
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    expect(world.condition('Deleting')).toMatchObject({
      reason: 'PreparingDeletion',
      message: expect.stringMatching(/^spec.delete is true: .*; volumes are attached to the Node still, .*: pv-data$/),
    });
    detach(world, 'data');
    await temporal.until(() => world.status.waiting?.reason === 'HookPresent', { within: 60 });
    expect(world.condition('Deleting')?.message).not.toContain('volumes');
    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('are waited for also where the time for the drain was over, but for those of pods that were left', async () => {
    const drain = { timeout: '1m', onTimeout: 'Force', volumeDetachTimeout: '60s' };
    const { world, handle } = await deleted('timed-out', { spec: { drain }, stuck: ['agent'], areAllToLeave: true });
    await temporal.until(() => eventsOf(world, 'DrainTimedOut').length > 0, { within: 90 });
    expect(world.status.waiting).toMatchObject({ reason: 'VolumesAttached' });
    await temporal.pass(30);
    expect([world.status.waiting?.message, isEnded(world)]).toEqual([expect.stringContaining('pv-data'), false]);
    expect(world.status.waiting?.message).not.toContain('cache');
    detach(world, 'data');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'VolumesStillAttached')).toEqual([]);
  });

  it('are waited for no longer where somebody lowers the deletionPolicy meanwhile', async () => {
    const { world, handle } = await deleted('lowered', { spec: { drain: { volumeDetachTimeout: '1h' } } });
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    await world.edit({ spec: { deletionPolicy: 'unsafe' } });
    await temporal.signal(handle, changedSignal);
    await temporal.pass(20);
    expect(isEnded(world)).toBe(true);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('are waited for so long, and then an event says which', async () => {
    const { world, handle } = await deleted('stubborn', { spec: { drain: { volumeDetachTimeout: '30s' } } });
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    await temporal.pass(20);
    expect(isEnded(world)).toBe(false);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'VolumesStillAttached')[0]?.message).toContain('pv-data');
  });

  it.each<[string, KubeError]>([
    ['KubernetesUnavailable', new KubeError(503, 'ServiceUnavailable', 'etcd has no leader')],
    ['KubernetesRefused', new KubeError(403, 'Forbidden', 'volumeattachments is forbidden')],
  ])('are not waited for any longer where they cannot be looked at (%s)', async (reason, error) => {
    const { world, handle } = await deleted(`unseen-${error.status}`, {
      spec: { drain: { volumeDetachTimeout: '30s' } },
      unseen: error,
    });
    await temporal.until(() => world.status.waiting?.reason === reason);
    expect(world.status.waiting).toMatchObject({ step: 'DetachVolumes', message: error.message });
    await temporal.pass(20);
    expect(isEnded(world)).toBe(false);
    await temporal.pass(15);
    expect(isEnded(world)).toBe(true);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(eventsOf(world, 'VolumesStillAttached')[0]?.message).toContain(error.message);
  });

  it('are waited for no longer where their record is lost meanwhile', async () => {
    const { world, handle } = await deleted('forgotten', { spec: { drain: { volumeDetachTimeout: '60s' } } });
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    const since = world.status.deletion?.volumeDetachStartTime;
    await temporal.pass(40);
    await world.kube.others.mergePatch(
      MACHINES,
      'default',
      'forgotten',
      { status: { deletion: null } },
      { subresource: 'status' },
    );
    await temporal.until(() => world.status.deletion?.volumeDetachStartTime === since);
    await temporal.pass(25);
    expect(isEnded(world)).toBe(true);
    await temporal.resultOf(handle);
  });
});
