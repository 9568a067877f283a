import { beforeEach, describe, expect, it } from '@jest/globals';
import { FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { NEXT_ANNOTATION, SIZE_ANNOTATION } from '../k8s/model/control-plane.ts';
import { DRAINED_FOR_ANNOTATION } from '../k8s/model/node.ts';
import { LEASES, NODES } from '../k8s/resources.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { aMachine, type MachineFacts } from '../test/world/builders/a-machine.ts';
import { aNode, type NodeFacts } from '../test/world/builders/a-node.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';

const LEASE = 'control-plane-c1';
const ROLE = { 'node-role.kubernetes.io/control-plane': '' };

let world: World;
beforeEach(() => {
  world = new World(ownClock());
});

interface Lease {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly holderIdentity?: string };
}

/** A Machine of the control plane, with its Node. */
function member(name: string, facts: MachineFacts = {}, node: NodeFacts = {}): MachineTarget {
  world.kube.put(aNode({ name, metadata: { labels: ROLE }, ...node }));
  return world.addMachine({
    name,
    launch: {},
    instanceId: `i-${name}`,
    providerStatus: { controlPlane: true },
    status: { phase: 'Running', nodeRef: { name, uid: `uid-of-${name}` } },
    ...facts,
  });
}

const gone = (name: string) => member(name, { deleting: true });
const take = (target: MachineTarget) => world.run((on) => on.takeTurn({ ...target, node: target.ref.name }));
const lease = () => world.kube.peek(LEASES, 'kube-system', LEASE) as Lease | undefined;
const holder = () => lease()?.spec?.holderIdentity;

describe('the turn of a control plane', () => {
  it('is taken by one of three that are Ready, and by no second one', async () => {
    const [a, b] = [gone('a'), gone('b'), member('c')];
    expect(await take(a)).toEqual({ outcome: 'taken' });
    expect(holder()).toBe(a.ref.uid);
    const message = expect.stringContaining('Machine default/a of the same control plane is being deleted');
    expect(await take(b)).toEqual({ outcome: 'refused', message });
    expect(await take(a)).toEqual({ outcome: 'taken' });
  });

  it('leans on no Node whose instance has ended, which says for a while that it is Ready', async () => {
    const providerStatus = { controlPlane: true, instanceState: 'terminated' };
    const [a] = [gone('a'), member('b', { providerStatus }), member('c')];
    expect(await take(a)).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('Node b is about to go'),
    });
  });

  it('is not given up by one that is being drained when another is not Ready any more, but by one that begins', async () => {
    const [a] = [gone('a'), member('b'), member('c')];
    await take(a);
    member('b', {}, { ready: 'False' });
    const again = (more: object) => world.run((on) => on.takeTurn({ ...a, node: 'a', ...more }));
    expect(await again({ isBegun: true })).toEqual({ outcome: 'taken' });
    expect(await again({})).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('Node b is not Ready'),
    });
    // It has the turn no more.
    expect(await again({ isBegun: true })).toMatchObject({ outcome: 'refused' });
  });

  it('is free again when whoever had it is gone; then its replacement has to be Ready', async () => {
    const [a, b] = [gone('a'), gone('b'), member('c')];
    await take(a);
    world.kube.drop(MACHINES, 'default', 'a');
    world.kube.drop(NODES, undefined, 'a');
    const message =
      '; 1 is not there (the last turn was that of Machine default/a: its replacement has to be Ready first)';
    const answers = [await take(b), await take(b)];
    for (const answer of answers)
      expect(answer).toMatchObject({ outcome: 'refused', message: expect.stringContaining(message) });
    member('d', {}, { ready: 'False' });
    expect(await take(b)).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('Node d is not Ready'),
    });
    world.kube.put(aNode({ name: 'd', metadata: { labels: ROLE } }));
    expect(await take(b)).toEqual({ outcome: 'taken' });
    expect(holder()).toBe(b.ref.uid);
  });

  it('names nobody as replaced whose deletion was aborted', async () => {
    const [a, b] = [gone('a'), gone('b'), member('c')];
    await take(a);
    world.kube.drop(MACHINES, 'default', 'a');
    member('a');
    world.kube.drop(NODES, undefined, 'c');
    const answer = await take(b);
    expect(answer).toMatchObject({ outcome: 'refused', message: expect.stringMatching(/1 is not there$/) });
  });

  it('is free again when only finalizers of others keep whoever had it', async () => {
    const finalizers = [FINALIZER, 'example.com/theirs'];
    const a = member('a', { deleting: true, metadata: { finalizers } });
    const [b] = [gone('b'), member('c'), member('d')];
    await take(a);
    expect(await take(b)).toMatchObject({ outcome: 'refused' });
    world.kube.drop(NODES, undefined, 'a');
    await world.kube.others.mergePatch(MACHINES, 'default', 'a', { metadata: { finalizers: ['example.com/theirs'] } });
    expect(await take(b)).toEqual({ outcome: 'taken' });
  });

  it('is not given to another while the instance of one that went by force may run: it is asked to end later', async () => {
    const a = member('a', { deleting: true }, { providerID: 'simulated:///zone-a/i-a' });
    const [b] = [gone('b'), member('c')];
    await take(a);
    await world.run((on) => on.letGo({ ...a, ownInstance: 'i-a', events: [], nodeMark: 'i-a' }));
    const message = expect.stringContaining('Node a is about to go, since a forced deletion left it');
    expect(await take(b)).toEqual({ outcome: 'refused', message });
    member('d');
    expect(await take(b)).toEqual({ outcome: 'taken' });
  });

  it('is free again when whoever had it lives on', async () => {
    const [a, b] = [member('a', { spec: { delete: true } }), gone('b'), member('c')];
    await take(a);
    expect(await take(b)).toMatchObject({ outcome: 'refused' });
    await world.kube.others.mergePatch(MACHINES, 'default', 'a', { spec: { delete: false } });
    expect(await take(b)).toEqual({ outcome: 'taken' });
  });

  it('is given back where too few are Ready by then', async () => {
    const [a] = [gone('a'), member('b'), member('c')];
    await take(a);
    world.kube.put(aNode({ name: 'c', ready: 'Unknown', metadata: { labels: ROLE } }));
    expect(await take(a)).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('Node c is not Ready'),
    });
    expect(holder()).toBe('');
  });

  describe('of one whose Node is drained, and that waits until the others are Ready', () => {
    const DRAINED = { annotations: { [DRAINED_FOR_ANNOTATION]: 'deletion of default/a' } };
    const put = (name: string, ready: 'True' | 'Unknown') =>
      world.kube.put(aNode({ name, ready, metadata: { labels: ROLE } }));
    let [a, b, c]: MachineTarget[] = [];
    const ask = (target: MachineTarget | undefined) => (target === undefined ? undefined : take(target));

    beforeEach(async () => {
      [a, b, c] = [gone('a'), gone('b'), gone('c')];
      await ask(a);
      world.kube.put(aNode({ name: 'a', metadata: { labels: ROLE }, ...DRAINED }));
      put('c', 'Unknown');
      expect(await ask(a)).toMatchObject({ message: expect.stringContaining('Node c is not Ready') });
    });

    it('is given to no other that could wait, for two would be drained at once', async () => {
      put('c', 'True');
      const message = expect.stringContaining('Machine default/a of the same control plane is being deleted');
      expect(await ask(b)).toEqual({ outcome: 'refused', message });
      expect(await ask(a)).toEqual({ outcome: 'taken' });
      expect(lease()?.metadata.annotations?.[NEXT_ANNOTATION]).toBe('');
    });

    it('is given to one that it waits for, and then to it again', async () => {
      expect(await ask(c)).toEqual({ outcome: 'taken' });
      put('c', 'True');
      expect(await ask(c)).toEqual({ outcome: 'taken' });
      expect(await ask(a)).toMatchObject({ message: expect.stringContaining('Machine default/c of the same') });
      for (const resource of [MACHINES, NODES])
        world.kube.drop(resource, resource === MACHINES ? 'default' : undefined, 'c');
      member('d');
      expect(await ask(b)).toMatchObject({ message: expect.stringContaining('Machine default/a of the same') });
      expect(await ask(a)).toEqual({ outcome: 'taken' });
    });

    it('stays noted where the one that it waits for is drained too, and refused', async () => {
      expect(await ask(c)).toEqual({ outcome: 'taken' });
      world.kube.put(aNode({ name: 'c', ready: 'Unknown', metadata: { labels: ROLE }, ...DRAINED }));
      put('b', 'Unknown');
      expect(await ask(c)).toMatchObject({
        outcome: 'refused',
        message: expect.stringContaining('Node b is not Ready'),
      });
      expect(lease()?.metadata.annotations?.[NEXT_ANNOTATION]).toBe(a?.ref.uid);
    });

    it('is given to any other where it lives on', async () => {
      put('c', 'True');
      world.kube.put(aMachine({ name: 'a', status: { nodeRef: { name: 'a', uid: 'uid-of-a' } } }));
      expect(await ask(b)).toEqual({ outcome: 'taken' });
      expect(lease()?.metadata.annotations?.[NEXT_ANNOTATION]).toBe('');
    });
  });

  it('counts by what is seen once it is held: a look before that may be too old', async () => {
    const [a] = [gone('a'), member('b'), member('c')];
    world.onRequest = before({ verb: 'create', resource: LEASES }, () => {
      world.kube.put(aNode({ name: 'c', ready: 'False', metadata: { labels: ROLE } }));
    });
    expect(await take(a)).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('Node c is not Ready'),
    });
    expect(holder()).toBe('');
  });

  it('goes by the greatest size that was seen, also by one that was refused', async () => {
    const [a] = [gone('a'), member('b'), member('c'), member('d'), member('e', {}, { ready: 'False' })];
    expect(await take(a)).toMatchObject({ outcome: 'refused' });
    expect(lease()?.metadata.annotations?.[SIZE_ANNOTATION]).toBe('5');
    world.kube.drop(NODES, undefined, 'e');
    expect(await take(a)).toMatchObject({ outcome: 'refused', message: expect.stringContaining('its size is 5') });
  });

  it('goes by the size that its Cluster says, whatever was seen', async () => {
    const [a] = [gone('a'), member('b'), member('c'), member('d'), member('e', {}, { ready: 'False' })];
    expect(await take(a)).toMatchObject({ outcome: 'refused' });
    for (const name of ['d', 'e']) world.kube.drop(NODES, undefined, name);
    world.kube.put(aCluster({ name: 'c1', controlPlane: { size: 7 } }));
    const message = expect.stringMatching(
      /6 have to be \(its size is 7, as Cluster default\/c1 says\); 4 are not there$/,
    );
    expect(await take(a)).toEqual({ outcome: 'refused', message });
    world.kube.put(aCluster({ name: 'c1', controlPlane: { size: 3 } }));
    expect(await take(a)).toEqual({ outcome: 'taken' });
    expect(lease()?.metadata.annotations?.[SIZE_ANNOTATION]).toBe('5');
  });

  it('counts Nodes without a label that Machines of the control plane have', async () => {
    const [a] = [gone('a'), member('b', {}, { metadata: {} }), member('c', {}, { metadata: {} })];
    expect(await take(a)).toEqual({ outcome: 'taken' });
  });

  it('is not taken twice by two that ask at once', async () => {
    const [a, b] = [gone('a'), gone('b'), member('c'), member('d')];
    const outcomes = (await Promise.all([take(a), take(b)])).map(({ outcome }) => outcome);
    expect([...outcomes].sort()).toEqual(['refused', 'taken']);
  });

  it('is waited for while the API server is away', async () => {
    const a = gone('a');
    world.onRequest = before({ verb: 'get', resource: LEASES }, () => {
      throw new KubeError(503, 'ServiceUnavailable', 'not now');
    });
    expect(await take(a)).toMatchObject({ outcome: 'failed', message: expect.stringContaining('not now') });
  });

  it('is of the cluster, whose name may be none that a Lease can have', async () => {
    const label = { 'machine.openshift.io/cluster-api-cluster': 'Prod_1' };
    const [a] = [member('a', { deleting: true, metadata: { labels: label } }), member('b'), member('c')];
    expect(await take(a)).toEqual({ outcome: 'taken' });
    const [only] = world.kube.all(LEASES);
    expect(only?.metadata.name).toMatch(/^control-plane-[0-9a-f]{16}$/);
  });
});
