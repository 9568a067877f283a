import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import { MACHINES, MACHINE_SETS } from '../../k8s/dialects/openshift/resources.ts';
import { CALM, weatherOf, type Weather } from './adversary/disturbances.ts';
import { ASSUMPTIONS, BEYOND } from './assumptions.ts';
import { Judges, type Violation } from './judges/judges.ts';
import { People } from './people.ts';
import { SCENARIOS, type Scenario, type ScenarioName } from './scenarios.ts';
import type { Story } from './story.ts';
import type { Run } from './temporal/run.ts';
import { Random } from './time/random.ts';
import { Universe } from './universe.ts';

export interface Play {
  readonly seed: string;
  readonly scenario: ScenarioName;
  /** Whether the disturbance of this number happens. @default all do */
  readonly allows?: (disturbance: number) => boolean;
  /** In a world that the product's proof does not hold in. @default false */
  readonly isBeyond?: boolean;
  /** Told of some of the runs that ended, for the SDK's real core to replay. @default nobody is */
  readonly onSample?: (run: Run) => void;
}

export interface Outcome {
  readonly seed: string;
  readonly scenario: ScenarioName;
  readonly violations: readonly Violation[];
  readonly story: Story;
  /** Machines that came and went, or are there at the end. */
  readonly lives: number;
  /** Milliseconds of virtual time. */
  readonly virtualMs: number;
  readonly looks: number;
  readonly steps: number;
  readonly disturbances: number;
  readonly coverage: ReadonlyMap<string, number>;
  readonly calls: ReadonlyMap<string, number>;
  /** From the moment nothing was disturbed any more until everything was as asked for, in milliseconds of virtual time. */
  readonly restMs: number;
}

const MINUTE_MS = 60_000;
/** The share of histories that a fresh worker replays, to see that it asks for the same. */
const REPLAYED = 0.05;
/** The share that the real core replays as well. */
const SAMPLED = 0.05;
/** How often it is looked whether everything is as asked for, in milliseconds. */
const REST_LOOK_MS = 30_000;

/** One run, from its seed: the same each time. */
export async function play({
  seed,
  scenario: name,
  allows = () => true,
  isBeyond = false,
  onSample,
}: Play): Promise<Outcome> {
  const scenario: Scenario = SCENARIOS[name];
  const random = new Random(`${seed} play`);
  const strength = scenario.storm * random.next() ** 2;
  const weather = strength === 0 ? CALM : weatherOf(strength);
  const problems: { readonly who: string; readonly message: string }[] = [];
  const universe = await Universe.create({
    seed,
    weather,
    assumptions: isBeyond ? BEYOND : ASSUMPTIONS,
    tokens: random.chance(0.5),
    workers: scenario.storm === 0 ? 1 : 1 + random.below(2),
    watchers: scenario.storm === 0 ? 1 : 1 + random.below(2),
    longHistory: random.pick([40, 150, 4096]) ?? 4096,
    allows,
    onBroken: (task, failure) => problems.push({ who: task.workflowId, message: failure.message ?? '' }),
  });
  const { agenda, adversary, cloud, api, temporal } = universe;
  const begin = agenda.now;
  const foreign = cloud.launchForeign();
  await agenda.runUntil(begin + 1000);
  cloud.behave(strength, random);
  let people: People | undefined;
  const judges = new Judges(universe, () => people);
  const replayed = new Random(`${seed} replayed`);
  judges.protect((await foreign).id);
  let lives = 0;
  temporal.onClosed = (run) => {
    const { identity, status } = run;
    if (identity.workflowType === 'machine' && status === 'COMPLETED') lives += 1;
    judges.judgeHistory(run);
    if (replayed.chance(REPLAYED)) void agenda.holding(universe.replay(run));
    // One that was ended by hand may have been in the middle of something.
    if (status !== 'TERMINATED' && replayed.chance(SAMPLED)) onSample?.(run);
  };
  people = new People(universe, scenario.habits, new Random(`${seed} people`));
  for (const [n, replicas] of scenario.sets.entries()) await people.createSet(`set-${n + 1}`, replicas);
  for (let n = 0; n < scenario.singles; n += 1) await people.createMachine();
  planDisturbances(universe, weather, new Random(`${seed} disturbances`));
  const goesOn = () => judges.violations.length === 0 && problems.length === 0;
  await agenda.runUntil(begin + scenario.minutes * MINUTE_MS, goesOn);
  adversary.letGo();
  cloud.calmDown();
  await people.goHome();
  const restFrom = agenda.now;
  const last = restFrom + scenario.restMinutes * MINUTE_MS;
  while (goesOn() && agenda.now < last && !isAtRest(universe)) {
    await agenda.runUntil(Math.min(last, agenda.now + REST_LOOK_MS), goesOn);
  }
  const restMs = agenda.now - restFrom;
  for (const { who, message } of problems) judges.accuse('no broken workflow', `${who}: ${message}`);
  for (const run of temporal.running()) judges.judgeHistory(run);
  if (goesOn()) judges.judgeEnd();
  lives += api.all(MACHINES).length;
  universe.end();
  return {
    seed,
    scenario: name,
    violations: judges.violations,
    story: universe.story,
    lives,
    virtualMs: agenda.now - begin,
    looks: judges.looks,
    steps: agenda.steps,
    disturbances: adversary.disturbances,
    coverage: adversary.coverage,
    calls: adversary.calls,
    restMs,
  };
}

/** Everything asked for is there, and everything else is gone. */
function isAtRest({ api, temporal }: Universe): boolean {
  const machineRuns = temporal.running().filter(({ identity }) => identity.workflowType === 'machine');
  // The last part of a workflow's id is its object's uid.
  if (machineRuns.some(({ identity }) => !api.store.has(identity.workflowId.split('/').at(-1) ?? ''))) return false;
  const machines = api.all<MachineObject>(MACHINES);
  const settled = machines.every(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && (status?.phase === 'Running' || status?.phase === 'Failed'),
  );
  return (
    settled &&
    api.all<MachineSetObject>(MACHINE_SETS).every(({ metadata, spec, status }) => {
      const owned = machines.filter((machine) => machine.metadata.ownerReferences?.[0]?.uid === metadata.uid);
      return owned.length === (spec.replicas ?? 1) && status?.replicas === owned.length;
    })
  );
}

/** What goes wrong beside the calls. */
function planDisturbances(universe: Universe, weather: Weather, random: Random): void {
  const { agenda, adversary } = universe;
  const every = (perMinute: number, act: () => void): void => {
    if (perMinute === 0) return;
    agenda.after(random.around(MINUTE_MS / perMinute), () => {
      act();
      every(perMinute, act);
    });
  };
  every(weather.deathsAMinute, () => {
    const process = random.pick(universe.processes());
    if (process !== undefined) adversary.disturb(process.name, 'is killed', () => process.die());
  });
  every(weather.cutsAMinute, () => {
    const process = random.pick(universe.processes());
    const side = random.pick(['kube', 'cloud', 'temporal', 'core'] as const) ?? 'kube';
    const ms = random.around(20_000);
    const what = `is cut off from ${side} for ${Math.round(ms / 1000)} s`;
    if (process !== undefined) adversary.disturb(process.name, what, () => adversary.cut(process, side, ms));
  });
  every(weather.evictionsAMinute, () => {
    const worker = random.pick([...universe.workers.values()]);
    const runId = worker && random.pick(worker.sdk.cached);
    if (worker === undefined || runId === undefined) return;
    adversary.disturb(worker.process.name, `forgets run ${runId}`, () => worker.sdk.evict(runId));
  });
  every(weather.compactionsAMinute, () => {
    adversary.disturb('API server', 'forgets the history of changes', () => universe.api.compact());
  });
  every(weather.lossesAMinute, () => {
    adversary.disturb('Temporal', 'comes back with its database lost', () => universe.temporal.lose());
  });
  every(weather.terminationsAMinute, () => {
    const run = random.pick(universe.temporal.running());
    if (run === undefined) return;
    adversary.disturb('somebody', `ends workflow ${run.identity.workflowId} in Temporal`, () => run.terminate());
  });
}
