import { expect, it } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NODES } from '../../../k8s/resources.ts';
import { busyMachine, drainedMachine, nodeOf } from '../../../test/workflow/drained-machine.ts';
import {
  balancedMachine,
  eventsOf,
  provisioned,
  runningMachine,
  statesOf,
} from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { ProviderError } from '../../../providers/provider-error.ts';
import { straight } from '../../../test/world/kubernetes/request.ts';
import { aNode } from '../../../test/world/builders/a-node.ts';
import { notSent } from '../../../test/world/world-cloud.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal } from '../../signals.ts';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { AGAIN, DONE } from '../answer.ts';
import { unlessForcedLater } from './forced.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const isThere = (world: MachineWorld) => world.kube.peek(MACHINES, 'default', world.ref.name) !== undefined;
const DOWN = [
  { action: 'terminate', code: 'InternalError' },
  { action: 'describe', code: 'InternalError' },
] as const;
const nodeIn = (world: MachineWorld) => world.kube.peek(NODES, undefined, nodeOf(world));

it('a forced deletion passes over hooks, and goes without a cloud that fails; its Node stays until the instance is gone', async () => {
  const lifecycleHooks = { preTerminate: [{ name: 'Copy', owner: 'the archive' }] };
  const spec = { deletionPolicy: 'forced', lifecycleHooks };
  const { world, handle } = await drainedMachine(temporal, 'by-force', {
    spec,
    whenRunning: ({ cloud }) => cloud.fail(...DOWN),
  });
  const id = world.instanceId;
  await temporal.pass(240);
  expect(isThere(world)).toBe(true);
  expect(world.condition('Deleting')?.message).toMatch(
    /; deletionPolicy is forced: the Machine goes without its cloud at 2\S+Z, if the cloud fails until then/,
  );
  const passedOver = { message: expect.stringContaining('hook Copy of the archive') };
  expect(eventsOf(world, 'PreTerminateHooksPassedOver')).toMatchObject([passedOver]);
  await temporal.until(() => !isThere(world), { within: 300 });
  expect(eventsOf(world, 'InstanceAbandoned')[0]?.message).toContain(`Instance ${id} may still run`);
  expect(eventsOf(world, 'PreTerminateHooksPassedOver')).toMatchObject([passedOver]);
  expect(nodeIn(world)).toMatchObject({
    metadata: { annotations: { 'millwright.dev/instance-unknown': id } },
    spec: { unschedulable: true },
  });
  await temporal.pass(3600);
  expect(nodeIn(world)).toBeDefined();
  world.cloud.fail();
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted', abandonedInstance: id });
  expect(nodeIn(world)).toBeUndefined();
});

it('what a forced deletion left is taken from behind its load balancers before it ends, as soon as these answer', async () => {
  const { world, handle } = await balancedMachine(temporal, 'by-force-behind', (w) =>
    w.edit({ spec: { deletionPolicy: 'forced' } }),
  );
  await temporal.until(() => world.condition('LoadBalancersAttached')?.status === 'True');
  const id = world.instanceId;
  const refuse = (...actions: string[]) => {
    world.cloud.onRequest = (request, carryOut) => {
      if (actions.includes(request.action)) throw new ProviderError('Unavailable', 'away');
      return carryOut();
    };
  };
  refuse('deregister', 'terminate', 'describe');
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => !isThere(world), { within: 600 });
  expect(world.cloud.balancers.behind).toEqual({ 'lb-1': [id], 'lb-2': [id] });
  // It costs more than what stands in a load balancer: it ends without these.
  refuse('deregister');
  await temporal.until(() => world.cloud.instance(id)?.state === 'terminated', { within: 600 });
  expect(world.cloud.balancers.behind).toEqual({ 'lb-1': [id], 'lb-2': [id] });
  world.cloud.onRequest = straight;
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted', abandonedInstance: id });
  expect(world.cloud.balancers.behind).toEqual({});
  const taken = world.cloud.balancers.calls.filter(({ action }) => action === 'deregister');
  expect(taken).toHaveLength(1);
});

it('a forced deletion whose call waits for its turn under the limits of a cloud that is well goes when its turn comes', async () => {
  const { world, handle } = await drainedMachine(temporal, 'by-force-in-turn', {
    spec: { deletionPolicy: 'forced' },
    whenRunning: ({ cloud }) => {
      cloud.onRequest = notSent('terminate', { times: 40, cloudCode: 'AwaitingTurn', retryAfterMs: 20_000 });
    },
  });
  await temporal.pass(600);
  expect([isThere(world), eventsOf(world, 'InstanceAbandoned')]).toEqual([true, []]);
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(world.cloud.instance(world.instanceId)?.state).toBe('terminated');
});

it('what a forced deletion left is gone only after looks over five minutes found nothing, in its own account', async () => {
  const { world, handle } = await drainedMachine(temporal, 'by-force-absent', {
    spec: { deletionPolicy: 'forced' },
    whenRunning: ({ cloud, kube, ref }) => {
      cloud.fail(...DOWN);
      const status = { providerStatus: { account: 'home' } };
      void kube.others.mergePatch(MACHINES, 'default', ref.name, { status }, { subresource: 'status' });
    },
  });
  await temporal.until(() => !isThere(world), { within: 600 });
  world.cloud.fail();
  world.cloud.vanish(world.instanceId);
  const leadTo = (account: string) =>
    world.replaceWorker({ ...world.cloud.provider, accountOf: () => Promise.resolve(account) });
  leadTo('another');
  await temporal.pass(3600);
  expect(nodeIn(world)).toBeDefined();
  leadTo('home');
  await temporal.pass(200);
  expect(nodeIn(world)).toBeDefined();
  await expect(temporal.resultOf(handle)).resolves.toMatchObject({ outcome: 'deleted' });
  expect(nodeIn(world)).toBeUndefined();
});

it.each([
  ['joins', 'late', provisioned],
  ['is registered anew', 'anew', runningMachine],
] as const)('a Node that %s while the cloud fails goes with the instance, too', async (_what, name, begun) => {
  const { world, handle } = await begun(temporal, `by-force-${name}`);
  await world.edit({ spec: { deletionPolicy: 'forced' } });
  world.cloud.fail(...DOWN);
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.pass(60);
  const providerID = `simulated:///zone-a/${world.instanceId}`;
  world.kube.put(aNode({ name: nodeOf(world), providerID, metadata: { uid: `uid-of-${name}` } }));
  await temporal.until(() => !isThere(world), { within: 600 });
  expect(nodeIn(world)).toMatchObject({
    metadata: { annotations: { 'millwright.dev/instance-unknown': world.instanceId } },
  });
  world.cloud.fail();
  await expect(temporal.resultOf(handle)).resolves.toMatchObject({ outcome: 'deleted' });
  expect(nodeIn(world)).toBeUndefined();
});

it('a forced deletion that is asked for by spec.delete goes without its cloud as well, whatever its workflow knows', async () => {
  const { world } = await runningMachine(temporal, 'by-force-asked');
  await temporal.endAll();
  world.cloud.fail(...DOWN);
  await world.edit({ spec: { delete: true, deletionPolicy: 'forced' } });
  const handle = await temporal.startMachine(world);
  await temporal.until(() => !isThere(world), { within: 600 });
  expect(eventsOf(world, 'InstanceAbandoned')[0]?.message).toContain(world.instanceId);
  world.cloud.fail();
  await temporal.until(() => nodeIn(world) === undefined, { within: 7200 });
  await expect(temporal.resultOf(handle)).resolves.toMatchObject({ outcome: 'deleted' });
});

it('a forced deletion that never came to its hooks names them, once, when it goes', async () => {
  const { world } = await runningMachine(temporal, 'by-force-hooked');
  await temporal.endAll();
  world.cloud.fail(...DOWN);
  const lifecycleHooks = {
    preDrain: [{ name: 'Quorum', owner: 'etcd' }],
    preTerminate: [{ name: 'Copy', owner: 'the archive' }],
  };
  await world.edit({ spec: { deletionPolicy: 'forced', lifecycleHooks } });
  await world.delete();
  await temporal.startMachine(world);
  await temporal.until(() => !isThere(world), { within: 600 });
  const told = ['PreDrainHooksPassedOver', 'PreTerminateHooksPassedOver'].map((reason) => eventsOf(world, reason));
  expect(told).toMatchObject([
    [{ message: expect.stringContaining('hook Quorum of etcd') }],
    [{ message: expect.stringContaining('hook Copy of the archive') }],
  ]);
});

it('what a forced deletion left is looked after also while others hold the Machine', async () => {
  const { world, handle } = await busyMachine(temporal, 'by-force-held');
  const finalizers = [...(world.object?.metadata.finalizers ?? []), 'example.com/theirs'];
  await world.edit({ metadata: { finalizers }, spec: { deletionPolicy: 'forced' } });
  world.cloud.fail(...DOWN);
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.reason === 'HeldByFinalizers', { within: 600 });
  expect(nodeIn(world)).toMatchObject({
    metadata: { annotations: { 'millwright.dev/instance-unknown': world.instanceId } },
  });
  world.cloud.fail();
  await temporal.until(() => nodeIn(world) === undefined, { within: 7200 });
  expect(statesOf(world)).toEqual(['terminated']);
  await world.edit({ metadata: { finalizers: null } });
  await temporal.signal(handle, changedSignal);
  const abandonedInstance = world.instanceId;
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted', abandonedInstance });
});

it('what a preparation leaves to a forced deletion comes in that, and in the preparation of any other', async () => {
  const phase = unlessForcedLater(() => AGAIN);
  expect(await phase(aPass({ machine: { deletionPolicy: 'forced' } }))).toBe(DONE);
  expect(await phase(aPass({ machine: { deletionPolicy: 'forced', deletedAt: 'then' } }))).toBe(AGAIN);
  expect(await phase(aPass())).toBe(AGAIN);
});
