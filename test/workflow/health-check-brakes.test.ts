import { describe, expect, it } from '@jest/globals';
import { EXTERNAL_REMEDIATION_ANNOTATION } from '../../k8s/model/health-claim.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import type { MachineHealthCheckSpec } from '../world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../world/builders/a-machine-set.ts';
import type { HealthWorld } from '../world/health-world.ts';
import { runningHealthCheck, SICK } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const running = (name: string, machines: number, spec: Partial<MachineHealthCheckSpec> = {}) =>
  runningHealthCheck(temporal, name, { machines, spec: { unhealthyConditions: [SICK], ...spec } });
const FAILED = { phase: 'Failed', errorReason: 'CreateError', errorMessage: 'no' } as const;
const secondsSince = (began: number): number => (temporal.clock.now() - began) / 1000;

describe('how many may be unhealthy', () => {
  const remediation = { maxInFlight: 5, stormThreshold: '100%' };

  it.each<[string, Partial<MachineHealthCheckSpec>, number[], number]>([
    ['50% of five, rounded down: two', { maxUnhealthy: '50%' }, [1, 2], 2],
    ['50% of five, rounded down: not three', { maxUnhealthy: '50%' }, [1, 2, 3], 0],
    ['none, where it is 0', { maxUnhealthy: 0 }, [1], 0],
    ['all, where nothing is said', {}, [1, 2], 2],
    ['in a range: not fewer than that says', { unhealthyInRange: '[2-3]' }, [1], 0],
    ['in a range: as many as that says', { unhealthyInRange: '[2-3]' }, [1, 2], 2],
    ['in a range: not more than that says', { unhealthyInRange: '[2-3]' }, [1, 2, 3, 4], 0],
  ])('is %s', async (words, limits, ill, gone) => {
    const { world, tell } = await running(`most-${words.length}`, 5, { ...limits, remediation });
    await tell(() => world.sicken(...ill));
    await temporal.pass(300);
    expect(world.deleted).toHaveLength(gone);
    expect(world.condition('RemediationAllowed')).toMatchObject(
      gone === 0
        ? { status: 'False', reason: words.includes('fewer') ? 'TooFewUnhealthy' : 'TooManyUnhealthy' }
        : { status: 'True' },
    );
  });

  it.each<[string, (world: HealthWorld) => void]>([
    ['is annotated for another program', (world) => world.annotate(2, { [EXTERNAL_REMEDIATION_ANNOTATION]: '' })],
    ['is being deleted', (world) => world.add(2, { deleting: true })],
    ['has no Node yet', (world) => world.add(2, {}, null)],
    ['is not bad for long enough yet', (world) => world.say(2, 'True', { type: 'Slow' })],
  ])('counts one that %s', async (words, arrange) => {
    const slow = { type: 'Slow', status: 'True', timeout: '10m' } as const;
    const { world, tell } = await running(`counts-${words.length}`, 3, {
      maxUnhealthy: 1,
      unhealthyConditions: [SICK, slow],
    });
    await tell(() => {
      arrange(world);
      world.sicken(1);
    });
    await temporal.pass(300);
    expect(world.machine(1)?.metadata.deletionTimestamp).toBeUndefined();
    expect(world.condition('RemediationAllowed')).toMatchObject({
      reason: 'TooManyUnhealthy',
      message: expect.stringContaining('2 of 3 machines'),
    });
  });
});

describe('the order of remediations', () => {
  it('is: proved dead, never joined the first time in its set, longest unhealthy, never joined again', async () => {
    const spec = { nodeStartupTimeout: '5m', remediation: { maxInFlight: 1 } };
    const { world, tell } = await running('order', 10, spec);
    await tell(() => world.changeMeta({ annotations: { [PAUSED_ANNOTATION]: '' } }));
    await tell(() => {
      for (const n of [1, 2]) world.add(n, {}, null);
      world.sicken(3);
    });
    await temporal.pass(100);
    await tell(() => world.sicken(4));
    await temporal.pass(100);
    await tell(() => {
      world.sicken(5);
      world.terminate(5);
    });
    await temporal.pass(200);
    await tell(() => world.changeMeta({ annotations: {} }));
    const order: number[] = [];
    for (let made = 11; made <= 15; made += 1) {
      await temporal.until(() => world.deleted.length > 0, { within: 90 });
      const [n = 0] = world.deleted;
      order.push(n);
      await tell(() => {
        world.endMachine(n);
        world.add(made);
      });
    }
    expect(order).toEqual([5, 1, 3, 4, 2]);
  });
});

describe('the place of a remediation', () => {
  it.each<[string, (world: HealthWorld) => void]>([
    ['is scaled down', (world) => world.scaleSet(4)],
    ['is deleted', (world) => world.loseSet()],
    [
      'is paused',
      (world) => world.kube.put(aMachineSet({ replicas: 5, metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } })),
    ],
  ])('is free when its Machine is gone and its set %s, which makes no other one', async (words, arrange) => {
    const { world, tell } = await running(`place-${words.length}`, 5);
    await tell(() => world.sicken(1, 2));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    const [first = 0] = world.deleted;
    await tell(() => arrange(world));
    await temporal.pass(300);
    expect(world.deleted).toEqual([first]);
    await tell(() => world.endMachine(first));
    await temporal.until(() => world.deleted.includes(3 - first), { within: 90 });
  });

  it('does not come with the replacement of a machine that is still there: a share is of the places', async () => {
    const { world, tell } = await running('share', 5, { remediation: { stormThreshold: '100%' } });
    await tell(() => world.sicken(1, 2, 3));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    const [first = 0] = world.deleted;
    await tell(() => world.add(6));
    await temporal.pass(300);
    expect(world.deleted).toEqual([first]);
    expect(world.status).toMatchObject({
      expectedMachines: 6,
      remediationsInFlight: 1,
      remediationsInFlightLimit: 1,
    });
    await tell(() => world.endMachine(first));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
  });

  it('is kept by a replacement that fails, which is replaced after 1, 2, 4 … 60 minutes', async () => {
    const { world, tell } = await running('again', 8, { remediation: { maxInFlight: 1 } });
    await tell(() => world.fail(1));
    await temporal.until(() => world.deleted.length > 0);
    await tell(() => world.loseNode(2));
    const minutes: number[] = [];
    let replaced = 1;
    for (let made = 11; made <= 17; made += 1) {
      const began = temporal.clock.now();
      await tell(() => {
        world.endMachine(replaced);
        world.add(made, { status: FAILED }, null);
      });
      await temporal.until(() => world.deleted.length > 0, { within: 3700, step: 15 });
      expect(world.deleted).toEqual([made]);
      minutes.push(Math.round(secondsSince(began) / 60));
      replaced = made;
    }
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60]);
    await tell(() => {
      world.endMachine(replaced);
      world.add(18);
    });
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    expect(world.deleted).toEqual([2]);
    expect(world.events.filter(({ reason }) => reason === 'RemediationSucceeded')).toHaveLength(1);
  });
});

describe('a check that cannot be read', () => {
  it.each<[string, object]>([
    ['selector', { selector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] } }],
    ['timeout', { unhealthyConditions: [{ ...SICK, timeout: '5 minutes' }] }],
    ['nodeStartupTimeout', { nodeStartupTimeout: 'soon' }],
    ['unhealthyInRange', { unhealthyInRange: '[5-3]' }],
  ])('for its %s remediates nothing, says so once, and goes on when it is mended', async (field, spoiled) => {
    const { world, tell } = await running(`bad-${field.toLowerCase()}`, 3);
    const { spec } = world.check!;
    await tell(() => {
      world.change(spoiled);
      world.sicken(1);
    });
    await temporal.pass(600);
    expect(world.deleted).toEqual([]);
    expect(world.condition('RemediationAllowed')).toMatchObject({
      status: 'False',
      reason: 'MalformedObject',
      message: expect.stringContaining(field),
    });
    expect(world.events.filter(({ reason }) => reason === 'FailedValidate')).toHaveLength(1);
    const cleared = Object.fromEntries(Object.keys(spoiled).map((key) => [key, undefined]));
    await tell(() => world.change({ ...cleared, ...spec }));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
  });
});
