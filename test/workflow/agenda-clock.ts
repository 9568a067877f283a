import { AsyncResource } from 'node:async_hooks';
import type { Agenda } from '../simulation/time/agenda.ts';
import { clockOf } from '../simulation/time/clock.ts';
import { Random } from '../simulation/time/random.ts';
import type { WorldClock } from '../world/world-clock.ts';

/** The clock of a world whose time is an agenda's. */
export function agendaClock(agenda: Agenda): WorldClock {
  const clock = clockOf(agenda, new Random('world'));
  let setMs = 0;
  return {
    ...clock,
    timeOfDay: () => clock.timeOfDay() + setMs,
    after: (ms, run) => clock.after(ms, AsyncResource.bind(run)),
    set: (ms) => {
      setMs += ms;
    },
    goAhead: (ms) => agenda.pause(ms),
    holding: (what) => agenda.holding(what),
  };
}
