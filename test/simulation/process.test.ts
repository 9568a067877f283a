import { expect, it } from '@jest/globals';
import { SimulatedProcess } from './process.ts';
import { Agenda } from './time/agenda.ts';
import { Random } from './time/random.ts';

/** A process whose calls take 100 ms, what it noted, and when, in milliseconds. */
function aProcess() {
  const agenda = new Agenda(0);
  const noted: (readonly [what: string, at: number])[] = [];
  const network = {
    call: async <T>(_from: SimulatedProcess, what: string, carryOut: () => T | Promise<T>): Promise<T> => {
      const answer = await carryOut();
      await agenda.pause(100);
      noted.push([`the answer to ${what} comes`, agenda.now]);
      return answer;
    },
  };
  const process = new SimulatedProcess({ name: 'worker', agenda, random: new Random('one'), network });
  const note = (what: string): void => void noted.push([what, process.clock.now()]);
  return { agenda, process, noted, note };
}

it('a process that stands still hears of answers and its timers when it goes on, and both clocks have moved', async () => {
  const { agenda, process, noted, note } = aProcess();
  agenda.after(10_000, () => {});
  void process.call('a look', () => note('the look takes effect')).then(() => note('it hears the answer'));
  process.clock.after(500, () => note('a timer is over'));
  process.clock.after(5000, () => note('a later one is'));
  agenda.after(50, () => process.standStill(2000, false));
  await agenda.runUntil(10_000);
  expect(noted).toEqual([
    ['the look takes effect', 0],
    ['the answer to a look comes', 100],
    ['it hears the answer', 2050],
    ['a timer is over', 2050],
    ['a later one is', 5000],
  ]);
  expect(process.clock.timeOfDay()).toBe(10_000);
});

it('a computer that is suspended does not count that on the clock that never goes back, nor for its timers', async () => {
  const { agenda, process, noted, note } = aProcess();
  process.clock.after(500, () => note('a timer is over'));
  agenda.after(10_000, () => {});
  agenda.after(100, () => process.standStill(2000, true));
  await agenda.runUntil(2000);
  expect([noted, process.standsStill]).toEqual([[], true]);
  await agenda.runUntil(10_000);
  expect(noted).toEqual([['a timer is over', 500]]);
  expect([process.clock.now(), process.clock.timeOfDay()]).toEqual([8000, 10_000]);
});

it('what is called off while a process stands still does not happen, and nothing does where it dies meanwhile', async () => {
  const { agenda, process, noted, note } = aProcess();
  let callOff = () => {};
  process.clock.after(200, () => callOff());
  callOff = process.clock.after(300, () => note('what was called off'));
  process.standStill(1000, false);
  await agenda.runUntil(2000);
  process.clock.after(100, () => note('what came too late'));
  process.standStill(1000, false);
  agenda.after(500, () => process.die());
  await agenda.runUntil(5000);
  expect(noted).toEqual([]);
});
