import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { given } from '../../providers/given.ts';
import { CALM, weatherOf } from './adversary/disturbances.ts';
import { planDisturbances } from './adversary/plan-disturbances.ts';
import { ASSUMPTIONS, BEYOND } from './assumptions.ts';
import type { CloudKind } from './cluster/cloud-kinds.ts';
import { notAsWished } from './judges/cordons.ts';
import { endlessReboots } from './judges/endless-reboots.ts';
import { Judges, type Violation } from './judges/judges.ts';
import { leftToDo } from './judges/left-to-do.ts';
import { ownControlPlane } from './people/control-plane.ts';
import { checkHealth } from './people/health-deeds.ts';
import { People } from './people/people.ts';
import { createDeployments } from './people/rollout-deeds.ts';
import { CLASSES, createClass, createCluster } from './people/shared-deeds.ts';
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
  /** What the cloud is like, and after how many events a workflow continues as new. */
  readonly world: string;
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
/** Likewise of those that go on at the end. */
const REPLAYED_AT_END = 0.3;
/** The share that the real core replays as well. */
const SAMPLED = 0.05;
/** The share of runs in which the cloud's credentials are in a Secret. */
const WITH_CREDENTIALS = 0.3;
/** The share of runs that play on EC2. */
const ON_EC2 = 0.25;
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
  const setting = {
    cloud: cloudOf(random.chance(0.5), scenario.isBalanced === true, new Random(`${seed} provider`)),
    workers: scenario.storm === 0 ? 1 : 1 + random.below(2),
    watchers: scenario.storm === 0 ? 1 : 1 + random.below(2),
    longHistory: random.pick([8, 8, 40, 150, 4096]) ?? 4096,
    ...given({ workloads: scenario.workloads }),
    hasCredentials: new Random(`${seed} who signs`).chance(WITH_CREDENTIALS),
  };
  const universe = await Universe.create({
    seed,
    weather,
    assumptions: isBeyond ? BEYOND : ASSUMPTIONS,
    ...setting,
    allows,
    onBroken: (task, failure) => problems.push({ who: task.workflowId, message: failure.message ?? '' }),
  });
  const { agenda, adversary, cloud, api, temporal } = universe;
  const begin = agenda.now;
  const foreign = cloud.launchForeign();
  await agenda.runUntil(begin + 1000);
  const views = cloud.behave(strength, random, new Random(`${seed} reads`));
  const world = `cloud ${setting.cloud}, ${views}; workflows continue as new after ${setting.longHistory} events`;
  universe.story.tell('outside', world);
  let people: People | undefined;
  const judges = new Judges(universe, () => people);
  const replayed = new Random(`${seed} replayed`);
  judges.protect(await foreign);
  let lives = 0;
  temporal.onClosed = (run) => {
    const { identity, status } = run;
    if (identity.workflowType === 'machine' && status === 'COMPLETED') lives += 1;
    judges.secrets.ofHistory(run);
    if (replayed.chance(REPLAYED)) void agenda.holding(universe.replay(run));
    // One that was ended by hand may have been in the middle of something.
    if (status !== 'TERMINATED' && replayed.chance(SAMPLED)) onSample?.(run);
  };
  people = new People(universe, scenario.habits, new Random(`${seed} people`));
  if (scenario.isShared) {
    await createCluster(people);
    for (const each of CLASSES) await createClass(people, each);
  }
  for (const [n, replicas] of scenario.sets.entries()) {
    await people.createSet(`set-${n + 1}`, replicas, scenario.isShared ? CLASSES[n] : undefined);
  }
  const { deployments: pools, bySteps = false, isSized = false } = scenario;
  if (pools !== undefined) await createDeployments(people, { replicas: pools, bySteps, isSized });
  for (let n = 0; n < scenario.singles; n += 1) await people.createMachine();
  if (scenario.masters !== undefined) ownControlPlane(people, scenario.masters);
  if (scenario.hasChecks === true) {
    const { sets, lostReboots = 0, hasProgram = false } = scenario;
    const reboots = new Random(`${seed} reboots`);
    const program = hasProgram ? new Random(`${seed} program`) : undefined;
    await checkHealth(people, { sets: sets.length, lostReboots, reboots, program });
  }
  planDisturbances(universe, weather, seed);
  const goesOn = () => judges.violations.length === 0 && problems.length === 0;
  await agenda.runUntil(begin + scenario.minutes * MINUTE_MS, goesOn);
  adversary.letGo();
  cloud.calmDown();
  await people.goHome();
  const restFrom = agenda.now;
  const last = restFrom + scenario.restMinutes * MINUTE_MS;
  const isAtRest = () => leftToDo(universe).length === 0 && notAsWished(universe).length === 0;
  while (goesOn() && agenda.now < last && !isAtRest()) {
    await agenda.runUntil(Math.min(last, agenda.now + REST_LOOK_MS), goesOn);
    for (const left of endlessReboots(api, { calmSince: restFrom, now: agenda.now })) {
      judges.accuse('a reboot has an end', left);
    }
  }
  const restMs = agenda.now - restFrom;
  // Where a rollout has just ended, Nodes bear its marks for a moment.
  if (scenario.deployments !== undefined && goesOn()) await agenda.runUntil(agenda.now + REST_LOOK_MS, goesOn);
  if (goesOn()) for (const run of temporal.running()) if (replayed.chance(REPLAYED_AT_END)) await universe.replay(run);
  for (const { who, message } of problems) judges.accuse('no broken workflow', `${who}: ${message}`);
  for (const run of temporal.running()) judges.secrets.ofHistory(run);
  if (goesOn()) judges.judgeEnd();
  lives += api.all(MACHINES).length;
  universe.end();
  return {
    seed,
    scenario: name,
    world,
    violations: judges.violations,
    story: universe.story,
    lives,
    virtualMs: agenda.now - begin,
    looks: judges.looks + judges.secrets.looks,
    steps: agenda.steps,
    disturbances: adversary.disturbances,
    coverage: adversary.coverage,
    calls: adversary.calls,
    restMs,
  };
}

/** @param tokens what the simulated cloud does */
function cloudOf(tokens: boolean, isBalanced: boolean, random: Random): CloudKind {
  if (isBalanced) return 'balanced';
  if (random.chance(ON_EC2)) return 'ec2';
  return tokens ? 'tokens' : 'lookup';
}
