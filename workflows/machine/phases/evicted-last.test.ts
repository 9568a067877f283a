import { describe, expect, it } from '@jest/globals';
import type { Node } from '../../../k8s/model/node.ts';
import { DAEMON_SETS, NODES, PODS, VOLUME_ATTACHMENTS } from '../../../k8s/resources.ts';
import { drainedMachine, nodeOf, type Fleet } from '../../../test/workflow/drained-machine.ts';
import { eventsOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { aNode } from '../../../test/world/builders/a-node.ts';
import { aPod, type PodFacts } from '../../../test/world/builders/a-pod.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const OWNER = { kind: 'DaemonSet', name: 'agent', uid: 'uid-of-agent' };
const WEB: PodFacts = { name: 'web-1', labels: { app: 'web' } };
const AGENT: PodFacts = { name: 'agent', owner: OWNER };
const PROXY: PodFacts = { name: 'proxy', owner: OWNER, tolerations: [{ operator: 'Exists' }] };

const evictions = ({ requests }: MachineWorld) =>
  requests.filter(({ subresource }) => subresource === 'eviction').map(({ name }) => name);
const podsOf = (world: MachineWorld) => world.kube.all(PODS).map(({ metadata }) => metadata.name);
const isClosed = (world: MachineWorld) =>
  (world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node).spec?.taints?.some(
    ({ key }) => key === 'millwright.dev/draining',
  ) === true;

function deleted(name: string, daemonSets: 'Ignore' | 'EvictLast', fleet: Fleet = {}) {
  const whenRunning = (world: MachineWorld) => {
    const { apiVersion, kind } = DAEMON_SETS;
    world.kube.put({ apiVersion, kind, metadata: { name: 'agent', namespace: 'default', uid: OWNER.uid } });
  };
  const spec = { drain: { daemonSets, timeout: '10m' }, ...fleet.spec };
  return drainedMachine(temporal, name, { pods: [WEB, AGENT, PROXY], whenRunning, ...fleet, spec });
}

/** The others have left, and the Machine says that it waits for these. */
const untilAgentsLeave = (world: MachineWorld) =>
  temporal.until(() => world.condition('Drained')?.status === 'True' && world.status.waiting?.step === 'Drain');

describe('pods of DaemonSets', () => {
  it('leave after all others, where that is asked for: each is asked once, and none that would come back', async () => {
    const { world, handle } = await deleted('last', 'EvictLast', { stuck: ['web-1'] });
    await temporal.until(() => world.condition('Drained')?.status === 'False');
    await temporal.pass(20);
    expect([evictions(world), isClosed(world)]).toEqual([['web-1'], false]);
    world.kube.drop(PODS, 'default', 'web-1');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([evictions(world), podsOf(world)]).toEqual([['web-1', 'agent'], ['proxy']]);
    expect(eventsOf(world, 'DrainSucceeded').map(({ message }) => message)).toEqual([
      'the Node is drained',
      'the pods of DaemonSets have left the Node',
    ]);
  });

  it('leave when volumes are detached, for which their drivers are needed', async () => {
    const { world, handle } = await deleted('mounted', 'EvictLast');
    const { apiVersion, kind } = VOLUME_ATTACHMENTS;
    const spec = { nodeName: nodeOf(world), source: { persistentVolumeName: 'pv-data' } };
    const attachment = { apiVersion, kind, metadata: { name: 'att', uid: 'uid-of-att' }, spec };
    world.kube.put(attachment);
    await temporal.until(() => world.status.waiting?.reason === 'VolumesAttached');
    await temporal.pass(30);
    expect([evictions(world), isClosed(world)]).toEqual([['web-1'], false]);
    world.kube.drop(VOLUME_ATTACHMENTS, undefined, 'att');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(evictions(world)).toEqual(['web-1', 'agent']);
  });

  it('are waited for, and say so, within the time for the drain', async () => {
    const { world, handle } = await deleted('slow', 'EvictLast', { stuck: ['agent'] });
    await untilAgentsLeave(world);
    expect([evictions(world).includes('agent'), isClosed(world)]).toEqual([true, true]);
    expect(world.cloud.calls('terminate')).toEqual([]);
    expect(world.condition('Deleting')?.message).toMatch(/; Node node-of-slow: pods are left, 1 on their way out/);
    world.kube.drop(PODS, 'default', 'agent');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('are waited for no longer where somebody lowers the deletionPolicy meanwhile', async () => {
    const { world, handle } = await deleted('lowered', 'EvictLast', { stuck: ['agent'] });
    await untilAgentsLeave(world);
    await world.edit({ spec: { deletionPolicy: 'unsafe' } });
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(podsOf(world)).toContain('agent');
  });

  it('stay where nothing is said of them', async () => {
    const { world, handle } = await deleted('ignored', 'Ignore');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect([evictions(world), podsOf(world)]).toEqual([['web-1'], ['agent', 'proxy']]);
  });

  it('may come back where the deletion is aborted', async () => {
    const { world, handle } = await deleted('aborted', 'EvictLast', { stuck: ['agent'], isOnlyAsked: true });
    await untilAgentsLeave(world);
    // Looks are seldom by then, so that none is under way when it is woken.
    await temporal.pass(25);
    expect([evictions(world).includes('agent'), isClosed(world)]).toEqual([true, true]);
    await world.edit({ spec: { delete: false } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.preparation === 'aborted', { within: 60 });
    expect(isClosed(world)).toBe(false);
  });
});

it('pods of DaemonSets are left when the time by Force is over, where the Node on record names another instance', async () => {
  const { world } = await drainedMachine(temporal, 'att-ever', {
    stuck: ['agent'],
    spec: { drain: { daemonSets: 'EvictLast', timeout: '2m', onTimeout: 'Force' } },
    whenRunning(running) {
      const { apiVersion, kind } = DAEMON_SETS;
      running.kube.put({ apiVersion, kind, metadata: { name: 'agent', namespace: 'default', uid: OWNER.uid } });
      const a = running.kube.peek(NODES, undefined, nodeOf(running)) as never as {
        metadata: { uid: string };
        spec: { providerID: string };
      };
      running.kube.put(aNode({ name: 'node-b', providerID: a.spec.providerID, metadata: { uid: 'b' } }));
      running.kube.put(
        aNode({ name: nodeOf(running), providerID: 'aws:///eu-west-1a/i-other', metadata: { uid: a.metadata.uid } }),
      );
      running.kube.put(aPod({ node: 'node-b', ...AGENT }));
    },
  });
  await temporal.pass(900);
  expect([world.cloud.calls('terminate').length > 0, eventsOf(world, 'DrainSucceeded').length]).toEqual([true, 1]);
});
