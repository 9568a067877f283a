import { describe, expect, it } from '@jest/globals';
import { KUBERNETES_REFUSED, OBJECT_CHANGED } from '../../workflows/failure-types.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { INVALID_TYPE, MISMATCH, NO_CAPACITY, THROTTLED } from './cloud-failures.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const provisioned = (world: MachineWorld) => () => world.status.phase === 'Provisioned';

function secondsBetweenLaunches({ launches }: MachineWorld): number[] {
  return launches.slice(1).map((call, index) => (call.at - (launches[index]?.at ?? 0)) / 1000);
}

describe('a launch that does not succeed at once', () => {
  it('goes on by itself when capacity comes back, a new attempt each time, no more often than the schedule', async () => {
    const world = new MachineWorld('capacity', temporal.now);
    let exhausted = true;
    world.fateOf = () => (exhausted ? NO_CAPACITY : 'instance');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InsufficientInstanceCapacity');
    expect(world.status.waiting?.retryClass).toBe('exhausted');
    await temporal.pass(600);
    expect(world.status.phase).toBe('Provisioning');
    exhausted = false;
    await temporal.until(provisioned(world), { within: 700, step: 10 });
    const waits = [60, 120, 240, 480];
    expect(world.launches).toHaveLength(waits.length + 1);
    secondsBetweenLaunches(world).forEach((seconds, i) => expect(seconds).toBeGreaterThanOrEqual(waits[i] ?? 600));
    expect(world.launches.map((c) => c.token)).toEqual(['token-1', 'token-2', 'token-3', 'token-4', 'token-5']);
    expect(world.events.filter((e) => e.reason === 'FailedCreate')).toHaveLength(1);
  });

  it('repeats a throttled call under the same token, which needs no look-up, ever more slowly', async () => {
    const world = new MachineWorld('throttled', temporal.now);
    world.fateOf = (call) => (call <= 4 ? THROTTLED : 'instance');
    await temporal.startMachine(world);
    await temporal.until(provisioned(world), { within: 300, step: 2 });
    expect(world.launches.map((c) => c.token)).toEqual(Array(5).fill('token-1'));
    expect(world.launches.map((c) => c.trustToken)).toEqual([undefined, true, true, true, true]);
    secondsBetweenLaunches(world).forEach((seconds, i) => expect(seconds).toBeGreaterThanOrEqual(5 * 2 ** i * 0.75));
  });

  it('looks first after silence, and finds the instance that the silent call had made', async () => {
    const world = new MachineWorld('silent', temporal.now);
    world.fateOf = (call) => (call === 1 ? 'unansweredInstance' : 'instance');
    await temporal.startMachine(world);
    await temporal.until(provisioned(world));
    expect(world.launches.map((c) => [c.token, c.lookFirst])).toEqual([
      ['token-1', false],
      ['token-1', true],
    ]);
    expect(world.instances).toHaveLength(1);
    expect(world.condition('MachineCreation')?.message).toContain('was found');
  });

  it('does not take a refusal for proof while an earlier call is unanswered: look-ups over the window settle it', async () => {
    const world = new MachineWorld('refused-after-silence', temporal.now);
    world.fateOf = (call) => (['unansweredNothing', NO_CAPACITY] as const)[call - 1] ?? 'instance';
    await temporal.startMachine(world);
    await temporal.until(provisioned(world), { within: 900, step: 5 });
    const [, refused, next] = world.launches;
    expect(next).toMatchObject({ token: 'token-2', attempt: 2 });
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(360_000);
    expect(world.called('findInstances')).toBeGreaterThanOrEqual(3);
  });

  it('does not call again under a token that the cloud knows with other parameters', async () => {
    const world = new MachineWorld('mismatch', temporal.now);
    world.fateOf = (call) => (call === 1 ? MISMATCH : 'instance');
    await temporal.startMachine(world);
    await temporal.until(provisioned(world), { within: 900, step: 5 });
    expect(world.launches.map((c) => c.token)).toEqual(['token-1', 'token-2']);
  });

  it('waits for a Secret that is missing, and goes on when it is there', async () => {
    const world = new MachineWorld('secretless', temporal.now);
    world.hasSecret = false;
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'SecretMissing');
    await temporal.pass(120);
    expect(world.launches).toHaveLength(0);
    world.hasSecret = true;
    await temporal.until(provisioned(world), { within: 300, step: 5 });
    expect(world.launches).toHaveLength(1);
  });

  it('names the field of an invalid spec and waits, without a timer, until the spec changes', async () => {
    const world = new MachineWorld('invalid', temporal.now);
    world.invalidSpecs.set('spec-1', { field: 'providerSpec.value.zone', message: 'no such zone' });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration');
    expect(world.condition('MachineCreation')?.message).toBe('providerSpec.value.zone: no such zone');
    await temporal.pass(86_400);
    expect(world.called('prepareLaunch')).toBe(1);
    world.change({ specHash: 'spec-2', generation: 2 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(provisioned(world));
  });

  it('tries again, seldom, where what is wrong may be mended outside the spec', async () => {
    const world = new MachineWorld('mended-elsewhere', temporal.now);
    world.fateOf = (call) => (call === 1 ? { ...INVALID_TYPE, outsideSpec: true } : 'instance');
    await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration');
    expect(world.status.waiting?.nextTry).toBeDefined();
    await temporal.until(provisioned(world), { within: 700, step: 10 });
    expect(world.launches.map((c) => c.token)).toEqual(['token-1', 'token-2']);
  });

  it('waits for another spec when the cloud itself calls this one invalid', async () => {
    const world = new MachineWorld('cloud-invalid', temporal.now);
    world.fateOf = (call) => (call === 1 ? INVALID_TYPE : 'instance');
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration');
    await temporal.pass(86_400);
    expect(world.launches).toHaveLength(1);
    world.change({ specHash: 'spec-2', generation: 2 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(provisioned(world));
    expect(world.launches.at(-1)?.token).toBe('token-2');
  });
});

describe('a Node that does not join', () => {
  it('fails the Machine after the creation timeout, and keeps the instance', async () => {
    const world = new MachineWorld('late', temporal.now);
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Failed', { within: 1300, step: 10 });
    expect(world.status.error?.reason).toBe('JoinClusterTimeoutError');
    expect((await temporal.now()) - (world.launches[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_200_000);
    await temporal.pass(3600);
    expect(world.called('terminateInstance')).toBe(0);
  });

  it('has as long as the Machine itself says', async () => {
    const world = new MachineWorld('hurried', temporal.now);
    world.change({ creationTimeoutSeconds: 30 });
    await temporal.startMachine(world);
    await temporal.until(() => world.status.error?.reason === 'JoinClusterTimeoutError', { within: 40 });
  });

  it('is given the whole time even where capacity was waited for longer than that', async () => {
    const world = new MachineWorld('patient', temporal.now);
    world.fateOf = (call) => (call <= 6 ? NO_CAPACITY : 'instance');
    const handle = await temporal.startMachine(world);
    await temporal.until(provisioned(world), { within: 3600, step: 10 });
    await temporal.pass(1000);
    expect(world.status.phase).toBe('Provisioned');
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Running');
  });
});

describe('a step that Kubernetes does not let through', () => {
  it.each(['writeMachineStatus', 'joinNode', 'recordInstance', 'prepareLaunch'] as const)(
    'ends no life: it is looked at again where the object changed under %s',
    async (name) => {
      const world = new MachineWorld(`changed-${name.toLowerCase()}`, temporal.now);
      world.failNext = { name, type: OBJECT_CHANGED };
      const handle = await temporal.startMachine(world);
      await temporal.until(provisioned(world), { within: 60 });
      world.nodeRegisters();
      await temporal.signal(handle, changedSignal);
      await temporal.until(() => world.status.phase === 'Running');
      expect(world.failNext).toBeUndefined();
      expect(world.instances).toHaveLength(1);
    },
  );

  it('is told and tried again where it is refused', async () => {
    const world = new MachineWorld('refused', temporal.now);
    world.failNext = { name: 'prepareLaunch', type: KUBERNETES_REFUSED };
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'KubernetesRefused');
    await temporal.until(provisioned(world), { within: 120 });
    world.nodeRegisters();
    world.failNext = { name: 'joinNode', type: KUBERNETES_REFUSED };
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'KubernetesRefused');
    await temporal.until(() => world.status.phase === 'Running', { within: 120 });
    expect(world.instances).toHaveLength(1);
  });
});
