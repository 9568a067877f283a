import type { KubeClient } from '../../../../k8s/client.ts';
import type { StoredObject } from '../../../../k8s/dialects/kind.ts';
import { isPassing, unlessGone } from '../../../../k8s/kube-error.ts';
import { delay } from '../../../../providers/clock.ts';
import { attempt, CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { explain, type Explanation } from '../../explanation/explanation.ts';
import { headlineOf } from '../../explanation/headline.ts';
import type { WorkflowReport } from '../../explanation/workflow-report.ts';
import { isSeen, type Goal } from './goals.ts';
import { describe, type FoundMachine, type OperationParts } from './operation.ts';

/** Between two looks at the machines that are waited for, in milliseconds. */
const LOOK_EVERY_MS = 1000;
/** A machine that says nothing new for so long may have nobody who works on it, in milliseconds. Doubles at each question. */
const QUIET_MS = 10_000;

/** One of the machines that are waited for. */
interface Followed {
  readonly asked: FoundMachine;
  /** As it was seen last. */
  machine: FoundMachine;
  /** What was said of it last. */
  told: string;
  /** When that was, in the clock's milliseconds. */
  toldAt: number;
  /** How long after that it is asked whether anybody works on it, in milliseconds. */
  askAfterMs: number;
}

interface Wait {
  readonly parts: OperationParts;
  readonly goal: Goal;
  readonly timeoutSeconds: number;
  readonly left: Set<Followed>;
  /** What could not come to it, or cannot any more, in words. */
  readonly missed: string[];
}

/**
 * Waits until machines have come to what was asked of them, and says what each waits for whenever that changes. Rejects where
 * one cannot come to it any more, after `timeoutSeconds`, and at Ctrl-C; the operation goes on without being waited for.
 *
 * @param asked the machines as they were when it was asked
 * @param missed which others could not come to it, in words
 */
export async function follow(
  parts: OperationParts,
  asked: readonly FoundMachine[],
  goal: Goal,
  timeoutSeconds: number,
  missed: readonly string[] = [],
): Promise<void> {
  const toldAt = parts.clock.now();
  const left = asked.map((machine) => ({ asked: machine, machine, told: '', toldAt, askAfterMs: QUIET_MS }));
  const wait: Wait = { parts, goal, timeoutSeconds, left: new Set(left), missed: [...missed] };
  const interruption = new AbortController();
  const { signal } = interruption;
  const interrupted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(interruptionOf(wait)), { once: true });
  });
  const forget = parts.onInterrupt(() => interruption.abort());
  try {
    await Promise.race([untilReached(wait, signal), interrupted]);
  } finally {
    forget();
  }
}

async function untilReached(wait: Wait, signal: AbortSignal): Promise<void> {
  const { parts, left, missed, timeoutSeconds } = wait;
  const { clock } = parts;
  const deadline = clock.now() + timeoutSeconds * 1000;
  while (!signal.aborted) {
    await Promise.all([...left].map((one) => lookAt(wait, one)));
    if (left.size === 0) {
      if (missed.length > 0) throw new CliError(missed.join('; '));
      return;
    }
    if (signal.aborted) return;
    for (const one of left) tell(parts, one);
    if (clock.now() >= deadline) throw await lateness(wait);
    await Promise.all([...left].map((one) => tellObstacle(parts, one)));
    await delay(clock, Math.max(0, Math.min(LOOK_EVERY_MS, deadline - clock.now())), signal);
  }
}

async function lookAt({ parts, goal, left, missed }: Wait, one: Followed): Promise<void> {
  const now = await readAgain(parts.access.kube, one.machine);
  const outcome = goal.outcomeOf(now?.read, one.asked.read.machine);
  if (now !== undefined) one.machine = now;
  if (outcome === undefined) return;
  left.delete(one);
  const words = `${describe(one.machine)} ${outcome.words}`;
  if (outcome.isReached) parts.print(words);
  else missed.push(words);
}

/** Undefined: that Machine is gone. Where the API server has no answer just now, as it was seen last. */
async function readAgain(kube: KubeClient, machine: FoundMachine): Promise<FoundMachine | undefined> {
  const { kind, read } = machine;
  const { namespace, name, uid } = read.machine.ref;
  return attempt(`look at ${describe(machine)}`, async () => {
    try {
      const stored = await unlessGone(kube.get<StoredObject>(kind.resource, namespace, name));
      return stored?.metadata.uid === uid ? { kind, stored, read: kind.read(stored) } : undefined;
    } catch (error) {
      if (isPassing(error)) return machine;
      throw error;
    }
  });
}

function tell({ clock, print }: OperationParts, one: Followed): void {
  // Without the time of the next try, which is another at each look.
  const explanation = { ...explainOne(one), nextTry: '' };
  const words = headlineOf(explanation, undefined, clock.timeOfDay());
  if (words === one.told) return;
  print(`${describe(one.machine)}: ${words}`);
  one.told = words;
  one.toldAt = clock.now();
  one.askAfterMs = QUIET_MS;
}

/** A status that stands still may be one that nobody writes: Temporal knows. */
async function tellObstacle({ clock, print, report }: OperationParts, one: Followed): Promise<void> {
  if (clock.now() - one.toldAt < one.askAfterMs) return;
  one.askAfterMs *= 2;
  const { machine } = one.machine.read;
  const workflow = await report(machine.ref);
  if (workflow.obstacle === undefined) return;
  print(`${describe(one.machine)}: ${headline(one, workflow, clock.timeOfDay())}`);
}

async function lateness(wait: Wait): Promise<CliError> {
  const { parts, goal, timeoutSeconds, left } = wait;
  const [first] = left;
  const workflow = first && (await parts.report(first.machine.read.machine.ref));
  const why = first === undefined ? '' : headline(first, workflow, parts.clock.timeOfDay());
  const late = `${goal.unreached} after ${timeoutSeconds} s: ${namesOf(left)}; ${goal.operation} goes on. ${why}`;
  return new CliError([...wait.missed, late].join('; '), { exitCode: EXIT.timedOut });
}

function interruptionOf({ goal, left, missed }: Wait): CliError {
  const words = `${goal.unreached} yet: ${namesOf(left)}; ${goal.operation} goes on without being waited for`;
  return new CliError([...missed, words].join('; '), { exitCode: EXIT.interrupted });
}

function headline(one: Followed, workflow: WorkflowReport | undefined, now: number): string {
  return headlineOf(explainOne(one), workflow, now);
}

/** What the machine waited for before it has seen what is asked of it may be no more: an abort ends the wait for pods. */
function explainOne({ asked, machine: { read } }: Followed): Explanation {
  const { waiting: _before, ...status } = read.machine.status;
  const machine = isSeen(read.machine, asked.read.machine) ? read.machine : { ...read.machine, status };
  return explain({ machine });
}

function namesOf(left: ReadonlySet<Followed>): string {
  return [...left].map(({ machine }) => describe(machine)).join(', ');
}
