import { describe, expect, it } from '@jest/globals';
import { NODES, PODS } from '../../../k8s/resources.ts';
import { drainedMachine, nodeOf, report, type Fleet } from '../../../test/workflow/drained-machine.ts';
import { eventsOf, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal, inspectSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WEB = { name: 'web-1', labels: { app: 'web' } };
const BLOCKED: Fleet = { pods: [WEB], budgets: { web: 1 } };
const podsOf = (world: MachineWorld) => world.kube.all(PODS).map(({ metadata }) => metadata.name);
const hasNode = (world: MachineWorld) => world.kube.peek(NODES, undefined, nodeOf(world)) !== undefined;

async function ended(name: string, fleet: Fleet) {
  const { world, handle } = await drainedMachine(temporal, name, fleet);
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  await world.cloud.end(world.instanceId);
  await report(world, 'Unknown');
  await temporal.signal(handle, changedSignal);
  return { world, handle };
}

describe('the Node of a machine whose instance ended before it was drained', () => {
  it('goes when Kubernetes has taken its pods', async () => {
    const { world, handle } = await ended('vacated', BLOCKED);
    await temporal.until(() => world.status.waiting?.reason === 'NodeNotVacated');
    expect([hasNode(world), podsOf(world)]).toEqual([true, ['web-1']]);
    expect(world.condition('Deleting')?.message).toMatch(
      /; Kubernetes has not taken away everything yet .*, and is waited for until [^ ]+Z: pod .*web-1/,
    );
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([hasNode(world), podsOf(world), eventsOf(world, 'NodeNotVacated')]).toEqual([false, [], []]);
  });

  it('is waited for also by a workflow that takes over while its kubelet still seems well', async () => {
    const { world, handle } = await drainedMachine(temporal, 'inherited', BLOCKED);
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await world.cloud.end(world.instanceId);
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.waiting?.reason === 'NodeNotVacated');
    await temporal.endAll();
    const next = await temporal.startMachine(world);
    await temporal.pass(30);
    expect([hasNode(world), podsOf(world), world.status.waiting?.reason]).toEqual([true, ['web-1'], 'NodeNotVacated']);
    await report(world, 'Unknown');
    await expect(temporal.resultOf(next)).resolves.toEqual({ outcome: 'deleted' });
    expect([hasNode(world), podsOf(world), eventsOf(world, 'NodeNotVacated')]).toEqual([false, [], []]);
  });

  it('goes with what is left on it when the time for volumes is over, and an event says so', async () => {
    const pods = [WEB, { name: 'proxy', tolerations: [{ operator: 'Exists' }] }];
    const spec = { drain: { volumeDetachTimeout: '10s' } };
    const { world, handle } = await ended('hasty', { ...BLOCKED, pods, spec });
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([hasNode(world), podsOf(world).length]).toEqual([false, 2]);
    const [event, ...more] = eventsOf(world, 'NodeNotVacated');
    expect([event?.message, more]).toEqual([expect.stringContaining('pod default/web-1'), []]);
    expect(event?.message).not.toContain('proxy');
  });
});

it('pods that were asked to end on a Node that cannot answer are taken from it when its instance has ended', async () => {
  const { world, handle } = await drainedMachine(temporal, 'mute', {
    pods: [WEB],
    whenRunning: (its) => void report(its, 'Unknown'),
  });
  await temporal.until(() => world.status.waiting?.reason === 'NodeNotVacated', { within: 200 });
  expect([hasNode(world), podsOf(world), statesOf(world)]).toEqual([true, ['web-1'], ['terminated']]);
  expect(eventsOf(world, 'DrainSucceeded')[0]?.message).toContain('nothing waits for the end of pod default/web-1');
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect([hasNode(world), podsOf(world)]).toEqual([false, []]);
});
