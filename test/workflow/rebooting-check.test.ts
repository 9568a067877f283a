import { describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../k8s/model/health-claim.ts';
import { readRebootWish, REBOOT_ANNOTATION, type RebootRecord } from '../../k8s/model/reboot.ts';
import { changedSignal } from '../../workflows/signals.ts';
import type { HealthWorld } from '../world/health-world.ts';
import { realHealthCheck } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const SICK = { type: 'Sick', status: 'True', timeout: '60s' } as const;
const STEPS = { steps: [{ action: 'Reboot' }, { action: 'Replace' }] } as const;

const annotationsOf = (world: HealthWorld, n: number) => world.machine(n)?.metadata.annotations ?? {};
const wish = (world: HealthWorld, n: number) => readRebootWish(annotationsOf(world, n)[REBOOT_ANNOTATION]);
const next = (world: HealthWorld, n: number) =>
  world.status.unhealthyMachines?.find(({ name }) => name === `m-${n}`)?.next ?? '';

/** A check that reboots, and whose second machine is sick for long enough. */
async function rebooting(name: string, remediation: object = STEPS) {
  const spec = { unhealthyConditions: [SICK], nodeStartupTimeout: '5m', remediation } as object;
  const { world, start } = realHealthCheck(temporal, name, { spec });
  let handle = await start();
  const tell = async (change: () => unknown): Promise<void> => {
    await change();
    await temporal.signal(handle, changedSignal);
  };
  /** What the machine's workflow records. */
  const record = (facts: Partial<RebootRecord>) =>
    tell(() =>
      world.edit(2, (machine) => {
        const reboot = { id: wish(world, 2)?.id ?? '', state: 'Sent', times: [], ...facts };
        const providerStatus = { ...machine.status?.providerStatus, reboot };
        return { ...machine, status: { ...machine.status, providerStatus } } as MachineObject;
      }),
    );
  const boot = (bootID: string) =>
    tell(() => {
      const node = world.node(2);
      if (node !== undefined) world.putNode({ ...node, status: { ...node.status, nodeInfo: { bootID } } });
    });
  const restart = async (): Promise<void> => {
    // Where it ends with a task under way, the test server lets no time pass.
    await temporal.pass(3);
    await handle.terminate();
    handle = await start();
  };
  await temporal.until(() => world.status.expectedMachines !== undefined);
  await boot('boot-1');
  return { world, tell, record, boot, restart };
}

const now = () => new Date(temporal.clock.timeOfDay()).toISOString();

describe('a health check that reboots', () => {
  it('says on the Machine that it wants that, and takes it off when it has helped for a minute', async () => {
    const { world, tell, record, boot } = await rebooting('helps');
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 90 });
    expect(annotationsOf(world, 2)[REMEDIATED_BY_ANNOTATION]).toContain('helps');
    expect(wish(world, 2)?.causes).toEqual(['node Sick=True 60000']);
    await record({ bootID: 'boot-1', sentAt: now(), times: [now()] });
    await temporal.until(() => next(world, 2).includes('another boot'));
    await boot('boot-2');
    await tell(() => world.say(2, 'False', { type: 'Sick' }));
    await temporal.pass(50);
    expect(wish(world, 2)).toBeDefined();
    await temporal.until(() => wish(world, 2) === undefined, { within: 40 });
    expect(annotationsOf(world, 2)).not.toHaveProperty([REMEDIATED_BY_ANNOTATION]);
    await temporal.pass(1200);
    expect([world.deleted, wish(world, 2)]).toEqual([[], undefined]);
    expect(world.events.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['RebootWanted', 'RemediationSucceeded']),
    );
  });

  it('has the machine replaced where it has not helped in time', async () => {
    const { world, tell, record, boot } = await rebooting('in-vain');
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 90 });
    await record({ bootID: 'boot-1', sentAt: now(), times: [now()] });
    await boot('boot-2');
    await temporal.pass(280);
    expect(world.deleted).toEqual([]);
    await temporal.until(() => world.deleted.length > 0, { within: 60 });
    expect(world.deleted).toEqual([2]);
  });

  it('gives a person who wants the machine remediated a reboot, once', async () => {
    const { world, tell, record, boot } = await rebooting('wished');
    await tell(() => world.annotate(2, { 'machine.openshift.io/remediate': 'it is slow' }));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 30 });
    await record({ bootID: 'boot-1', sentAt: now(), times: [now()] });
    await boot('boot-2');
    await temporal.until(() => wish(world, 2) === undefined, { within: 90 });
    expect(annotationsOf(world, 2)).not.toHaveProperty(['machine.openshift.io/remediate']);
    await temporal.pass(1200);
    expect([world.deleted, wish(world, 2)]).toEqual([[], undefined]);
  });

  it('knows of it again where it lost its memory, and asks for no other one', async () => {
    const { world, tell, record, restart } = await rebooting('forgets');
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 90 });
    const { id } = wish(world, 2) ?? {};
    await restart();
    await temporal.pass(5);
    await record({ bootID: 'boot-1', sentAt: now(), times: [now()] });
    await restart();
    await temporal.pass(120);
    expect([wish(world, 2)?.id, world.deleted]).toEqual([id, []]);
  });

  it('lets go of a machine that somebody wants left alone', async () => {
    const { world, tell } = await rebooting('vetoed');
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 90 });
    await tell(() => world.annotate(2, { 'machine.openshift.io/skip-remediation': '' }));
    await temporal.until(() => wish(world, 2) === undefined);
    expect(annotationsOf(world, 2)).not.toHaveProperty([REMEDIATED_BY_ANNOTATION]);
  });

  it('reboots no machine again that was rebooted often enough, and says so', async () => {
    const { world, tell, record } = await rebooting('spent', { steps: [{ action: 'Reboot', maxReboots: 1 }] });
    await record({ id: 'before', bootID: 'boot-0', sentAt: now(), times: [now()] });
    await temporal.pass(400);
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => next(world, 2).includes('maxReboots'), { within: 90 });
    await temporal.pass(600);
    expect(wish(world, 2)).toBeUndefined();
  });

  it('has the next step taken at once where the cloud cannot reboot', async () => {
    const { world, tell, record } = await rebooting('cannot');
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 90 });
    await record({ state: 'Unsupported', message: 'the cloud reboots nothing' });
    await temporal.until(() => world.deleted.length > 0, { within: 5 });
    expect(world.deleted).toEqual([2]);
  });

  it.each([
    ['ten minutes', {}, 600],
    ['the time that its step says', { drainTimeout: '2m' }, 120],
  ])('has the next step taken where the drain before it takes longer than %s', async (words, step, seconds) => {
    const steps = [{ action: 'Reboot', ...step }, { action: 'Replace' }];
    const { world, tell, record } = await rebooting(`drains-${words.length}`, { steps });
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 90 });
    await record({ state: 'Preparing' });
    await temporal.pass(seconds - 5);
    expect(world.deleted).toEqual([]);
    await temporal.until(() => world.deleted.length > 0, { within: 15 });
  });

  it.each<[string, (world: HealthWorld) => void]>([
    ['has failed', (world) => world.fail(2)],
    ['has an instance that is gone', (world) => world.terminate(2)],
  ])('has a machine replaced without a reboot that %s', async (words, spoil) => {
    const { world, tell } = await rebooting(`past-${words.length}`);
    await tell(() => {
      spoil(world);
      world.say(2, 'True', { type: 'Sick' });
    });
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    expect(wish(world, 2)).toBeUndefined();
  });

  it.each([
    ['replaced where it was rebooted twice within 24 hours', [23, 1], true],
    ['rebooted where one of two times is longer ago', [25, 1], false],
  ])('has a machine %s', async (_words, hours, isReplaced) => {
    const { world, tell, record } = await rebooting(`counted-${hours[0]}`);
    const times = hours.map((ago) => new Date(temporal.clock.timeOfDay() - ago * 3_600_000).toISOString());
    await record({ id: 'before', bootID: 'boot-0', times });
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => world.deleted.length > 0 || wish(world, 2) !== undefined, { within: 90 });
    expect([world.deleted, wish(world, 2) === undefined]).toEqual([isReplaced ? [2] : [], isReplaced]);
  });

  it('does not count the time in which the API server was away as time in which the reboot has not helped', async () => {
    const { world, tell, record } = await rebooting('away');
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 90 });
    await record({ bootID: 'boot-1', sentAt: now(), times: [now()] });
    await temporal.pass(60);
    const from = now();
    await temporal.pass(120);
    world.workflows.outages = [{ from, until: now() }];
    await temporal.pass(230);
    expect(world.deleted).toEqual([]);
    await temporal.until(() => world.deleted.length > 0, { within: 30 });
  });

  it('counts the minute anew in which nothing may be bad, where something was', async () => {
    const { world, tell, record, boot } = await rebooting('relapses');
    await tell(() => world.say(2, 'True', { type: 'Sick' }));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 90 });
    await record({ bootID: 'boot-1', sentAt: now(), times: [now()] });
    await boot('boot-2');
    for (const status of ['False', 'True', 'False'] as const) {
      await tell(() => world.say(2, status, { type: 'Sick' }));
      await temporal.pass(40);
    }
    expect(wish(world, 2)).toBeDefined();
    await temporal.until(() => wish(world, 2) === undefined, { within: 30 });
    expect(world.deleted).toEqual([]);
  });
});
