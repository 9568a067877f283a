import { expect, it } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { REBOOT_ANNOTATION } from '../../../k8s/model/reboot.ts';
import { DAEMON_SETS, NODES } from '../../../k8s/resources.ts';
import { ProviderError } from '../../../providers/provider-error.ts';
import { busyMachine, nodeOf, type Fleet } from '../../../test/workflow/drained-machine.ts';
import { eventsOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { annotationsOf, podsOf, reboots, wantedReboot } from '../../../test/workflow/wanted-reboot.ts';
import { aBudget } from '../../../test/world/builders/a-budget.ts';
import { aNode } from '../../../test/world/builders/a-node.ts';
import { aPod, type PodFacts } from '../../../test/world/builders/a-pod.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { refused } from '../../../test/world/world-cloud.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WEB: PodFacts = { name: 'web-1', labels: { app: 'web' } };
const GUARDED = { lifecycleHooks: { preTerminate: [{ name: 'Guard', owner: 'somebody' }] } };
const OWNER = { kind: 'DaemonSet', name: 'agent', uid: 'uid-of-agent' };
const AGENT: PodFacts = { name: 'agent', owner: OWNER };

async function busy(name: string, fleet: Fleet = { pods: [WEB] }) {
  const { world, handle } = await busyMachine(temporal, name, fleet);
  const change = async (wanted: object) => {
    await world.edit({ spec: wanted });
    await temporal.signal(handle, changedSignal);
  };
  return { world, handle, change };
}

/** A machine whose deletion a hook holds when its drain is over, which is known by now. */
async function held(name: string, spec: object = {}, fleet?: Fleet) {
  const all = await busy(name, fleet);
  const { apiVersion, kind } = DAEMON_SETS;
  all.world.kube.put({ apiVersion, kind, metadata: { name: 'agent', namespace: 'default', uid: OWNER.uid } });
  await all.change({ ...GUARDED, ...spec, delete: true });
  await temporal.until(() => all.world.condition('Terminable')?.status === 'False');
  await temporal.pass(30);
  return all;
}

/** Tasks are lost, one after another, each right after such an activity of it and what happens then. */
function lose(world: MachineWorld, ...steps: readonly (readonly [string, () => Promise<unknown>])[]) {
  let at = 0;
  world.onActivity = async (name, run) => {
    const answer = await run();
    const step = steps[at];
    if (name !== step?.[0]) return answer;
    at += 1;
    await step[1]();
    await temporal.loseTask();
    return answer;
  };
  return () => at === steps.length;
}

const comes = (world: MachineWorld, pod: PodFacts) => world.kube.put(aPod({ node: nodeOf(world), ...pod }));
const again = (world: MachineWorld, spec: object = {}) => world.edit({ spec: { delete: true, ...spec } });

/** What is on the Node when the hook lets go, and when the instance ends. */
async function podsAtEnd(world: MachineWorld, change: (spec: object) => Promise<void>) {
  await temporal.until(() => world.condition('Terminable')?.status === 'False', { within: 60 });
  await temporal.pass(60);
  const left = podsOf(world);
  await change({ lifecycleHooks: null });
  await temporal.until(() => world.cloud.calls('terminate').length > 0, { within: 120 });
  return [left, podsOf(world)];
}
const NONE = [[], []];

it.each(['asked', 'deleted'])(
  'pods that came while an abort had the Node open leave before the end where two tasks in a row are lost, and the second one has closed it (%s)',
  async (how) => {
    const { world, change } = await held(`twice-${how}`);
    const isLost = lose(
      world,
      [
        'uncordonNode',
        async () => {
          comes(world, { ...WEB, name: 'web-2' });
          world.kube.put(aBudget('web', { minAvailable: 1 }));
          await (how === 'asked' ? again(world) : world.delete());
        },
      ],
      ['drainNode', async () => world.kube.put(aBudget('web', { minAvailable: 0 }))],
    );
    await change({ delete: false });
    await temporal.until(isLost, { within: 60 });
    expect(await podsAtEnd(world, change)).toEqual(NONE);
  },
);

it.each(['asked', 'deleted'])(
  'a Node that is registered anew while a hook holds the end is drained (%s)',
  async (how) => {
    const { world, handle, change } = await busy(`anew-${how}`);
    await change(GUARDED);
    if (how === 'asked') await world.edit({ spec: { delete: true } });
    else await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Terminable')?.status === 'False');
    const { spec } = world.kube.peek(NODES, undefined, nodeOf(world)) as never as { spec: { providerID: string } };
    world.kube.drop(NODES, undefined, nodeOf(world));
    world.kube.put(aNode({ name: nodeOf(world), providerID: spec.providerID, metadata: { uid: 'another' } }));
    comes(world, { ...WEB, name: 'web-2' });
    for (let i = 0; i < 2; i += 1) {
      await temporal.signal(handle, changedSignal);
      await temporal.pass(20);
    }
    expect(world.status.nodeRef?.uid).toBe('another');
    expect(await podsAtEnd(world, change)).toEqual(NONE);
  },
);

it.each([1, 2])(
  'pods of DaemonSets that came back for a maintenance leave again where so many tasks are lost: %s',
  async (losses) => {
    const drain = { daemonSets: 'EvictLast', timeout: '10m' };
    const { world, change } = await held(`daemons-${losses}`, { drain }, { pods: [WEB, AGENT] });
    expect(podsOf(world)).toEqual([]);
    const back = async () => {
      comes(world, AGENT);
      await again(world);
    };
    const steps = [['drainNode', back] as const, ['drainNode', async () => {}] as const];
    const isLost = lose(world, ...steps.slice(0, losses));
    await change({ delete: false, maintenance: true });
    await temporal.until(isLost, { within: 90 }).catch(() => undefined);
    expect(await podsAtEnd(world, change)).toEqual(NONE);
  },
);

it('a status that is wiped after the abort does not bring back its drain', async () => {
  const { world, change } = await held('wiped');
  const isLost = lose(world, [
    'uncordonNode',
    async () => {
      comes(world, { ...WEB, name: 'web-2' });
      const status = { providerStatus: null };
      await world.kube.others.mergePatch(MACHINES, 'default', 'wiped', { status }, { subresource: 'status' });
      await again(world);
    },
  ]);
  await change({ delete: false });
  await temporal.until(isLost);
  expect(await podsAtEnd(world, change)).toEqual(NONE);
});

it('a drain that was skipped is done where it was aborted, and is asked for again with another policy', async () => {
  const { world, change } = await held('skipped', { deletionPolicy: 'unsafe' });
  const isLost = lose(world, ['uncordonNode', () => again(world, { deletionPolicy: 'graceful' })]);
  await change({ delete: false });
  await temporal.until(isLost);
  expect(await podsAtEnd(world, change)).toEqual(NONE);
});

it('a drain that was under way when it was aborted has its whole time when it begins anew', async () => {
  const { world, change } = await busy('timed', { pods: [WEB], budgets: { web: 1 } });
  await change({ drain: { timeout: '10m', onTimeout: 'Force' }, delete: true });
  await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
  await temporal.pass(500);
  let askedAt = 0;
  const isLost = lose(world, [
    'uncordonNode',
    async () => {
      askedAt = temporal.clock.now();
      await again(world);
    },
  ]);
  await change({ delete: false });
  await temporal.until(isLost);
  expect(podsOf(world)).toEqual(['web-1']);
  await temporal.until(() => podsOf(world).length === 0, { within: 900 });
  expect(temporal.clock.now() - askedAt).toBeGreaterThanOrEqual(500_000);
});

it('a maintenance that begins anew has a beginning of its own', async () => {
  const { world, change } = await busy('begun', { pods: [WEB], budgets: { web: 1 } });
  await change({ maintenance: true });
  await temporal.until(() => world.condition('Maintenance')?.reason === 'PodsBlocked');
  await temporal.pass(100);
  const before = world.status.maintenanceDrainStartTime;
  const isLost = lose(world, ['uncordonNode', () => world.edit({ spec: { maintenance: true } })]);
  await change({ maintenance: false });
  await temporal.until(isLost);
  await temporal.until(() => world.status.maintenanceDrainStartTime !== before, { within: 60 });
  expect(Date.parse(world.status.maintenanceDrainStartTime ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
});

it('a reboot that is wanted again by the same wish is not called over pods that came meanwhile', async () => {
  const { world, tell } = await wantedReboot(temporal, 'same-wish', {
    pods: [WEB],
    arrange: (it) => void (it.cloud.onRequest = refused('reboot', new ProviderError('ResourceExhausted', 'no'))),
  });
  await temporal.until(() => world.cloud.asked('reboot').length > 0);
  await temporal.pass(20);
  const wish = annotationsOf(world)[REBOOT_ANNOTATION];
  const isLost = lose(
    world,
    [
      'uncordonNode',
      async () => {
        comes(world, { ...WEB, name: 'web-2' });
        world.kube.put(aBudget('web', { minAvailable: 1 }));
        await world.edit({ metadata: { annotations: { [REBOOT_ANNOTATION]: wish } } });
      },
    ],
    ['drainNode', async () => (world.cloud.onRequest = (_request, carryOut) => carryOut())],
  );
  await tell(() => world.edit({ metadata: { annotations: { [REBOOT_ANNOTATION]: null } } }));
  await temporal.until(isLost, { within: 600 });
  await temporal.pass(900);
  expect([podsOf(world), reboots(world).length]).toEqual([['web-2'], 0]);
});

it('an end of a reboot whose task is lost is not told as the end of a maintenance', async () => {
  const { world, release } = await wantedReboot(temporal, 'rebooted', { pods: [WEB] });
  await temporal.until(() => reboots(world).length > 0);
  await temporal.pass(60);
  const isLost = lose(world, ['uncordonNode', async () => {}]);
  await release();
  await temporal.until(isLost);
  await temporal.pass(90);
  expect([eventsOf(world, 'RebootEnded').length, eventsOf(world, 'MaintenanceEnded').length]).toEqual([1, 0]);
});
