import { beforeEach, describe, expect, it } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { MACHINE_ANNOTATION } from '../k8s/dialects/openshift/labels.ts';
import { NODES } from '../k8s/resources.ts';
import type { MachineFacts } from '../test/world/builders/a-machine.ts';
import { aNode } from '../test/world/builders/a-node.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';

let world: World;
beforeEach(() => {
  world = new World(ownClock());
});

const providerIDOf = (id: string) => `simulated:///zone-a/${id}`;
const markedFor = (name: string, namespace = 'default') => ({ [MACHINE_ANNOTATION]: `${namespace}/${name}` });

interface Given extends MachineFacts {
  /** The instance on record; null: none. */
  readonly instance?: string | null;
  /** A launch of ours is on record. @default true */
  readonly launched?: boolean;
  readonly nodeRef?: { readonly name: string; readonly uid: string };
}

function machine(name: string, { instance = 'i-1', launched = true, nodeRef, ...facts }: Given = {}): MachineTarget {
  return world.addMachine({
    name,
    providerID: providerIDOf(instance ?? 'i-1'),
    ...(instance === null ? {} : { instanceId: instance }),
    ...(launched ? { launch: {} } : {}),
    status: { phase: 'Running', ...(nodeRef === undefined ? {} : { nodeRef }) },
    ...facts,
  });
}

/** A Node of an instance. */
function node(name: string, instance: string | undefined, annotations: Record<string, string> = {}) {
  const registered = aNode({
    name,
    annotations,
    ...(instance === undefined ? {} : { providerID: providerIDOf(instance) }),
  });
  world.kube.put(registered);
  return { name, uid: registered.metadata.uid };
}

const join = (target: MachineTarget) => world.run((on) => on.joinNode({ ...target, addresses: ['10.0.0.1'] }));
const remove = (target: MachineTarget) => world.run((on) => on.letGo({ ...target, events: [] }));
const nodes = () => world.kube.all(NODES).map(({ metadata }) => metadata.name);
const annotationsOf = (name: string) => world.kube.peek(NODES, undefined, name)?.metadata.annotations ?? {};

describe('a Machine of which nothing is on record', () => {
  const look = (target: MachineTarget, isFirst = true) =>
    world.run((on) => on.observeMachine({ ...target, ...(isFirst ? { isFirst } : {}) }));

  it('is seen first with a Node that names it', async () => {
    const target = world.addMachine({ name: 'web' });
    node('own', 'i-1', markedFor('web'));
    expect(await look(target)).toMatchObject({ isNamedByNode: true });
    expect(await look(world.addMachine({ name: 'other' }))).not.toHaveProperty('isNamedByNode');
    expect(await look(target, false)).not.toHaveProperty('isNamedByNode');
  });

  it.each<[string, Given]>([
    ['its instance', { launched: false }],
    ['its providerID', { instance: null, launched: false }],
  ])('is another than one that names %s, which costs no list of Nodes', async (_what, given) => {
    node('own', 'i-1', markedFor('web'));
    world.onRequest = before({ verb: 'list', resource: NODES }, () => {
      throw new KubeError(403, 'Forbidden', 'nodes must not be listed');
    });
    expect(await look(machine('web', given))).not.toHaveProperty('isNamedByNode');
  });
});

describe('the Node that joins', () => {
  it('is that of the instance on record, whatever the providerID was edited to', async () => {
    const target = machine('web', { providerID: providerIDOf('i-control-plane') });
    node('control-plane', 'i-control-plane');
    expect(await join(target)).toEqual({ outcome: 'none' });
    node('own', 'i-1');
    expect(await join(target)).toMatchObject({ outcome: 'joined', node: { name: 'own' } });
    expect(annotationsOf('own')).toEqual(markedFor('web'));
    expect(annotationsOf('control-plane')).toEqual({});
  });

  it('is that of an instance that was recorded after the look with which the pass began', async () => {
    const target = world.addMachine({ name: 'web' });
    await world.run((on) => on.observeMachine(target));
    machine('web');
    node('own', 'i-1');
    expect(await join(target)).toMatchObject({ outcome: 'joined', node: { name: 'own' } });
  });

  it('is none of a Machine that has no instance on record', async () => {
    const target = world.addMachine({ name: 'web', providerID: providerIDOf('i-1') });
    node('named', 'i-1');
    expect(await join(target)).toEqual({ outcome: 'none' });
    expect(annotationsOf('named')).toEqual({});
  });

  it('is none that another Machine claims: by its nodeRef, or by the instance that it has on record', async () => {
    const own = node('shared', 'i-1', markedFor('other'));
    const claimed = { outcome: 'ambiguous', message: expect.stringContaining('default/other') };
    machine('other', { instance: 'i-2', nodeRef: own });
    expect(await join(machine('web'))).toEqual(claimed);
    machine('other', { instance: 'i-1' });
    expect(await join(machine('web'))).toEqual(claimed);
    machine('other', { instance: 'i-2' });
    expect(await join(machine('web'))).toMatchObject({ outcome: 'joined' });
  });

  it('is left alone where the Machine was paused meanwhile', async () => {
    node('own', 'i-1');
    await expect(join(machine('web', { paused: true }))).rejects.toThrow('it is paused');
    expect(annotationsOf('own')).toEqual({});
  });
});

describe('the Node that is deleted with its Machine', () => {
  it('is the one it is linked with, or the one that registered anew from its instance', async () => {
    const own = node('own', 'i-1', markedFor('web'));
    node('other', 'i-2');
    await remove(machine('web', { nodeRef: own }));
    expect(nodes()).toEqual(['other']);
    node('anew', 'i-3');
    await remove(machine('db', { instance: 'i-3', nodeRef: { name: 'anew', uid: 'uid-before' } }));
    expect(nodes()).toEqual(['other']);
    await remove(machine('db', { instance: 'i-3' }));
    expect(nodes()).toEqual(['other']);
  });

  it('is none that an edited providerID names', async () => {
    node('control-plane', 'i-control-plane');
    await remove(machine('web', { providerID: providerIDOf('i-control-plane') }));
    await remove(world.addMachine({ name: 'web', providerID: providerIDOf('i-control-plane') }));
    expect(nodes()).toEqual(['control-plane']);
  });

  it('is none that only an edited nodeRef names: it runs on another instance', async () => {
    const own = node('control-plane', 'i-control-plane');
    await remove(machine('web', { nodeRef: own }));
    expect(nodes()).toEqual(['control-plane']);
  });

  it('is none of a Machine that has no instance on record, and none that took the name of its Node', async () => {
    const own = node('named', undefined);
    await remove(machine('web', { nodeRef: own, instance: null }));
    expect(nodes()).toEqual(['named']);
    await remove(machine('db', { nodeRef: { name: 'named', uid: 'uid-before' } }));
    expect(nodes()).toEqual(['named']);
  });

  it('is none of an instance that is only on record, without a launch of ours or our mark on the Node', async () => {
    const own = node('control-plane', 'i-1');
    await remove(machine('web', { launched: false, nodeRef: own }));
    expect(nodes()).toEqual(['control-plane']);
    node('control-plane', 'i-1', markedFor('web'));
    await remove(machine('web', { launched: false, nodeRef: own }));
    expect(nodes()).toEqual([]);
  });

  it('is none that another Machine claims: by the Node’s mark and its nodeRef, or by its instance on record', async () => {
    const own = node('shared', 'i-1', markedFor('other'));
    machine('other', { instance: 'i-2', nodeRef: own });
    await remove(machine('web', { nodeRef: own }));
    expect(nodes()).toEqual(['shared']);
    node('shared', 'i-1');
    machine('other', { instance: 'i-1' });
    await remove(machine('web', { nodeRef: own }));
    expect(nodes()).toEqual(['shared']);
    machine('other', { instance: 'i-2' });
    await remove(machine('web', { nodeRef: own }));
    expect(nodes()).toEqual([]);
  });

  it('is none that took the name of its Node between the look and the deletion', async () => {
    const own = node('own', 'i-1', markedFor('web'));
    const target = machine('web', { nodeRef: own });
    world.onRequest = before({ verb: 'delete', resource: NODES }, () => {
      world.kube.put(aNode({ name: 'own', metadata: { uid: 'uid-of-younger' }, providerID: providerIDOf('i-1') }));
    });
    await remove(target);
    expect(world.kube.peek(NODES, undefined, 'own')?.metadata.uid).toBe('uid-of-younger');
  });

  it('stays where the Machine was paused meanwhile', async () => {
    const own = node('own', 'i-1', markedFor('web'));
    await expect(remove(machine('web', { nodeRef: own, paused: true }))).rejects.toThrow('it is paused');
    expect(nodes()).toEqual(['own']);
  });
});
