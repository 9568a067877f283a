import { beforeEach, describe, expect, it } from '@jest/globals';
import { NODES, PODS, VOLUME_ATTACHMENTS } from '../../k8s/resources.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { aNode, type NodeFacts } from '../../test/world/builders/a-node.ts';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import { before } from '../../test/world/kubernetes/request.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import type { NodeTarget } from '../../workflows/machine/node-activities.ts';

const TAINT = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
const OTHER = { key: 'rack', value: 'dark', effect: 'NoSchedule' };
const NONE = { count: 0, names: [] };

let world: World;
let target: NodeTarget;

beforeEach(() => {
  world = new World(ownClock());
  target = { ...world.addMachine({ instanceId: 'i-1', launch: {}, deleting: true }), ownInstance: 'i-1' };
  register({ ready: 'Unknown' });
});

function register(facts: NodeFacts): void {
  world.kube.put(aNode({ name: 'n', providerID: 'simulated:///zone-a/i-1', ...facts }));
}

function run(...pods: readonly PodFacts[]): void {
  world.kube.put(...pods.map((facts) => aPod({ node: 'n', ...facts })));
}

const node = () => world.kube.peek(NODES, undefined, 'n') as unknown as ReturnType<typeof aNode>;
const taints = () => node().spec?.taints ?? [];
const vacate = (of = target) => world.run((on) => on.vacateNode(of));
const giveBack = () => world.run((on) => on.returnNode(target));

describe('a Node on which nothing runs any more', () => {
  it('gets the taint by which Kubernetes takes its pods away, beside those that it has', async () => {
    register({ ready: 'Unknown', spec: { taints: [OTHER] } });
    expect(await vacate()).toEqual({ outcome: 'vacating', isTold: true, pods: NONE, volumes: NONE });
    expect(taints()).toEqual([OTHER, TAINT]);
    await vacate();
    expect(taints()).toEqual([OTHER, TAINT]);
  });

  it('is left alone while it is Ready: then something does run', async () => {
    register({ ready: 'True' });
    run({ name: 'web' });
    expect(await vacate()).toMatchObject({ isTold: false, pods: { count: 1 } });
    expect(taints()).toEqual([]);
  });

  it('is waited for until its pods are gone, but for those that Kubernetes leaves there', async () => {
    run(
      { name: 'web' },
      { name: 'proxy', tolerations: [{ operator: 'Exists' }] },
      { name: 'agent', tolerations: [{ operator: 'Exists', key: 'node.kubernetes.io/unreachable' }] },
      { name: 'static', metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
    );
    expect(await vacate()).toMatchObject({ pods: { count: 2, names: ['default/agent', 'default/web'] } });
    expect(world.kube.all(PODS)).toHaveLength(4);
  });

  it('is waited for until its volumes are detached', async () => {
    const { apiVersion, kind } = VOLUME_ATTACHMENTS;
    const attachment = {
      apiVersion,
      kind,
      metadata: { name: 'att', uid: 'uid-of-att' },
      spec: { nodeName: 'n', source: { persistentVolumeName: 'pv-1' } },
    };
    world.kube.put(attachment);
    expect(await vacate()).toMatchObject({ volumes: { count: 1, names: ['pv-1'] } });
    world.onRequest = before({ verb: 'list', resource: VOLUME_ATTACHMENTS }, () => {
      throw new KubeError(403, 'Forbidden', 'volumeattachments is forbidden');
    });
    expect(await vacate()).toEqual({ outcome: 'vacating', isTold: true, pods: NONE });
  });

  it('is none, where there is none', async () => {
    world.kube.drop(NODES, undefined, 'n');
    expect(await vacate()).toEqual({ outcome: 'noNode' });
  });

  it('is looked at again where somebody changed its taints meanwhile, so that none is lost', async () => {
    world.onRequest = before({ verb: 'mergePatch', resource: NODES }, () =>
      register({ ready: 'Unknown', spec: { taints: [OTHER] } }),
    );
    await expect(vacate()).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(taints()).toEqual([OTHER]);
  });

  it('is one of a Machine that is being deleted, and of no other', async () => {
    const living = world.addMachine({ name: 'web', instanceId: 'i-2', launch: {} });
    await expect(vacate(living)).rejects.toMatchObject({ type: 'ObjectChanged' });
  });
});

describe('a Node whose instance runs again', () => {
  it('loses our taint, and no other', async () => {
    register({ ready: 'Unknown', spec: { taints: [OTHER] } });
    await vacate();
    expect(await giveBack()).toEqual({ outcome: 'done' });
    expect(taints()).toEqual([OTHER]);
    expect(node().metadata.annotations ?? {}).not.toHaveProperty(['millwright.dev/out-of-service']);
  });

  it('keeps the same taint that somebody else put there', async () => {
    register({ ready: 'Unknown', spec: { taints: [{ ...TAINT, value: 'by-hand' }] } });
    expect(await vacate()).toMatchObject({ isTold: true });
    await giveBack();
    expect(taints()).toEqual([{ ...TAINT, value: 'by-hand' }]);
  });

  it('is none, where there is none', async () => {
    world.kube.drop(NODES, undefined, 'n');
    expect(await giveBack()).toEqual({ outcome: 'done' });
  });
});

it('a Node that stays because nobody knows whether its instance runs is not told of as dead any more', async () => {
  register({ ready: 'Unknown', spec: { taints: [OTHER] } });
  await vacate();
  await world.run((on) => on.letGo({ ...target, events: [], nodeMark: 'i-1' }));
  expect(taints()).toEqual([OTHER]);
  expect(node()).toMatchObject({
    metadata: { annotations: { 'millwright.dev/instance-unknown': 'i-1' } },
    spec: { unschedulable: true },
  });
});
