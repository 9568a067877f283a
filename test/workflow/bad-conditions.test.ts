import { describe, expect, it } from '@jest/globals';
import type { MachineHealthCheckSpec } from '../world/builders/a-machine-health-check.ts';
import type { HealthWorld } from '../world/health-world.ts';
import { expectDeleted as deletedAfter } from './expect-deleted.ts';
import { realHealthCheck, runningHealthCheck } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const running = (name: string, spec: Partial<MachineHealthCheckSpec> = {}) =>
  runningHealthCheck(temporal, name, { spec });
const expectDeleted = (world: HealthWorld, n: number, seconds: number) => deletedAfter(temporal, world, n, seconds);
/** The time so many seconds ago. */
const ago = (seconds: number): number => temporal.clock.timeOfDay() - seconds * 1000;
const iso = (at: number): string => new Date(at).toISOString();

describe('since when a condition is bad', () => {
  it.each([
    ['what it says, where that is after it was last seen to be good', 100, 200],
    ['our first sight, where it says a time at which it was seen to be good', 1800, 300],
  ])('is %s', async (_words, secondsAgo, seconds) => {
    const { world, tell } = await running(`since-${secondsAgo}`);
    // The last good look is at the change of another machine.
    await temporal.pass(3000);
    await tell(() => world.annotate(1, { any: 'change' }));
    await temporal.pass(200);
    await tell(() => world.say(2, 'Unknown', { at: ago(secondsAgo) }));
    await expectDeleted(world, 2, seconds);
  });

  it.each([
    ['what it says, where the check is new', 7200, 60],
    ['our first sight, where the Node came after what it says', 60, 300],
  ])('is %s', async (_words, ageOfNode, seconds) => {
    const { world, start } = realHealthCheck(temporal, `new-${ageOfNode}`);
    await temporal.pass(7300);
    world.say(2, 'Unknown', { at: ago(240) });
    const node = world.node(2)!;
    world.putNode({ ...node, metadata: { ...node.metadata, creationTimestamp: iso(ago(ageOfNode)) } });
    await start();
    await expectDeleted(world, 2, seconds);
  });

  it('is not reset where its workflow has to begin anew', async () => {
    const { world, start } = realHealthCheck(temporal, 'anew');
    const handle = await start();
    await temporal.pass(10);
    world.say(2, 'Unknown');
    await temporal.pass(200);
    await handle.terminate();
    await start();
    await expectDeleted(world, 2, 100);
  });

  it('is not reset where all workers are restarted', async () => {
    const { world, tell } = await running('restarted');
    await tell(() => world.say(2, 'Unknown'));
    await temporal.pass(130);
    await temporal.withoutWorkers(5);
    await temporal.pass(60);
    await temporal.withoutWorkers(5);
    await expectDeleted(world, 2, 100);
  });

  it('is kept where no worker ran for long, and the condition did not change meanwhile', async () => {
    const { world, tell } = await running('gap');
    await tell(() => world.say(2, 'Unknown'));
    await temporal.pass(10);
    await temporal.withoutWorkers(250);
    await expectDeleted(world, 2, 40);
  });

  it('is what it says, where no worker ran for more than half of its time-out and it changed meanwhile', async () => {
    const { world, tell } = await running('gap-moved');
    await tell(() => world.say(2, 'Unknown'));
    await temporal.pass(10);
    const restarted = temporal.withoutWorkers(250);
    world.say(2, 'Unknown', { at: temporal.clock.timeOfDay() + 150_000 });
    await restarted;
    await expectDeleted(world, 2, 200);
  });

  it('begins anew after a good look, also where the condition has disappeared', async () => {
    const rule = { type: 'Sick', status: 'True', timeout: '2m' } as const;
    const { world, tell } = await running('disappears', { unhealthyConditions: [rule] });
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.pass(60);
    await tell(() => {
      const node = world.node(1)!;
      const conditions = (node.status?.conditions ?? []).filter(({ type }) => type !== 'Sick');
      world.putNode({ ...node, status: { ...node.status, conditions } });
    });
    await temporal.until(() => world.status.currentHealthy === 3);
    await temporal.pass(600);
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await expectDeleted(world, 1, 120);
  });
});

describe('a Node that comes and goes', () => {
  /** It is bad for some seconds of each minute. */
  async function flap(name: string, bad: number) {
    const { world, tell } = await running(name);
    const began = temporal.clock.now();
    const isOver = () => world.deleted.length > 0 || temporal.clock.now() - began >= 1_500_000;
    while (!isOver()) {
      await tell(() => world.say(2, 'False'));
      await temporal.pass(bad);
      if (!isOver()) await tell(() => world.say(2, 'True'));
      await temporal.pass(60 - bad);
    }
    return { world, minutes: (temporal.clock.now() - began) / 60_000 };
  }

  it('is unhealthy when it was bad for more than half of three time-outs', async () => {
    const { world, minutes } = await flap('flaps', 40);
    expect(world.deleted).toEqual([2]);
    // Of each minute 40 s: 7.5 minutes of them are together after eleven.
    expect(minutes).toBeGreaterThanOrEqual(11);
    expect(minutes).toBeLessThanOrEqual(13);
  });

  it('is not, where it was bad for less', async () => {
    const { world } = await flap('hardly-flaps', 20);
    expect(world.deleted).toEqual([]);
  });
});
