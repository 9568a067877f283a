import { Random } from '../../simulation/time/random.ts';
import { given } from '../../../providers/given.ts';
import type { Course, Deed, Limits, Program, Step } from './program.ts';

/** Longer than it takes to see to what came before, in milliseconds. */
const SHORT_MS = 150;
/** An alarm that does not ring while anybody looks, in milliseconds. */
const LONG_ALARM_MS = 3_600_000;
/** One that rings while a gate is held, and not before, in milliseconds. */
const GATE_ALARM_MS = 3000;
const GATE_HOLD_MS = 4000;

/** A program by its seed: where two things of it race, it is made so that one of them always wins. */
export function randomProgram(seed: string): Program {
  const random = new Random(seed);
  const steps: Step[] = [];
  const most = 1 + random.below(7);
  while (steps.length < most) steps.push(...someSteps(random, `${steps.length}`));
  return { seed, steps, deeds: someDeeds(random) };
}

function someSteps(random: Random, key: string): readonly Step[] {
  const kind = random.below(16);
  if (kind < 2) return [{ do: 'await', signals: 1 + random.below(2) }];
  if (kind < 3) return [{ do: 'sleep', ms: SHORT_MS }];
  if (kind < 5) return [{ do: 'alarm', ms: random.chance(0.3) ? SHORT_MS : LONG_ALARM_MS }];
  if (kind < 6) return [{ do: 'disarm' }];
  if (kind < 9) return [activity(random, 'local', key)];
  if (kind < 11) return [activity(random, 'activity', key)];
  if (kind < 12) return [upsert(random)];
  if (kind < 13) return [{ do: 'stumble', key }];
  if (kind < 14) return [{ do: 'continue' }];
  if (kind < 15) return ringAtGate(random, key);
  return random.chance(0.3) ? [{ do: 'fail', type: 'Given', isFinal: random.chance(0.5) }] : [];
}

/** The alarm rings while a task is out. */
function ringAtGate(random: Random, key: string): readonly Step[] {
  const course: Course = { failing: 0, by: 'failure', gate: key, holdMs: GATE_HOLD_MS };
  return [
    { do: 'arm', ms: GATE_ALARM_MS },
    { do: 'sleep', ms: SHORT_MS },
    { do: 'local', course, limits: limitsOf(random, 'local', course) },
    ...(random.chance(0.6) ? ([{ do: 'disarm' }] as const) : []),
  ];
}

function activity(random: Random, kind: 'local' | 'activity', key: string): Step {
  const by = random.pick(['failure', 'failure', 'final', 'listed', 'paced', 'error', 'hanging'] as const) ?? 'failure';
  const failing = random.chance(0.4) ? 0 : 1 + random.below(3);
  const course = { failing, by, ...given({ gate: random.chance(0.4) && by !== 'hanging' ? key : undefined }) };
  return { do: kind, course, limits: limitsOf(random, kind, course) };
}

function limitsOf(random: Random, kind: 'local' | 'activity', { by, gate }: Course): Limits {
  const isLocal = kind === 'local';
  const isForNobody = !isLocal && gate === undefined && random.chance(0.1) ? true : undefined;
  // Whatever fails is tried until it works, or so often.
  const attempts = random.chance(0.5) ? 1 + random.below(3) : undefined;
  // It is over while the next attempt is waited for.
  const isLate = isLocal && by === 'paced' && gate === undefined && random.chance(0.5);
  return {
    startToCloseMs: by === 'hanging' ? 500 : 60_000,
    ...given({
      attempts,
      scheduleToCloseMs: isLate ? 300 : undefined,
      thresholdMs: isLocal && random.chance(0.7) ? random.pick([120, 300]) : undefined,
      heartbeatMs: !isLocal && gate === undefined && random.chance(0.3) ? 800 : undefined,
      isForNobody,
      scheduleToStartMs: isForNobody ? 200 : !isLocal && random.chance(0.3) ? 30_000 : undefined,
    }),
    initialMs: 150,
    mostMs: 250,
  };
}

function upsert(random: Random): Step {
  return {
    do: 'upsert',
    phase: random.pick(['Running', 'Deleting', null]) ?? null,
    reason: random.pick(['Throttled', null]) ?? null,
  };
}

function someDeeds(random: Random): readonly Deed[] {
  const first: readonly Deed[] = random.chance(0.1) ? ['signal', 'describe'] : [];
  const count = random.below(8);
  const deeds: Deed[] = Array.from({ length: count }, () => random.pick(OFTEN) ?? 'signal');
  // It takes real time.
  if (random.chance(0.05)) deeds.push('openLate');
  return [...first, random.chance(0.7) ? 'signalWithStart' : 'start', ...deeds];
}

const OFTEN: readonly Deed[] = [
  ...Array<Deed>(5).fill('signal'),
  ...Array<Deed>(3).fill('otherSignal'),
  ...Array<Deed>(3).fill('signalWithStart'),
  ...Array<Deed>(4).fill('open'),
  ...Array<Deed>(2).fill('describe'),
  'start',
  'terminate',
];
