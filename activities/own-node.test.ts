import { beforeEach, describe, expect, it } from '@jest/globals';
import { NODES } from '../k8s/resources.ts';
import { aNode } from '../test/world/builders/a-node.ts';
import { metadataOf } from '../test/world/builders/metadata.ts';
import type { GivenObject } from '../test/world/kubernetes/registry.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { markedFor, NodeWorld, providerIDOf, type OwnerFacts } from '../test/world/node-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { WITH_ROOMS } from '../test/second-api/k8s/dialects/registry.ts';
import { server } from '../test/second-api/k8s/dialects/rooms/server.ts';
import { given } from '../providers/given.ts';
import type { NodeTarget } from '../workflows/machine/node-activities.ts';
import { OBJECT_CHANGED } from '../workflows/failure-types.ts';
import { createMachineDeps } from './deps.ts';
import { createOwnNodes } from './own-node.ts';

let world: NodeWorld;
beforeEach(() => {
  world = new NodeWorld(ownClock(), { apis: WITH_ROOMS });
});

const remove = (target: NodeTarget) => world.run((on) => on.letGo({ ...target, events: [] }));

/** Which Node a Machine has, or whom it is left to. */
const look = (target: NodeTarget) =>
  world.run(async () => {
    const deps = createMachineDeps(world.deps);
    const { machine } = await deps.reader.live(target);
    return createOwnNodes(deps).look(machine, target);
  });

/** The same, for what takes pods from it. */
const lookToEmpty = (target: NodeTarget) =>
  world.run(async () => {
    const deps = createMachineDeps(world.deps);
    const { machine } = await deps.reader.live(target);
    return createOwnNodes(deps).lookToEmpty(machine, target);
  });

describe('the Node that is deleted with its Machine', () => {
  it('is the one it is linked with, or the one that registered anew from its instance', async () => {
    const own = world.node('own', 'i-1', markedFor('web'));
    world.node('other', 'i-2');
    await remove(world.machine('web', { nodeRef: own }));
    expect(world.nodeNames).toEqual(['other']);
    world.node('anew', 'i-3');
    await remove(world.machine('db', { instance: 'i-3', nodeRef: { name: 'anew', uid: 'uid-before' } }));
    expect(world.nodeNames).toEqual(['other']);
    await remove(world.machine('db', { instance: 'i-3' }));
    expect(world.nodeNames).toEqual(['other']);
  });

  it('is none that an edited providerID names', async () => {
    world.node('control-plane', 'i-control-plane');
    await remove(world.machine('web', { providerID: providerIDOf('i-control-plane') }));
    await remove(world.addMachine({ name: 'web', providerID: providerIDOf('i-control-plane') }));
    expect(world.nodeNames).toEqual(['control-plane']);
  });

  it('is none that only an edited nodeRef names: it runs on another instance', async () => {
    const own = world.node('control-plane', 'i-control-plane');
    await remove(world.machine('web', { nodeRef: own }));
    expect(world.nodeNames).toEqual(['control-plane']);
  });

  it('is none of a Machine that has no instance on record, and none that took the name of its Node', async () => {
    const own = world.node('named', undefined);
    await remove(world.machine('web', { nodeRef: own, instance: null }));
    expect(world.nodeNames).toEqual(['named']);
    await remove(world.machine('db', { nodeRef: { name: 'named', uid: 'uid-before' } }));
    expect(world.nodeNames).toEqual(['named']);
  });

  it('is not told to be none where somebody took from the Machine which instance it has', async () => {
    const own = world.node('own', 'i-1', markedFor('web'));
    const { ref, clusterUid } = world.machine('web', { nodeRef: own, instance: null });
    const lost = { type: OBJECT_CHANGED, message: expect.stringContaining('its instance i-1 any more') };
    await expect(look({ ref, clusterUid, ownInstance: 'i-1' })).rejects.toMatchObject(lost);
    expect(await look({ ref, clusterUid })).toEqual({});
  });

  it('is none that names an instance on record beside a launch, where the workflow did not prove that it is the Machine’s', async () => {
    const own = world.node('control-plane', 'i-1');
    const { ref, clusterUid } = world.machine('web', { nodeRef: own });
    await remove({ ref, clusterUid });
    await remove({ ref, clusterUid, ownInstance: 'i-2' });
    expect(world.nodeNames).toEqual(['control-plane']);
    world.node('control-plane', 'i-1', markedFor('web'));
    await remove({ ref, clusterUid });
    expect(world.nodeNames).toEqual([]);
  });

  it('is none of an instance that is only on record, without a launch of ours or our mark on the Node', async () => {
    const own = world.node('control-plane', 'i-1');
    await remove(world.machine('web', { launched: false, nodeRef: own }));
    expect(world.nodeNames).toEqual(['control-plane']);
    world.node('control-plane', 'i-1', markedFor('web'));
    await remove(world.machine('web', { launched: false, nodeRef: own }));
    expect(world.nodeNames).toEqual([]);
  });

  it('is none that another Machine claims: by the Node’s mark and its nodeRef, or by its instance on record', async () => {
    const own = world.node('shared', 'i-1', markedFor('other'));
    world.machine('other', { instance: 'i-2', nodeRef: own });
    await remove(world.machine('web', { nodeRef: own }));
    expect(world.nodeNames).toEqual(['shared']);
    world.node('shared', 'i-1');
    world.machine('other', { instance: 'i-1' });
    await remove(world.machine('web', { nodeRef: own }));
    expect(world.nodeNames).toEqual(['shared']);
    world.machine('other', { instance: 'i-2' });
    await remove(world.machine('web', { nodeRef: own }));
    expect(world.nodeNames).toEqual([]);
  });

  it('is none that took the name of its Node between the look and the deletion', async () => {
    const own = world.node('own', 'i-1', markedFor('web'));
    const target = world.machine('web', { nodeRef: own });
    world.onRequest = before({ verb: 'delete', resource: NODES }, () => {
      world.kube.put(aNode({ name: 'own', metadata: { uid: 'uid-of-younger' }, providerID: providerIDOf('i-1') }));
    });
    await remove(target);
    expect(world.kube.peek(NODES, undefined, 'own')?.metadata.uid).toBe('uid-of-younger');
  });

  it('stays where the Machine was paused meanwhile', async () => {
    const own = world.node('own', 'i-1', markedFor('web'));
    await expect(remove(world.machine('web', { nodeRef: own, paused: true }))).rejects.toThrow('it is paused');
    expect(world.nodeNames).toEqual(['own']);
  });
});

describe('the Node that a Machine is linked with', () => {
  it('is its own before the cloud has named its instance, if it says so: the link may have been edited', async () => {
    const stranger = world.node('stranger', undefined);
    expect(await look(world.machine('web', { nodeRef: stranger }))).toEqual({});
    const others = world.node('of-another', undefined, markedFor('db'));
    expect(await look(world.machine('web', { nodeRef: others }))).toEqual({});
    const own = world.node('own', undefined, markedFor('web'));
    expect(await look(world.machine('web', { nodeRef: stranger }))).toMatchObject({ node: { metadata: own } });
    expect(await look(world.machine('web', { nodeRef: own }))).toMatchObject({ node: { metadata: own } });
  });

  it('is its own where another one names the same instance', async () => {
    const own = world.node('own', 'i-1');
    world.node('double', 'i-1');
    const web = world.machine('web', { nodeRef: own });
    expect(await look(web)).toMatchObject({ node: { metadata: own } });
    const ambiguous = 'several Nodes match by instance i-1: double, own';
    expect(await look(world.machine('web'))).toEqual({ ambiguous });
  });

  it('is not emptied while it is not heard of and another one of its instance is Ready, which may be the machine’s by now', async () => {
    const own = world.node('own', 'i-1');
    const is = (name: string, ready: 'True' | 'False' | 'Unknown') =>
      world.kube.put(aNode({ name, providerID: providerIDOf('i-1'), ready }));
    world.node('anew', 'i-1');
    const web = world.machine('web', { nodeRef: own });
    is('own', 'Unknown');
    is('anew', 'Unknown');
    expect(await lookToEmpty(web)).toMatchObject({ node: { metadata: { name: 'own' } } });
    is('anew', 'True');
    expect(await lookToEmpty(web)).toEqual({
      ambiguous: 'Node own is not heard of, and Node anew of the same instance i-1 is Ready',
    });
    // What is on it can be taken back all the same.
    expect(await look(web)).toMatchObject({ node: { metadata: { name: 'own' } } });
    is('own', 'False');
    expect(await lookToEmpty(web)).toMatchObject({ node: { metadata: { name: 'own' } } });
    is('own', 'Unknown');
    world.kube.drop(NODES, undefined, 'own');
    expect(await lookToEmpty(web)).toMatchObject({ node: { metadata: { name: 'anew' } } });
  });

  it('is emptied while it is not heard of, where the Ready one is of another instance, or is itself by now', async () => {
    const own = world.node('own', 'i-1');
    const web = world.machine('web', { nodeRef: own });
    const silent = aNode({ name: 'own', providerID: providerIDOf('i-1'), ready: 'Unknown' });
    world.kube.put(silent);
    world.node('of-another', 'i-2');
    expect(await lookToEmpty(web)).toMatchObject({ node: { metadata: own } });
    world.onRequest = before({ verb: 'list', resource: NODES }, () => void world.node('own', 'i-1'));
    expect(await lookToEmpty(web)).toMatchObject({ node: { metadata: own } });
    expect(world.storedNode('own')?.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  });

  it('is emptied by its mark, whichever other one names an instance that was not proved to be the Machine’s', async () => {
    const annotations = markedFor('web');
    world.kube.put(aNode({ name: 'own', providerID: providerIDOf('i-1'), annotations, ready: 'Unknown' }));
    world.node('anew', 'i-1');
    const { ref, clusterUid } = world.machine('web', { nodeRef: { name: 'own', uid: 'uid-of-own' } });
    for (const proof of [{}, { ownInstance: 'i-2' }]) {
      const found = await lookToEmpty({ ref, clusterUid, ...proof });
      expect(found).toMatchObject({ node: { metadata: { name: 'own' } } });
    }
  });

  it('is none of several that name the instance, where that was not proved to be the Machine’s: nobody waits for these', async () => {
    world.node('own', 'i-1');
    world.node('double', 'i-1');
    const { ref, clusterUid } = world.machine('web');
    expect(await look({ ref, clusterUid })).toEqual({});
    expect(await look({ ref, clusterUid, ownInstance: 'i-2' })).toEqual({});
  });

  it('is its own where another one says, too, that it is the Machine’s, and neither names an instance', async () => {
    const own = world.node('own', undefined, markedFor('web'));
    world.node('double', undefined, markedFor('web'));
    expect(await look(world.machine('web', { nodeRef: own }))).toMatchObject({ node: { metadata: own } });
  });

  it('is not one that took the name of it, where another one names the same instance', async () => {
    const { name } = world.node('own', 'i-1');
    world.node('double', 'i-1');
    const ambiguous = 'several Nodes match by instance i-1: double, own';
    expect(await look(world.machine('web', { nodeRef: { name, uid: 'uid-before' } }))).toEqual({ ambiguous });
  });

  it('is not its own where another Node took the name, and one of the instance is', async () => {
    const { name } = world.node('own', undefined);
    const anew = world.node('anew', 'i-1');
    const web = world.machine('web', { nodeRef: { name, uid: 'uid-before' } });
    expect(await look(web)).toMatchObject({ node: { metadata: anew } });
  });
});

describe('a Node that two Machines have to do with', () => {
  it('is that of the one that launched its instance and is named by it, whatever another has on record', async () => {
    const own = world.node('shared', 'i-1', markedFor('web'));
    const web = world.machine('web');
    world.machine('other');
    expect(await look(web)).toMatchObject({ node: { metadata: own } });
  });

  it.each<[string, OwnerFacts, Readonly<Record<string, string>>, NodeTarget['ownInstance']]>([
    ['launched nothing', { launched: false }, markedFor('web'), 'i-1'],
    ['is not named by it', {}, {}, 'i-1'],
    ['did not prove the instance to be its own', {}, markedFor('web'), undefined],
    ['proved another one to be its own', {}, markedFor('web'), 'i-2'],
  ])(
    'is left to the other one that has its instance on record, by the one that %s',
    async (_what, facts, marks, own) => {
      world.node('shared', 'i-1', marks);
      const { ref, clusterUid } = world.machine('web', facts);
      world.machine('other');
      expect(await look({ ref, clusterUid, ...given({ ownInstance: own }) })).toEqual({ leftTo: 'default/other' });
    },
  );

  it('is left to no Machine whose record names no instance: neither does the Node', async () => {
    const own = world.node('own', undefined, markedFor('web'));
    const { ref, clusterUid } = world.machine('web', { nodeRef: own });
    world.machine('other', { instance: '' });
    expect(await look({ ref, clusterUid })).toMatchObject({ node: { metadata: own } });
  });

  it('is left to the one of another API that has the same namespace and name', async () => {
    const { apiVersion, kind } = server.resource;
    const own = world.node('shared', 'i-1', { ...markedFor('web'), [server.nodeAnnotation]: 'default/web' });
    const web = world.machine('web');
    const other = { apiVersion, kind, metadata: metadataOf('web', { uid: 'uid-of-the-server' }), spec: {} };
    world.kube.put({ ...other, status: { kubelet: own } } as GivenObject);
    expect(await look(web)).toEqual({ leftTo: 'default/web' });
    world.kube.put(other);
    expect(await look(web)).toMatchObject({ node: { metadata: own } });
  });
});
