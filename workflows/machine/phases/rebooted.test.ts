import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { MACHINE_HEALTH_CHECKS } from '../../../k8s/dialects/openshift/resources.ts';
import { REBOOT_ANNOTATION, writeRebootWish } from '../../../k8s/model/reboot.ts';
import { DISRUPTION_BUDGETS, LEASES, NODES } from '../../../k8s/resources.ts';
import { ProviderError } from '../../../providers/provider-error.ts';
import type { Provider } from '../../../providers/provider.ts';
import { busyMachine, nodeOf, relax } from '../../../test/workflow/drained-machine.ts';
import { eventsOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import {
  annotationsOf,
  CHECK,
  isCordoned,
  podsOf,
  reboots,
  record,
  say,
  SICK,
  wantedReboot,
  type Told,
} from '../../../test/workflow/wanted-reboot.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { aNode } from '../../../test/world/builders/a-node.ts';
import type { MachineWorld } from '../../../test/world/machine-world.ts';
import { refused } from '../../../test/world/world-cloud.ts';
import { diesAfter, type ActivityPassage } from '../../../test/world/world.ts';
import { changedSignal, inspectSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WEB = { name: 'web-1', labels: { app: 'web' } };
/** A machine that its health check wants rebooted. */
const wanted = (name: string, told?: Told) => wantedReboot(temporal, name, told);

/** The same cloud, which cannot reboot. */
function withoutReboot(provider: Provider): Provider {
  return Object.fromEntries(Object.entries(provider).filter(([name]) => name !== 'reboot')) as object as Provider;
}

/** The worker dies once, before this activity has done anything, and nobody knows. */
function diesBefore(activity: string): ActivityPassage {
  let hasDied = false;
  return async (name, run) => {
    if (name !== activity || hasDied) return run();
    hasDied = true;
    throw ApplicationFailure.nonRetryable('the worker died', 'Silence');
  };
}

describe('a Machine that its health check wants rebooted', () => {
  it('is not told to be rebooted before it was, whatever the cloud is asked meanwhile', async () => {
    const { world, handle } = await wanted('looked-at', { pods: [WEB], endMs: 5000 });
    const told: unknown[] = [];
    world.kube.store.onChange(() => told.push(world.condition('Rebooted')?.status));
    for (let second = 0; reboots(world).length === 0 && second < 60; second += 1) {
      await temporal.signal(handle, inspectSignal);
      await temporal.pass(1);
    }
    await temporal.pass(5);
    expect([reboots(world).length, new Set(told)]).toEqual([1, new Set([undefined, 'False'])]);
  });

  it('is drained first where its Node is Ready, rebooted once, and takes pods again when its check is satisfied', async () => {
    const { world, tell, release } = await wanted('sick', { pods: [WEB] });
    await temporal.until(() => reboots(world).length > 0);
    expect([podsOf(world), isCordoned(world)]).toEqual([[], true]);
    await temporal.until(() => world.condition('Rebooted')?.reason === 'RebootSent');
    expect(record(world)).toMatchObject({ state: 'Sent', bootID: 'boot-1', times: [record(world)?.sentAt] });
    await temporal.pass(120);
    await tell(() => say(world, { bootID: 'boot-2' }));
    await temporal.until(() => world.condition('Rebooted')?.status === 'True');
    expect(world.condition('Rebooted')).toMatchObject({ reason: 'BootedAnew' });
    expect([isCordoned(world), eventsOf(world, 'Rebooting').length]).toEqual([true, 1]);
    await release();
    await temporal.until(() => eventsOf(world, 'RebootEnded').length === 1);
    expect([isCordoned(world), world.condition('Rebooted'), reboots(world).length]).toEqual([false, undefined, 1]);
    expect(world.status).not.toHaveProperty('waiting');
    expect(eventsOf(world, 'MaintenanceEnded')).toEqual([]);
  });

  it('is rebooted at once, and not cordoned, where its Node does not answer', async () => {
    const { world } = await wanted('silent', { sick: false, pods: [WEB], budgets: { web: 1 } });
    await temporal.until(() => reboots(world).length > 0);
    expect([podsOf(world), isCordoned(world)]).toEqual([['web-1'], false]);
  });

  it('waits for budgets, and says so; it is rebooted when its Node ceases to answer meanwhile', async () => {
    const { world, tell } = await wanted('held', { pods: [WEB], budgets: { web: 1 }, spec: { ...CHECK } });
    await temporal.until(() => world.condition('Rebooted')?.reason === 'PodsBlocked');
    await world.edit({ spec: { drain: { timeout: '1m', onTimeout: 'Force' } } });
    await temporal.pass(600);
    expect([reboots(world).length, podsOf(world)]).toEqual([0, ['web-1']]);
    await tell(() => say(world, { bootID: 'boot-1', sick: 'True', ready: 'Unknown' }));
    await temporal.until(() => reboots(world).length > 0);
    expect(podsOf(world)).toEqual(['web-1']);
  });

  it('goes by what a maintenance has emptied, which it leaves as it is', async () => {
    const { world, tell, release } = await wanted('maintained', {
      pods: [WEB],
      budgets: { web: 1 },
      arrange: (it) => it.edit({ spec: { maintenance: true } }),
    });
    await temporal.until(() => world.condition('Maintenance')?.reason === 'PodsBlocked');
    expect(reboots(world)).toEqual([]);
    await tell(() => relax(world, 'web', 0));
    await temporal.until(() => reboots(world).length > 0, { within: 60 });
    expect(world.status.maintenance).toBe(true);
    await tell(() => say(world, { bootID: 'boot-2' }));
    await release();
    await temporal.until(() => world.condition('Rebooted') === undefined);
    await temporal.pass(30);
    expect([isCordoned(world), world.condition('Maintenance')?.status]).toEqual([true, 'True']);
  });

  it('stays empty for its reboot where its maintenance ends meanwhile', async () => {
    const { world, tell } = await wanted('after-maintenance', {
      pods: [WEB],
      budgets: { web: 1 },
      arrange: (it) => it.edit({ spec: { maintenance: true } }),
    });
    await temporal.until(() => world.condition('Maintenance')?.reason === 'PodsBlocked');
    await tell(() => world.edit({ spec: { maintenance: false } }));
    await temporal.until(() => world.condition('Rebooted')?.reason === 'PodsBlocked');
    expect([isCordoned(world), world.condition('Maintenance')]).toEqual([true, undefined]);
  });

  it('leaves the cordon of somebody else', async () => {
    const { world, tell, release } = await wanted('cordoned', {
      arrange: (it) =>
        it.kube.others.mergePatch(NODES, undefined, nodeOf(it), { spec: { unschedulable: true } }) as never,
    });
    await temporal.until(() => reboots(world).length > 0);
    await tell(() => say(world, { bootID: 'boot-2' }));
    await release();
    await temporal.until(() => eventsOf(world, 'RebootEnded').length === 1);
    expect(isCordoned(world)).toBe(true);
  });

  it.each(['before', 'after'] as const)(
    'is not rebooted twice where the answer is lost, and the cloud did it %s',
    async (when) => {
      const { world, tell } = await wanted(`lost-${when}`, {
        arrange: (it) => it.cloud.fail({ action: 'reboot', answer: 'reset', when, times: 1 }),
      });
      await temporal.until(() => record(world)?.message !== undefined);
      expect(record(world)).toMatchObject({ state: 'Sent', message: expect.stringContaining('no answer') });
      await temporal.pass(3600);
      await tell(() => undefined);
      expect(world.cloud.asked('reboot')).toHaveLength(1);
    },
  );

  it('is not rebooted twice where its worker dies after the call', async () => {
    const { world, tell } = await wanted('worker-dies', {
      arrange: (it) => void (it.onActivity = diesAfter('rebootInstance')),
    });
    await temporal.until(() => record(world)?.message !== undefined);
    await tell(() => say(world, { bootID: 'boot-2', sick: 'True' }));
    await temporal.pass(600);
    expect(reboots(world)).toHaveLength(1);
  });

  it.each([
    ['Throttled', 2],
    ['PermissionDenied', 2],
    ['FailedPrecondition', 1],
    ['NotFound', 1],
  ] as const)('is tried again after %s, where that can help', async (code, calls) => {
    const { world, tell } = await wanted(`refused-${code.toLowerCase()}`, {
      arrange: (it) => void (it.cloud.onRequest = refused('reboot', new ProviderError(code, 'no'))),
    });
    await temporal.until(() => world.cloud.asked('reboot').length === 1);
    await temporal.until(() => record(world)?.state !== 'Sent');
    world.cloud.onRequest = (_request, carryOut) => carryOut();
    await temporal.pass(1800);
    await tell(() => undefined);
    await temporal.pass(5);
    expect(world.cloud.asked('reboot')).toHaveLength(calls);
    expect(record(world)?.state).toBe(calls === 2 ? 'Sent' : 'Refused');
    expect(record(world)?.times).toHaveLength(calls - 1);
  });

  it('is rebooted once more for another wish, and as often within 24 hours as its check says', async () => {
    const { world, tell, want, release } = await wanted('often', { sick: false });
    for (const count of [1, 2]) {
      await temporal.until(() => reboots(world).length === count);
      await temporal.pass(10);
      await tell(() => say(world, { bootID: `boot-${count + 1}`, ready: 'Unknown' }));
      await want();
    }
    await temporal.until(() => record(world)?.state === 'Spent');
    expect([reboots(world).length, record(world)?.times.length]).toEqual([2, 2]);
    expect(eventsOf(world, 'RebootsSpent')).toHaveLength(1);
    await release();
    await temporal.pass(86_400);
    await want();
    await temporal.until(() => reboots(world).length === 3);
    expect(record(world)?.times).toHaveLength(1);
  });

  it('is not rebooted by a cloud that cannot, and says so before anything is drained', async () => {
    const { world } = await wanted('cannot', {
      pods: [WEB],
      arrange: (it) => {
        it.replaceWorker(withoutReboot(it.cloud.provider));
      },
    });
    await temporal.until(() => record(world)?.state === 'Unsupported');
    expect(world.condition('Rebooted')).toMatchObject({ status: 'False', reason: 'RebootUnsupported' });
    expect([podsOf(world), isCordoned(world)]).toEqual([['web-1'], false]);
  });

  it('counts as rebooted for a workflow that knows of it by the status only', async () => {
    const { world, handle } = await wanted('forgotten', {
      arrange: (it) => void (it.onActivity = diesBefore('rebootInstance')),
    });
    await temporal.until(() => record(world)?.message !== undefined);
    await handle.terminate();
    await temporal.startMachine(world);
    await temporal.until(() => world.condition('Rebooted')?.reason === 'RebootSent');
    await temporal.pass(600);
    expect(reboots(world)).toEqual([]);
  });

  it('has what is recorded of reboots put back where somebody takes it off', async () => {
    const { world, tell } = await wanted('taken-off');
    await temporal.until(() => record(world)?.state === 'Sent');
    await temporal.pass(5);
    const { sentAt } = record(world) ?? {};
    await tell(() => {
      const { reboot: _gone, ...providerStatus } = world.object?.status?.providerStatus ?? {};
      world.overwrite({ status: { ...world.object?.status, providerStatus } });
    });
    await temporal.until(() => record(world)?.sentAt === sentAt);
    await temporal.pass(600);
    expect(reboots(world)).toHaveLength(1);
  });
});

describe('a reboot that is not wanted any more', () => {
  const blocked = (name: string) => wanted(name, { pods: [WEB], budgets: { web: 1 } });
  const isHeldUp = (world: MachineWorld) => world.condition('Rebooted')?.reason === 'PodsBlocked';

  it('whose check is gone is taken back: its Node takes pods again', async () => {
    const { world, tell, check } = await blocked('check-gone');
    await temporal.until(() => isHeldUp(world));
    await tell(() => world.kube.drop(MACHINE_HEALTH_CHECKS, 'default', check.metadata.name));
    await temporal.until(() => !isCordoned(world), { within: 60 });
    expect(annotationsOf(world)).not.toHaveProperty([REBOOT_ANNOTATION]);
    await temporal.pass(120);
    await relax(world, 'web', 0);
    expect(reboots(world)).toEqual([]);
  });

  it('whose check reboots none any more is taken back', async () => {
    const { world, tell, check } = await blocked('edited');
    await temporal.until(() => isHeldUp(world));
    await tell(() =>
      world.kube.put({
        ...check,
        spec: { ...check.spec, remediation: { steps: [{ action: 'Replace' }] } },
      } as typeof check),
    );
    await temporal.until(() => !isCordoned(world), { within: 60 });
    expect(annotationsOf(world)).not.toHaveProperty([REBOOT_ANNOTATION]);
  });

  it.each([
    ['whose check is paused', { pauseCheck: true }, 'its health check is paused'],
    ['of a Machine that is to be left alone', { skip: true }, 'left alone'],
    ['of a Machine that is well again', { well: true }, 'healthy again'],
  ] as const)('%s is held back, and says so', async (words, how, message) => {
    const { world, tell, check } = await blocked(`held-${words.length}`);
    await temporal.until(() => isHeldUp(world));
    await tell(async () => {
      if ('pauseCheck' in how) {
        const annotations = { 'cluster.x-k8s.io/paused': '' };
        world.kube.put({ ...check, metadata: { ...check.metadata, annotations } });
      }
      if ('skip' in how)
        await world.edit({ metadata: { annotations: { 'machine.openshift.io/skip-remediation': '' } } });
      if ('well' in how) await say(world, { bootID: 'boot-1' });
      world.kube.drop(DISRUPTION_BUDGETS, 'default', 'web');
    });
    await temporal.until(() => world.condition('Rebooted')?.reason === 'RebootHeld');
    expect(world.condition('Rebooted')?.message).toContain(message);
    await temporal.pass(120);
    expect([reboots(world).length, podsOf(world)]).toEqual([0, ['web-1']]);
  });

  it('of a Machine that is deleted comes to nothing: it is drained for its deletion, and goes', async () => {
    const { world, handle, tell } = await blocked('deleted');
    await temporal.until(() => isHeldUp(world));
    await tell(() => world.delete());
    await temporal.until(() => world.condition('Drained')?.reason === 'PodsBlocked');
    expect(world.condition('Rebooted')).toBeUndefined();
    await relax(world, 'web', 0);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(reboots(world)).toEqual([]);
  });

  it('that nobody stands behind is no reboot', async () => {
    const { world: other, handle } = await busyMachine(temporal, 'forged');
    const annotations = { [REBOOT_ANNOTATION]: writeRebootWish({ id: 'x', causes: [SICK] }) };
    await other.edit({ metadata: { annotations } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => annotationsOf(other)[REBOOT_ANNOTATION] === undefined);
    expect(reboots(other)).toEqual([]);
  });
});

describe('a Machine of a control plane that is to be rebooted', () => {
  it('takes its turn, by the Lease, and frees it afterwards', async () => {
    const labels = { 'node-role.kubernetes.io/control-plane': '' };
    const others = (world: MachineWorld, ...ready: ('True' | 'False')[]) =>
      ready.forEach((one, index) =>
        world.kube.put(aNode({ name: `other-${index}`, ready: one, metadata: { labels } })),
      );
    const { world, tell, release } = await wanted('master', {
      arrange: async (it) => {
        await it.kube.others.mergePatch(NODES, undefined, nodeOf(it), { metadata: { labels } });
        others(it, 'True', 'False');
      },
    });
    await temporal.until(() => world.condition('Rebooted')?.reason === 'ControlPlaneInTheWay');
    await temporal.pass(60);
    expect([reboots(world).length, isCordoned(world)]).toEqual([0, false]);
    await tell(() => others(world, 'True', 'True'));
    await temporal.until(() => reboots(world).length === 1);
    expect(world.kube.peek(LEASES, 'kube-system', 'control-plane-c1')).toMatchObject({
      spec: { holderIdentity: world.ref.uid },
    });
    await tell(() => say(world, { bootID: 'boot-2' }));
    await release();
    await temporal.until(() => eventsOf(world, 'RebootEnded').length === 1);
  });
});
