import { beforeEach, describe, expect, it } from '@jest/globals';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../k8s/kube-error.ts';
import {
  INSTANCE_UNKNOWN_ANNOTATION,
  MARKS_ANNOTATION,
  OUT_OF_SERVICE,
  OUT_OF_SERVICE_ANNOTATION,
} from '../k8s/model/node.ts';
import { NODES } from '../k8s/resources.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { refOf } from '../test/world/builders/metadata.ts';
import { before, isWrite } from '../test/world/kubernetes/request.ts';
import { markedFor, NodeWorld, providerIDOf } from '../test/world/node-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID } from '../test/world/world.ts';
import type { NodeTarget } from '../workflows/machine/node-activities.ts';

let world: NodeWorld;
beforeEach(() => {
  world = new NodeWorld(ownClock());
});

const ADDRESSES = [
  { type: 'InternalIP', address: '10.0.0.1' },
  { type: 'InternalDNS', address: 'Host-1.internal' },
  { type: 'Hostname', address: 'host-1.internal' },
] as const;
const join = (target: NodeTarget) => world.run((on) => on.joinNode({ ...target, addresses: ADDRESSES }));
const annotationsOf = (name: string) => world.storedNode(name)?.metadata.annotations ?? {};

describe('the Node that joins', () => {
  it('is that of the instance on record, whatever the providerID was edited to', async () => {
    const target = world.machine('web', { providerID: providerIDOf('i-control-plane') });
    world.node('control-plane', 'i-control-plane');
    expect(await join(target)).toEqual({ outcome: 'none' });
    world.node('own', 'i-1');
    expect(await join(target)).toMatchObject({ outcome: 'joined', node: { name: 'own' } });
    expect(annotationsOf('own')).toEqual(markedFor('web'));
    expect(annotationsOf('control-plane')).toEqual({});
  });

  it('is read by the name of its host, and the others are not listed for it', async () => {
    world.node('host-1.internal', 'i-1');
    world.node('stranger', 'i-1');
    const target = world.machine('web');
    expect(await join(target)).toMatchObject({ outcome: 'joined', node: { name: 'host-1.internal' } });
    const ofNodes = world.requests.filter(({ resource }) => resource === NODES);
    expect(ofNodes.map(({ verb }) => verb)).toEqual(['get', 'mergePatch']);
  });

  it('is looked for among all where the one with the name of its host is gone, goes, or names another instance', async () => {
    const target = world.machine('web');
    world.node('own', 'i-1');
    expect(await join(target)).toMatchObject({ outcome: 'joined', node: { name: 'own' } });
    world.node('host-1.internal', 'i-0');
    expect(await join(target)).toMatchObject({ outcome: 'joined', node: { name: 'own' } });
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/theirs'] };
    world.node('host-1.internal', 'i-1', {}, { metadata });
    expect(await join(target)).toMatchObject({ outcome: 'joined', node: { name: 'own' } });
  });

  it('is the one with an address of the instance, where no other word tells, and it is not older than the launch', async () => {
    const target = world.machine('web');
    world.node('own', undefined);
    const status = { addresses: ADDRESSES.slice(0, 1) };
    await world.kube.others.mergePatch(NODES, undefined, 'own', { status }, { subresource: 'status' });
    const joinSince = (notBefore: string) =>
      world.run((on) => on.joinNode({ ...target, addresses: ADDRESSES, notBefore }));
    expect(await joinSince('2100-01-01T00:00:00Z')).toEqual({ outcome: 'none' });
    expect(await joinSince('2000-01-01T00:00:00Z')).toMatchObject({ outcome: 'joined', node: { name: 'own' } });
  });

  it('is that of an instance that was recorded after the look with which the pass began', async () => {
    await world.run((on) => on.observeMachine(world.addMachine({ name: 'web' })));
    const target = world.machine('web');
    world.node('own', 'i-1');
    expect(await join(target)).toMatchObject({ outcome: 'joined', node: { name: 'own' } });
  });

  it('is none of an instance on record that was not proved to be the Machine’s', async () => {
    const { ref, clusterUid } = world.machine('web');
    world.node('control-plane', 'i-1');
    for (const proof of [{}, { ownInstance: 'i-2' }]) {
      expect(await join({ ref, clusterUid, ...proof })).toEqual({ outcome: 'none' });
    }
    expect(annotationsOf('control-plane')).toEqual({});
  });

  it('is none of a Machine that has no instance on record', async () => {
    const target = world.addMachine({ name: 'web', providerID: providerIDOf('i-1') });
    world.node('named', 'i-1');
    expect(await join(target)).toEqual({ outcome: 'none' });
    expect(annotationsOf('named')).toEqual({});
  });

  it('is none that another Machine claims: by its nodeRef, or by the instance that it has on record', async () => {
    const own = world.node('shared', 'i-1', markedFor('other'));
    const claimed = { outcome: 'ambiguous', message: expect.stringContaining('default/other') };
    world.machine('other', { instance: 'i-2', nodeRef: own });
    expect(await join(world.machine('web'))).toEqual(claimed);
    world.machine('other', { instance: 'i-1' });
    expect(await join(world.machine('web'))).toEqual(claimed);
    world.machine('other', { instance: 'i-2' });
    expect(await join(world.machine('web'))).toMatchObject({ outcome: 'joined' });
  });

  it('is left alone where the Machine was paused meanwhile', async () => {
    world.node('own', 'i-1');
    await expect(join(world.machine('web', { paused: true }))).rejects.toThrow('it is paused');
    expect(annotationsOf('own')).toEqual({});
  });
});

describe('a Node that joins', () => {
  const POOL = { key: 'example.com/pool', value: 'gpu', effect: 'NoSchedule' } as const;
  const RACK = { key: 'example.com/rack', value: 'r1', effect: 'PreferNoSchedule' } as const;
  const THEIRS = { key: 'node.cilium.io/agent-not-ready', effect: 'NoExecute' } as const;
  const labels = { pool: 'gpu' };
  const spec = { metadata: { labels, annotations: { rack: 'r1' } }, taints: [POOL, RACK] };
  const marks = { rack: 'r1', ...markedFor('web') };
  const kept = { labels, annotations: { rack: 'r1' } };
  const recorded = { [MARKS_ANNOTATION]: JSON.stringify({ ...kept, taints: [POOL, RACK] }) };
  const meanwhile = (act: () => unknown) => {
    world.onRequest = before({ verb: 'mergePatch', resource: NODES, nth: 1 }, async () => void (await act()));
  };

  it('gets the labels, annotations and taints that its Machine asks for, beside what it has', async () => {
    world.node('own', 'i-1', { by: 'others' }, { metadata: { labels: { by: 'others' } }, spec: { taints: [THEIRS] } });
    expect(await join(world.machine('web', { spec }))).toMatchObject({ outcome: 'joined', node: { inSync: true } });
    expect(world.storedNode('own')).toMatchObject({
      metadata: { labels: { by: 'others', ...labels }, annotations: { by: 'others', ...marks, ...recorded } },
      spec: { taints: [THEIRS, POOL, RACK] },
    });
    expect(world.managersOf('own')).toContain('millwright-node');
  });

  it('gets a taint in the place of one of the same key and effect, and of no other', async () => {
    const kept = [THEIRS, { ...POOL, effect: 'NoExecute' }, { ...THEIRS, effect: 'NoSchedule' }] as const;
    const taints = [{ ...POOL, value: 'cpu' }, ...kept, { ...RACK, value: 'r0' }];
    world.node('own', 'i-1', {}, { spec: { taints } });
    await join(world.machine('web', { spec }));
    expect(world.storedNode('own')?.spec?.taints).toEqual([...kept, POOL, RACK]);
  });

  it('is not written where it has all that', async () => {
    world.node('own', 'i-1', marks, { metadata: { labels }, spec: { taints: [RACK, POOL] } });
    expect(await join(world.machine('web', { spec }))).toMatchObject({ outcome: 'joined', node: { inSync: true } });
    expect(world.requests.filter(isWrite)).toEqual([]);
  });

  it('keeps a taint that somebody puts there meanwhile: it is written by the look at it, or not at all', async () => {
    const tainted = () => world.editNode('own', { spec: { taints: [THEIRS] } });
    world.node('own', 'i-1');
    const target = world.machine('web', { spec });
    meanwhile(tainted);
    await expect(join(target)).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(world.storedNode('own')?.spec?.taints).toEqual([THEIRS]);
    expect(annotationsOf('own')).toEqual({});
    world.node('own', 'i-1', {}, { spec: { taints: [POOL, RACK] } });
    meanwhile(tainted);
    // It would write no taint, and what it remembers is of the taints that it saw.
    await expect(join(target)).rejects.toMatchObject({ type: 'ObjectChanged' });
    world.node('own', 'i-1', {}, { spec: { taints: [POOL, RACK, THEIRS] } });
    expect(await join(target)).toMatchObject({ outcome: 'joined' });
    expect(world.storedNode('own')?.spec?.taints).toEqual([POOL, RACK, THEIRS]);
    expect(annotationsOf('own')).toEqual({ ...marks, [MARKS_ANNOTATION]: JSON.stringify(kept) });
  });

  it('is marked whatever changes of it meanwhile, where no taint is written and nothing is to be remembered', async () => {
    world.node('own', 'i-1');
    meanwhile(() => world.editNode('own', { metadata: { labels: { by: 'others' } } }));
    expect(await join(world.machine('web'))).toMatchObject({ outcome: 'joined' });
    expect(annotationsOf('own')).toEqual(markedFor('web'));
    expect(world.storedNode('own')?.metadata.labels).toEqual({ by: 'others' });
  });

  it('is not written where another one took its name meanwhile', async () => {
    world.node('own', 'i-1');
    meanwhile(() => world.node('own', 'i-2', {}, { metadata: { uid: 'uid-of-younger' } }));
    await expect(join(world.machine('web'))).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(annotationsOf('own')).toEqual({});
  });

  it('is found by the look with which the pass began, where that showed an instance', async () => {
    world.node('own', 'i-1');
    const target = world.machine('web');
    await world.run((on) => on.observeMachine(target));
    world.onRequest = before({ verb: 'get', resource: MACHINES }, () => {
      throw new KubeError(500, 'InternalError', 'there is no other look');
    });
    expect(await join(target)).toMatchObject({ outcome: 'joined' });
  });
});

describe('the Node that is kept, for nobody knows whether its instance runs', () => {
  const BY_HAND = { key: 'example.com/broken', effect: 'NoExecute' } as const;
  const told = { ...markedFor('web'), [OUT_OF_SERVICE_ANNOTATION]: 'Machine default/web' };
  const keep = () => world.run((on) => on.letGo({ ...world.machine('web'), events: [], nodeMark: 'i-1 may run' }));
  const meanwhile = (act: () => unknown) => {
    world.onRequest = before({ verb: 'mergePatch', resource: NODES }, async () => void (await act()));
  };

  it('is cordoned and marked, and no more told of as dead', async () => {
    world.node('own', 'i-1', told, { spec: { taints: [BY_HAND, OUT_OF_SERVICE] } });
    await keep();
    expect(world.storedNode('own')?.spec).toMatchObject({ unschedulable: true, taints: [BY_HAND] });
    expect(annotationsOf('own')).toEqual({ ...markedFor('web'), [INSTANCE_UNKNOWN_ANNOTATION]: 'i-1 may run' });
    expect(world.managersOf('own')).toContain('millwright-node');
  });

  it('keeps what is put there meanwhile: its taints are written by the look at them, or not at all', async () => {
    world.node('own', 'i-1', told, { spec: { taints: [OUT_OF_SERVICE] } });
    meanwhile(() => world.editNode('own', { spec: { taints: [OUT_OF_SERVICE, BY_HAND] } }));
    await expect(keep()).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(world.storedNode('own')?.spec?.taints).toEqual([OUT_OF_SERVICE, BY_HAND]);
    world.node('own', 'i-1', markedFor('web'));
    const dead = { metadata: { annotations: told }, spec: { taints: [OUT_OF_SERVICE] } };
    meanwhile(() => world.editNode('own', dead));
    await keep();
    expect(world.storedNode('own')).toMatchObject({ ...dead, spec: { ...dead.spec, unschedulable: true } });
  });

  it('is no other that took its name meanwhile', async () => {
    world.node('own', 'i-1', markedFor('web'));
    meanwhile(() => world.node('own', 'i-2', {}, { metadata: { uid: 'uid-of-younger' } }));
    await expect(keep()).rejects.toMatchObject({ type: 'ObjectChanged' });
    expect(world.storedNode('own')?.spec).not.toHaveProperty('unschedulable');
    expect(annotationsOf('own')).toEqual({});
  });
});

describe('a Node that was kept', () => {
  const kept = { [INSTANCE_UNKNOWN_ANNOTATION]: 'i-1' };
  const end = (clusterUid = CLUSTER_UID) =>
    world.run((on) => on.deleteMarkedNode({ ref: refOf(aMachine({ name: 'web' })), clusterUid, instance: 'i-1' }));

  it('is deleted by the instance that its mark names, whatever it was registered as', async () => {
    world.node('own', 'i-1', kept);
    world.node('without-provider-id', undefined, kept);
    world.node('of-another', 'i-2', { [INSTANCE_UNKNOWN_ANNOTATION]: 'i-2' });
    world.node('taken-back', 'i-1');
    world.node('copied', 'i-2', kept);
    await end();
    expect(world.nodeNames).toEqual(['copied', 'of-another', 'taken-back']);
  });

  it('is no other that takes its name meanwhile', async () => {
    world.node('own', 'i-1', kept);
    world.onRequest = before({ verb: 'delete', resource: NODES }, () => {
      world.node('own', 'i-2', {}, { metadata: { uid: 'uid-of-younger' } });
    });
    await end();
    expect(world.nodeNames).toEqual(['own']);
  });

  it('is left to the worker of its cluster', async () => {
    world.node('own', 'i-1', kept);
    await expect(end('another')).rejects.toMatchObject({ type: 'ForeignCluster' });
    expect(world.nodeNames).toEqual(['own']);
  });

  it('is gone where somebody else deletes it meanwhile; any other answer is a failure', async () => {
    world.node('own', 'i-1', kept);
    const ends = { verb: 'delete', resource: NODES, nth: 1 } as const;
    world.onRequest = before(ends, () => {
      throw new KubeError(500, 'InternalError', 'not now');
    });
    await expect(end()).rejects.toThrow('not now');
    world.onRequest = before(ends, () => world.kube.drop(NODES, undefined, 'own'));
    await end();
    expect(world.nodeNames).toEqual([]);
  });
});
