import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { MINUTE, NOW } from './check-for-tests.ts';
import { emptyHealthMemory } from './health-memory.ts';
import { World, type Manner } from './world-for-tests.ts';

type Act = (world: World) => void;

const which = fc.nat(50);
const someTime = fc.oneof(fc.integer({ min: 1, max: 30_000 }), fc.integer({ min: 30_000, max: 12 * MINUTE }));

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: someTime.map(
      (ms): Act =>
        (world) =>
          world.pass(ms),
    ),
  },
  {
    weight: 4,
    arbitrary: which.map(
      (at): Act =>
        (world) =>
          onApi(world, () => world.breakDown(world.pick(at))),
    ),
  },
  {
    weight: 2,
    arbitrary: which.map(
      (at): Act =>
        (world) =>
          onApi(world, () => world.mend(world.pick(at))),
    ),
  },
  {
    weight: 1,
    arbitrary: which.map(
      (at): Act =>
        (world) =>
          onApi(world, () => end(world, at)),
    ),
  },
  {
    weight: 1,
    arbitrary: which.map(
      (at): Act =>
        (world) =>
          onApi(world, () => strike(world, at)),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Act>((world) => toggleOutage(world)) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: -3000, max: 3000 }).map(
      (ms): Act =>
        (world) =>
          void (world.skew = ms),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Manner>('done', 'done', 'refused', 'lost', 'lostWithEffect').map(
      (manner): Act =>
        (world) =>
          void (world.manner = manner),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1000, MINUTE, 9 * MINUTE, Infinity).map(
      (ms): Act =>
        (world) =>
          void (world.joinsAfter = ms),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 6, max: 9 }).map(
      (n): Act =>
        (world) =>
          onApi(world, () => world.scale('a', n)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (is): Act =>
        (world) =>
          onApi(world, () => void (world.isPaused = is)),
    ),
  },
  {
    weight: 1,
    arbitrary: which.map(
      (at): Act =>
        (world) =>
          onApi(world, () => skip(world, at)),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Act>((world) => onApi(world, () => void (world.proceedAt = world.now))) },
);

/** What the API server has to take; and the watcher wakes the check. */
function onApi(world: World, change: () => void): void {
  if (world.isAway) return;
  change();
  world.look();
}

function end(world: World, at: number): void {
  const machine = world.pick(at);
  if (machine !== undefined) machine.hasEnded = true;
}

/** Many at once. */
function strike(world: World, from: number): void {
  for (let at = 0; at < world.machines.length; at += 1) if ((at + from) % 4 > 0) world.breakDown(world.pick(at));
}

function skip(world: World, at: number): void {
  const machine = world.pick(at);
  if (machine !== undefined) machine.isSkipped = !machine.isSkipped;
}

function toggleOutage(world: World): void {
  const last = world.outages.at(-1);
  if (last !== undefined && last.until === undefined) {
    last.until = world.now;
    world.look();
  } else if (last?.until !== world.now) world.outages.push({ from: world.now });
}

/** Nothing goes wrong any more, and what is wrong still is for the check to heal. */
function calm(world: World): void {
  if (world.isAway) toggleOutage(world);
  world.manner = 'done';
  world.joinsAfter = MINUTE;
  world.isPaused = false;
  for (const machine of world.machines) machine.isSkipped = false;
  world.look();
  world.pass(10_000);
  world.proceedAt = world.now;
  world.look();
}

describe('whatever happens', () => {
  it('only what is due is remediated, never more than may be at a time, each once; in the end all is well', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40, size: 'max' }), (acts) => {
        const world = new World(NOW, { a: 8, b: 8 });
        for (const one of acts) one(world);
        calm(world);
        world.pass(48 * 60 * MINUTE);
        expect(world.machines.filter((machine) => !world.isWell(machine)).map(({ name }) => name)).toEqual([]);
        world.look();
        const { lookedAt: _at, rules: _rules, pace: _pace, ...rest } = world.course.memory;
        expect(rest).toEqual(emptyHealthMemory());
        expect(world.course.last?.lookAt).toBe(Infinity);
      }),
      { numRuns: 150 },
    );
  });
});
