import { describe, expect, it } from '@jest/globals';
import { PROCEED_ANNOTATION } from '../../k8s/model/machine-health-check.ts';
import type { MachineHealthCheckSpec } from '../world/builders/a-machine-health-check.ts';
import { aNode } from '../world/builders/a-node.ts';
import type { HealthWorld } from '../world/health-world.ts';
import { nextFor, runningHealthCheck, SICK } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const ZONE = 'topology.kubernetes.io/zone';

const running = (name: string, machines: number, spec: Partial<MachineHealthCheckSpec> = {}) =>
  runningHealthCheck(temporal, name, { machines, spec: { unhealthyConditions: [SICK], ...spec } });
const secondsSince = (began: number): number => (temporal.clock.now() - began) / 1000;
const now = (): string => new Date(temporal.clock.timeOfDay()).toISOString();

describe('a storm', () => {
  it('holds what is bad by its cause, and nothing else', async () => {
    const { world, tell } = await running('by-cause', 10);
    await tell(() => world.sicken(1, 2, 3, 4, 5, 6));
    await temporal.until(() => world.condition('StormSuspected') !== undefined, { within: 90 });
    expect(world.condition('StormSuspected')?.message).toContain('6 of 10 machines are bad by one cause');
    await tell(() => world.fail(8));
    await temporal.until(() => world.deleted.length > 0, { within: 5 });
    await temporal.pass(300);
    expect(world.deleted).toEqual([8]);
    expect(nextFor(world, 1)).toContain('until the storm is over');
  });

  it.each<[string, (world: HealthWorld, n: number) => void, boolean]>([
    ['their Nodes are gone', (world, n) => world.loseNode(n), true],
    ['their Nodes have not come', (world, n) => world.add(n, {}, null), true],
    ['they are Failed, for one reason', (world, n) => world.fail(n), true],
    ['they are Failed, each for a reason of its own', (world, n) => world.fail(n, `Reason${n}`), false],
  ])('may be that %s', async (words, spoil, isStorm) => {
    const { world, tell } = await running(`cause-${words.length}`, 10, { nodeStartupTimeout: '2m' });
    await tell(() => {
      for (let n = 1; n <= 6; n += 1) spoil(world, n);
    });
    await temporal.pass(300);
    expect(world.deleted).toHaveLength(isStorm ? 0 : 2);
    expect(world.condition('StormSuspected')?.reason).toBe(isStorm ? 'ManyAtOnce' : undefined);
  });

  it.each([
    ['is none of two machines, though they are more than half', 3, [1, 2], 1],
    ['is none of half of them', 6, [1, 2, 3], 2],
    ['is more than half of them', 6, [1, 2, 3, 4], 0],
  ])('%s', async (words, machines, ill, gone) => {
    const { world, tell } = await running(`least-${words.length}`, machines);
    await tell(() => world.sicken(...ill));
    await temporal.pass(300);
    expect(world.deleted).toHaveLength(gone);
    expect(world.condition('StormSuspected')?.reason).toBe(gone === 0 ? 'ManyAtOnce' : undefined);
  });

  it.each([
    ['within five minutes of each other', 50, 0],
    ['one after the other, over more than that', 100, 2],
  ])('is where they turned bad %s: %i s apart', async (_words, apart, gone) => {
    const { world, tell } = await running(`apart-${apart}`, 10, {
      unhealthyConditions: [{ ...SICK, timeout: '20m' }],
    });
    for (let n = 1; n <= 6; n += 1) {
      await tell(() => world.sicken(n));
      await temporal.pass(apart);
    }
    await temporal.pass(1200);
    expect(world.deleted).toHaveLength(gone);
    expect(world.condition('StormSuspected')?.status).toBe(gone === 0 ? 'True' : undefined);
  });

  it('lets go when few enough are bad for a while; then they go one at a time, and twice as many with each success', async () => {
    const { world, tell } = await running('lets-go', 10, { remediation: { maxInFlight: 4 } });
    await tell(() => world.sicken(1, 2, 3, 4, 5, 6, 7, 8));
    await temporal.until(() => world.condition('StormSuspected') !== undefined, { within: 90 });
    await temporal.pass(100);
    await tell(() => world.heal(6, 7, 8));
    const began = temporal.clock.now();
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    expect(secondsSince(began)).toBeGreaterThan(48);
    await temporal.pass(300);
    const [first = 0] = world.deleted;
    expect(world.deleted).toEqual([first]);
    expect(world.condition('InFlightLimit')?.message).toContain('after a storm');
    await tell(() => {
      world.endMachine(first);
      world.add(11);
    });
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    await temporal.pass(300);
    const [second = 0, third] = world.deleted;
    expect(world.deleted).toEqual([second, third]);
    await tell(() => {
      world.endMachine(second);
      world.add(12);
      world.add(13);
    });
    await temporal.until(() => world.deleted.length === 3, { within: 90 });
  });

  it('does not hold a machine whose instance is gone; the pace does', async () => {
    const { world, tell } = await running('proved', 10, { remediation: { maxInFlight: 1 } });
    await tell(() => {
      world.sicken(1, 2, 3, 4, 5, 6, 7, 8, 9);
      for (const n of [1, 2, 3]) world.terminate(n);
    });
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    await temporal.pass(300);
    expect(world.deleted).toHaveLength(1);
    expect(world.condition('InFlightLimit')).toMatchObject({ status: 'True', reason: 'AtLimit' });
    expect(world.condition('StormSuspected')).toMatchObject({ status: 'True' });
  });

  it('holds again what turns bad after somebody said proceed', async () => {
    const { world, tell } = await running('comes-again', 10);
    await tell(() => world.sicken(1, 2, 3, 4, 5, 6));
    await temporal.until(() => world.condition('StormSuspected') !== undefined, { within: 90 });
    await tell(() => world.changeMeta({ annotations: { [PROCEED_ANNOTATION]: now() } }));
    await temporal.until(() => world.condition('StormSuspected') === undefined);
    await tell(() => world.heal(1, 2, 3, 4, 5, 6));
    await temporal.pass(600);
    const { length } = world.deleted;
    await tell(() => world.sicken(...[1, 2, 3, 4, 5, 6, 7, 8].filter((n) => !world.deleted.includes(n))));
    await temporal.until(() => world.condition('StormSuspected')?.status === 'True', { within: 90 });
    await temporal.pass(300);
    expect(world.deleted).toHaveLength(length);
  });
});

describe('a zone of which all Nodes are bad', () => {
  /** Ten machines, the first four of which are in zone a, the others in zone b. */
  async function zones(name: string, unhealthyConditions: MachineHealthCheckSpec['unhealthyConditions'] = [SICK]) {
    const all = await running(name, 10, { unhealthyConditions });
    const { world } = all;
    for (let n = 1; n <= 10; n += 1) world.label(n, { [ZONE]: n <= 4 ? 'a' : 'b' });
    return all;
  }

  it('is a storm, which holds its machines and no others, until one of its Nodes is well for a while', async () => {
    const { world, tell } = await zones('zone');
    await tell(() => world.sicken(1, 2, 3, 4, 7));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    await temporal.pass(600);
    expect(world.deleted).toEqual([7]);
    expect(world.condition('StormSuspected')).toMatchObject({
      reason: 'ZoneLost',
      message: expect.stringContaining('all 4 Nodes of zone a'),
    });
    await tell(() => {
      world.endMachine(7);
      world.add(11);
      world.heal(1);
    });
    const began = temporal.clock.now();
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    expect(secondsSince(began)).toBeGreaterThan(48);
  });

  it('lets go of its machines when somebody says proceed', async () => {
    const { world, tell } = await zones('zone-proceeds');
    await tell(() => world.sicken(1, 2, 3, 4));
    await temporal.until(() => world.condition('StormSuspected')?.reason === 'ZoneLost', { within: 90 });
    await temporal.pass(300);
    expect(world.deleted).toEqual([]);
    await tell(() => world.changeMeta({ annotations: { [PROCEED_ANNOTATION]: now() } }));
    await temporal.until(() => world.deleted.length > 0, { within: 10 });
    expect(world.condition('StormSuspected')).toBeUndefined();
  });

  it('is none where these turned bad one after the other, over more than five minutes', async () => {
    const { world, tell } = await zones('zone-slowly', [{ ...SICK, timeout: '20m' }]);
    for (const n of [1, 2, 3, 4]) {
      await tell(() => world.sicken(n));
      await temporal.pass(150);
    }
    await temporal.until(() => world.deleted.length > 0, { within: 1200 });
    expect(world.condition('StormSuspected')).toBeUndefined();
  });

  it.each<[string, (world: HealthWorld) => void]>([
    ['it has two Nodes only', (world) => [3, 4].forEach((n) => world.label(n, { [ZONE]: 'b' }))],
    [
      'a Node in it is well, be that of no machine of the check',
      (world) => world.putNode(aNode({ name: 'other', metadata: { labels: { [ZONE]: 'a' } } })),
    ],
    [
      'no other zone is healthy',
      (world) => {
        for (let n = 5; n <= 10; n += 1) world.say(n, 'False');
      },
    ],
  ])('is none where %s', async (words, arrange) => {
    const { world, tell } = await zones(`zone-${words.length}`);
    await tell(() => {
      arrange(world);
      world.sicken(1, 2, 3, 4);
    });
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    expect(world.condition('StormSuspected')).toBeUndefined();
  });
});
