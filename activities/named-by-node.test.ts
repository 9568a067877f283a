import { expect, test } from '@jest/globals';
import { KubeError } from '../k8s/kube-error.ts';
import { NODES } from '../k8s/resources.ts';
import type { MachineFacts } from '../test/world/builders/a-machine.ts';
import { aNode } from '../test/world/builders/a-node.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { MachineWorld } from '../test/world/machine-world.ts';
import { markedFor } from '../test/world/node-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { createMachineDeps } from './deps.ts';
import { createMachineActivities } from './machines.ts';
import { CLUSTER_UID } from '../test/world/world.ts';
import { given } from '../providers/given.ts';

/** A world with the Machine web, and Nodes of which one names it. */
function namedWorld(known?: MachineFacts, name = 'web'): MachineWorld {
  const world = new MachineWorld(name, ownClock(), given({ known }));
  world.kube.put(aNode({ name: 'first', annotations: markedFor('another') }));
  world.kube.put(aNode({ name: 'own', annotations: markedFor('web') }));
  return world;
}

const look = (world: MachineWorld, isFirst = true) => {
  const target = { ref: world.ref, clusterUid: CLUSTER_UID };
  return world.run((on) => on.observeMachine({ ...target, ...given({ isFirst: isFirst || undefined }) }));
};

test('a Machine of which nothing is on record is seen first with a Node that names it', async () => {
  expect(await look(namedWorld({}))).toMatchObject({ found: true, isNamedByNode: true });
  expect(await look(namedWorld({}), false)).not.toHaveProperty('isNamedByNode');
  expect(await look(namedWorld({}, 'other'))).not.toHaveProperty('isNamedByNode');
});

test('how old a Machine is at the first look, the API server’s time tells, or else the worker’s', async () => {
  const world = namedWorld({ metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } });
  const deps = createMachineDeps(world.deps);
  const at = (serverTime: number | undefined) => {
    const kube = { ...deps.kube, serverTime: () => serverTime };
    const own = createMachineActivities({ ...deps, kube });
    return own.observeMachine({ ref: world.ref, clusterUid: CLUSTER_UID, isFirst: true });
  };
  expect(await at(Date.parse('2026-01-01T00:01:40Z'))).toMatchObject({ ageMs: 100_000 });
  world.clock.set(Date.parse('2026-01-01T00:00:07Z') - world.clock.timeOfDay());
  const seen = await at(undefined);
  // The look itself takes a moment.
  expect(seen).toMatchObject({ ageMs: expect.any(Number) });
  expect(Math.floor((seen.found ? (seen.ageMs ?? 0) : 0) / 1000)).toBe(7);
  expect(await look(world, false)).not.toHaveProperty('ageMs');
});

test.each<[string, MachineFacts | undefined]>([
  ['has an instance on record', { instanceId: 'i-1' }],
  ['has a launch on record', { launch: {} }],
  ['has a Node on record', { status: { nodeRef: { kind: 'Node', name: 'own', uid: 'uid-of-own' } } }],
  ['names an instance', { providerID: 'simulated:///zone-a/i-1' }],
  ['is malformed', { spec: { providerSpec: 'text' } as object }],
  ['was made by a set just now', undefined],
])('one that %s is not looked for on Nodes: it costs no list', async (_what, known) => {
  const world = namedWorld(known);
  world.onRequest = before({ verb: 'list', resource: NODES }, () => {
    throw new KubeError(403, 'Forbidden', 'nodes must not be listed');
  });
  const seen = await look(world);
  expect(seen).toMatchObject({ found: true });
  expect(seen).not.toHaveProperty('isNamedByNode');
});
