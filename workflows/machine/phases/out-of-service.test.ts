import { describe, expect, it } from '@jest/globals';
import { NODES, PODS } from '../../../k8s/resources.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { drainedMachine, nodeOf, relax, report, type Fleet } from '../../../test/workflow/drained-machine.ts';
import { eventsOf, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal, inspectSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WEB = { name: 'web-1', labels: { app: 'web' } };
const BLOCKED: Fleet = { pods: [WEB], budgets: { web: 1 } };
const HOOKED: Fleet = {
  ...BLOCKED,
  spec: { lifecycleHooks: { preTerminate: [{ name: 'CopyLogs', owner: 'log-copier' }] } },
};

const takesLongToStop = ({ cloud }: MachineWorld): void => cloud.behave({ terminateMs: 50_000 });
const podsOf = (world: MachineWorld) => world.kube.all(PODS).map(({ metadata }) => metadata.name);
const node = (world: MachineWorld) => world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node | undefined;
const isTold = (world: MachineWorld) =>
  node(world)?.spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/out-of-service') === true;

/** A machine that is drained, which a budget blocks, and whose kubelet is not heard of any more. */
async function silent(name: string, fleet = BLOCKED, stop = true) {
  const { world, handle } = await drainedMachine(temporal, name, fleet);
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  if (stop) world.cloud.stop(world.instanceId);
  await report(world, 'Unknown');
  await temporal.signal(handle, changedSignal);
  return { world, handle };
}

describe('a Node that does not answer', () => {
  it('is left to Kubernetes as soon as its instance is seen to be stopped, and goes when that has taken its pods', async () => {
    const { world, handle } = await silent('halted');
    await temporal.until(() => isTold(world), { within: 10 });
    expect(podsOf(world)).toEqual(['web-1']);
    await temporal.until(() => world.status.waiting?.reason === 'NodeNotVacated');
    expect(world.status.waiting).toMatchObject({ step: 'VacateNode', message: expect.stringContaining('web-1') });
    expect(world.condition('Drained')).toMatchObject({ status: 'True', reason: 'InstanceStopped' });
    expect([node(world) === undefined, statesOf(world)]).toEqual([false, ['terminated']]);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([podsOf(world), node(world), eventsOf(world, 'InstanceStopped').length]).toEqual([[], undefined, 1]);
    expect(eventsOf(world, 'NodeNotVacated')).toEqual([]);
  });

  it('is drained while its instance is stopping, and left to Kubernetes within seconds of its stop', async () => {
    const { world } = await silent('stopping', { ...BLOCKED, whenRunning: takesLongToStop });
    await temporal.pass(30);
    expect([isTold(world), podsOf(world), statesOf(world)]).toEqual([false, ['web-1'], ['stopping']]);
    await temporal.until(() => statesOf(world)[0] === 'stopped', { within: 60 });
    await temporal.until(() => isTold(world), { within: 10 });
  });

  it('is drained on by a look from before its silence, whatever that shows, and left to Kubernetes by the next one', async () => {
    let agoMs: number | undefined = 60_000;
    const whenRunning = (its: MachineWorld) => {
      its.onActivity = async (name, run) => {
        const answer = await run();
        return name === 'lookAtInstance' && agoMs !== undefined ? { ...answer, agoMs } : answer;
      };
    };
    const { world } = await silent('looked-at-before', { ...BLOCKED, whenRunning });
    await temporal.pass(25);
    expect([isTold(world), statesOf(world), world.status.instance?.state]).toEqual([false, ['stopped'], 'stopped']);
    agoMs = undefined;
    await temporal.until(() => isTold(world), { within: 60 });
  });

  it('is drained on while it answers, whatever the cloud says of its instance', async () => {
    const { world, handle } = await drainedMachine(temporal, 'lively', BLOCKED);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    world.cloud.stop(world.instanceId);
    await temporal.signal(handle, inspectSignal);
    await temporal.pass(60);
    expect([isTold(world), podsOf(world), statesOf(world)]).toEqual([false, ['web-1'], ['stopped']]);
  });

  it('is drained on where its instance runs', async () => {
    const { world } = await silent('deaf', BLOCKED, false);
    await temporal.pass(150);
    expect([isTold(world), podsOf(world), statesOf(world)]).toEqual([false, ['web-1'], ['running']]);
    expect(world.status.waiting?.reason).toBe('PodsBlocked');
  });

  it('is drained on where only spec.delete is true, which can still be aborted', async () => {
    const { world, handle } = await drainedMachine(temporal, 'undecided', { ...BLOCKED, isOnlyAsked: true });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    world.cloud.stop(world.instanceId);
    await report(world, 'Unknown');
    await temporal.signal(handle, changedSignal);
    await temporal.pass(150);
    expect([isTold(world), podsOf(world), statesOf(world)]).toEqual([false, ['web-1'], ['stopped']]);
  });

  it('is left to Kubernetes at once when its Machine is deleted, though a look that could not count was just made', async () => {
    let looks = 0;
    const { world, handle } = await drainedMachine(temporal, 'decided', { ...BLOCKED, isOnlyAsked: true });
    world.onActivity = async (name, run) => {
      if (name === 'lookAtInstance') looks += 1;
      return run();
    };
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    world.cloud.stop(world.instanceId);
    await report(world, 'Unknown');
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.instance?.state === 'stopped', { within: 120 });
    const before = looks;
    await temporal.until(() => looks > before, { within: 60 });
    expect(isTold(world)).toBe(false);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => isTold(world), { within: 5 });
  });

  it('is drained where the instance is started again before its end', async () => {
    const { world, handle } = await silent('restarted', HOOKED);
    await temporal.until(() => world.condition('Terminable')?.status === 'False', { within: 120 });
    expect(isTold(world)).toBe(true);
    world.cloud.start(world.instanceId);
    await report(world, 'True');
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => eventsOf(world, 'InstanceStartedAgain').length === 1);
    expect(isTold(world)).toBe(false);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await relax(world, 'web', 0);
    await temporal.until(() => world.condition('Drained')?.status === 'True', { within: 60 });
    expect([statesOf(world), eventsOf(world, 'DrainSucceeded').length]).toEqual([['running'], 1]);
    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('is drained where the cloud shows that the instance runs again, also before its kubelet reports', async () => {
    const { world, handle } = await silent('booting', HOOKED);
    await temporal.until(() => world.condition('Terminable')?.status === 'False', { within: 120 });
    world.cloud.start(world.instanceId);
    await temporal.pass(30);
    expect(podsOf(world)).toEqual([]);
    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => eventsOf(world, 'InstanceStartedAgain').length === 1);
    expect(isTold(world)).toBe(false);
    await temporal.until(() => eventsOf(world, 'DrainSucceeded').length === 1);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('is known to be left to Kubernetes by a workflow that takes over, which takes it back', async () => {
    const { world } = await silent('taken-over', HOOKED);
    await temporal.until(() => world.condition('Terminable')?.status === 'False', { within: 120 });
    await temporal.endAll();
    world.cloud.start(world.instanceId);
    await report(world, 'True');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => eventsOf(world, 'InstanceStartedAgain').length === 1);
    expect(isTold(world)).toBe(false);
    await relax(world, 'web', 0);
    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });
});
