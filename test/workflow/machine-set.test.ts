import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { aMachine } from '../world/builders/a-machine.ts';
import { aMachineSet } from '../world/builders/a-machine-set.ts';
import { answerLost, before } from '../world/kubernetes/request.ts';
import type { SetWorld } from '../world/set-world.ts';
import { realMachineSet, type MachineSetSpec } from './real-machine-set.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const setOf = (name: string, spec: MachineSetSpec = {}) => realMachineSet(temporal, name, { replicas: 3, ...spec });

/** The most Machines that were there at once from now on, those apart that are being deleted. */
function watchMost(world: SetWorld): () => number {
  let most = 0;
  world.kube.store.onChange(() => (most = Math.max(most, world.living.length)));
  return () => most;
}

const creations = (world: SetWorld) => world.requests.filter(({ verb }) => verb === 'create');
const surveys = (world: SetWorld) => world.requests.filter(({ verb }) => verb === 'list');

describe('a MachineSet', () => {
  it('creates as many Machines as it is asked for, and says so in its status', async () => {
    const { world, start } = setOf('grows');
    await start();
    await temporal.until(() => world.set?.status?.replicas === 3);
    expect(creations(world)).toHaveLength(3);
    expect(world.set?.status).toMatchObject({ labelSelector: 'set=grows', observedGeneration: 1 });
  });

  it('asks for the same names again when the answer to a creation was lost, and never has more than it should', async () => {
    const { world, start } = setOf('loses-answers');
    const most = watchMost(world);
    world.onRequest = answerLost({ verb: 'create', nth: 2 });
    await start();
    await temporal.until(() => world.set?.status?.replicas === 3);
    await temporal.pass(60);
    expect([most(), new Set(world.asked('create')).size]).toEqual([3, 3]);
  });

  it('backs off when the API server refuses a Machine, tells the refusal, and goes on by itself', async () => {
    const { world, start } = setOf('refused');
    const tries: number[] = [];
    world.onRequest = before({ verb: 'create' }, () => {
      if (tries.push(temporal.clock.now()) <= 3) throw new KubeError(403, 'Forbidden', 'exceeded quota');
    });
    await start();
    await temporal.until(() => world.set?.status?.errorReason !== undefined);
    expect(world.set?.status).toMatchObject({ errorReason: 'CreateError', errorMessage: 'Forbidden: exceeded quota' });
    await temporal.until(() => world.set?.status?.replicas === 3, { within: 120 });
    const waits = tries.slice(1).map((at, i) => (at - (tries[i] ?? 0)) / 1000);
    [5, 10, 20].forEach((least, i) => expect(waits[i]).toBeGreaterThanOrEqual(least));
    expect(world.set?.status?.errorReason).toBeUndefined();
    expect(world.events.map((e) => e.reason)).toEqual(['FailedCreate']);
  });

  it('does nothing while it is paused, and catches up afterwards', async () => {
    const { world, start } = setOf('paused');
    world.changeSetMeta({ annotations: { [PAUSED_ANNOTATION]: '' } });
    const handle = await start();
    await temporal.until(() => world.condition('Paused') !== undefined);
    await temporal.pass(3600);
    expect(creations(world)).toEqual([]);
    world.changeSetMeta({ annotations: {} });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.set?.status?.replicas === 3);
    expect(world.set?.status?.conditions?.map((c) => c.type)).toEqual(['MachinesCreated']);
  });

  it('asks for nothing while it is being deleted: the garbage collector takes its Machines', async () => {
    const { world, start } = setOf('leaves');
    world.changeSetMeta({ deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['foregroundDeletion'] });
    world.add('one');
    await start();
    await temporal.pass(60);
    expect([creations(world), world.asked('delete')]).toEqual([[], []]);
    expect(surveys(world).length).toBeLessThanOrEqual(1);
  });

  it('follows a scale down, and a scale up right after it, without ever exceeding what was asked', async () => {
    const { world, start } = setOf('scales', { replicas: 5 });
    const most = watchMost(world);
    const handle = await start();
    await temporal.until(() => world.living.length === 5);
    world.change({ replicas: 1 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.living.length === 1);
    world.change({ replicas: 5 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.set?.status?.replicas === 5 && world.living.length === 5);
    expect(most()).toBe(5);
    const told = world.events.filter(({ reason }) => reason === 'ReplicasChanged').map(({ message }) => message);
    expect(told).toEqual(['spec.replicas went from 5 to 1', 'spec.replicas went from 1 to 5']);
  });

  it('goes on at once with deletions for which time was up', async () => {
    const { world, start } = setOf('pauses-for-breath', { replicas: 1 });
    const names = Array.from({ length: 100 }, (_, i) => `m-${i}`);
    for (const name of names) world.add(name);
    // Two looks take as long as an activity has for all of them.
    let slow = 3;
    world.onRequest = before({ verb: 'list' }, async () => {
      if ((slow -= 1) >= 0) await temporal.clock.goAhead(40_000);
    });
    await start();
    await temporal.until(() => world.living.length === 1, { within: 300 });
    await temporal.pass(1);
    expect(slow).toBeLessThan(0);
  });

  it('keeps a place for a deleted Machine until its instance is asked to end', async () => {
    const { world, start } = setOf('holds', { replicas: 1 });
    const set = aMachineSet({ name: 'holds' });
    const leaving = (instanceState: string) =>
      aMachine({
        name: 'leaving',
        set,
        deleting: true,
        status: { providerStatus: { instanceId: 'i-1', instanceState } },
      });
    world.kube.put(leaving('running'));
    await start();
    await temporal.until(() => world.set?.status?.observedGeneration === 1);
    await temporal.pass(60);
    expect(world.living).toEqual([]);
    world.kube.put(leaving('shutting-down'));
    await temporal.until(() => world.living.length === 1, { within: 20 });
  });

  it('adopts what its selector selects and lets go of what it no longer does', async () => {
    const { world, start } = setOf('adopts', { replicas: 1 });
    world.add('orphan', { ownerReferences: [] });
    world.add('strayed', { labels: { set: 'others' } });
    const ownersOf = (name: string) => world.machine(name)?.metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
    await start();
    await temporal.until(() => ownersOf('orphan')[0] === world.ref.uid && ownersOf('strayed').length === 0);
    await temporal.until(() => world.set?.status?.replicas === 1);
    expect(creations(world)).toEqual([]);
  });

  it('counts a Machine as available minReadySeconds after it became ready, without a signal', async () => {
    const { world, start } = setOf('ripens', { replicas: 1, minReadySeconds: 60 });
    const lastTransitionTime = new Date(await temporal.now()).toISOString();
    const nodeReady = { type: 'NodeReady', status: 'True' as const, reason: 'Ready', message: '', lastTransitionTime };
    const status = { phase: 'Running' as const, nodeRef: { name: 'n', uid: 'u' }, conditions: [nodeReady] };
    world.kube.put(aMachine({ name: 'one', set: aMachineSet({ name: 'ripens' }), status }));
    await start();
    await temporal.until(() => world.set?.status?.readyReplicas === 1);
    expect(world.set?.status?.availableReplicas).toBe(0);
    await temporal.until(() => world.set?.status?.availableReplicas === 1, { within: 70 });
  });

  it('sleeps when all is as it should be, and ends with its object', async () => {
    const { world, start } = setOf('sleeps');
    const handle = await start();
    await temporal.until(() => world.set?.status?.replicas === 3);
    await temporal.pass(2);
    const asked = world.requests.length;
    await temporal.pass(3600);
    expect(world.requests).toHaveLength(asked);
    world.loseSet();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
  });
});

describe('a stored MachineSet that is not what its schema allows', () => {
  it('is left alone and told so once, goes on when it is mended, and is told of anew', async () => {
    const { world, start } = realMachineSet(temporal, 'mended', { replicas: 1 });
    const malform = () => world.change({ replicas: 'many' });
    malform();
    world.add('m-0');
    world.add('m-1');
    const handle = await start();
    await temporal.until(() => world.events.length === 1);
    await temporal.signal(handle, changedSignal);
    await temporal.pass(3600);
    expect(world.events.map((e) => e.reason)).toEqual(['FailedValidate']);
    expect(world.requests.filter(({ verb }) => verb !== 'get')).toEqual([]);
    world.change({ replicas: 1 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.living.length === 1);
    malform();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.events.length === 2);
  });
});
