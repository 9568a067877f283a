import { Random } from '../time/random.ts';
import type { Universe } from '../universe.ts';
import type { Weather } from './disturbances.ts';
import { spellOf } from './spell.ts';

const MINUTE_MS = 60_000;

/** What goes wrong beside the calls. */
export function planDisturbances(universe: Universe, weather: Weather, seed: string): void {
  const random = new Random(`${seed} disturbances`);
  const spells = new Random(`${seed} spells`);
  const standstills = new Random(`${seed} standstills`);
  const { agenda, adversary } = universe;
  const every = (perMinute: number, act: () => void, by = random): void => {
    if (perMinute === 0) return;
    agenda.after(by.around(MINUTE_MS / perMinute), () => {
      act();
      every(perMinute, act, by);
    });
  };
  every(weather.deathsAMinute, () => {
    const process = random.pick(universe.processes());
    if (process !== undefined) adversary.disturb(process.name, 'is killed', () => process.die());
  });
  const pause = (): void => {
    const process = standstills.pick(universe.processes());
    if (process === undefined) return;
    adversary.disturb(process.name, 'is stopped', () => adversary.standStill(process, standstills));
  };
  every(weather.standstillsAMinute, pause, standstills);
  every(weather.cutsAMinute, () => {
    const process = random.pick(universe.processes());
    const side = random.pick(['kube', 'cloud', 'temporal', 'core'] as const) ?? 'kube';
    const ms = random.around(20_000);
    const what = `is cut off from ${side} for ${Math.round(ms / 1000)} s`;
    if (process !== undefined) adversary.disturb(process.name, what, () => adversary.cut(process, side, ms));
  });
  every(weather.clockJumpsAMinute, () => {
    const process = random.pick(universe.processes());
    const skewMs = universe.skew(random);
    if (process === undefined) return;
    adversary.disturb(process.name, `has its clock set ${skewMs / 1000} s off`, () => process.setClock(skewMs));
  });
  every(weather.evictionsAMinute, () => {
    const worker = random.pick([...universe.workers.values()]);
    const runId = worker && random.pick(worker.sdk.cached);
    if (worker === undefined || runId === undefined || worker.process.standsStill) return;
    adversary.disturb(worker.process.name, `forgets run ${runId}`, () => worker.sdk.evict(runId));
  });
  every(weather.spellsAMinute, () => {
    const spell = spellOf(spells, [...adversary.calls.keys()]);
    const kinds = [...new Set(spell.faults)].join(', then ');
    const what = `the next ${spell.faults.length} ${spell.what} meet: ${kinds}, for ${Math.round(spell.mostMs / 1000)} s at most`;
    adversary.disturb('outside', what, () => adversary.begin(spell));
  });
  every(weather.compactionsAMinute, () => {
    adversary.disturb('API server', 'forgets the history of changes', () => universe.api.compact());
  });
  every(weather.lossesAMinute, () => {
    adversary.disturb('Temporal', 'comes back with its database lost', () => universe.temporal.lose());
  });
  if (universe.hasCredentials) {
    const quotes = new Random(`${seed} quotes`);
    every(weather.quotesAMinute, () => {
      const times = 1 + quotes.below(8);
      const what = `fails at the next ${times} calls for an instance, and tells what it was sent`;
      adversary.disturb('cloud', what, () => universe.cloud.quote(times));
    });
  }
  every(weather.terminationsAMinute, () => {
    const run = random.pick(universe.temporal.running());
    if (run === undefined) return;
    adversary.disturb('somebody', `ends workflow ${run.identity.workflowId} in Temporal`, () => run.terminate());
  });
}
