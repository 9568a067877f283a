import type { StoredObject } from '../../../../k8s/dialects/kind.ts';
import { isPassing, unlessGone } from '../../../../k8s/kube-error.ts';
import { countOf } from '../../../../k8s/model/count.ts';
import { conditionOf, type Condition } from '../../../../k8s/model/condition.ts';
import { rolledBackTo, type MachineDeployment } from '../../../../k8s/model/machine-deployment.ts';
import type { MachineDeploymentReading } from '../../../../k8s/model/reading.ts';
import { delay } from '../../../../providers/clock.ts';
import { given } from '../../../../providers/given.ts';
import { attempt, CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { onInterrupt } from '../../interrupt.ts';
import { LiveBlock } from '../../output/live-block.ts';
import { renderLive } from './live-status.ts';
import {
  findDeployment,
  machinesOf,
  nameOf,
  rolloutParts,
  setsOf,
  type FoundDeployment,
  type RolloutParts,
} from './rollout-parts.ts';

/** Between two looks, in milliseconds. */
const LOOK_EVERY_MS = 1000;

export interface StatusOptions {
  /** Until it is done. */
  readonly watch: boolean;
  readonly timeout: number;
}

export interface StatusParts extends RolloutParts {
  readonly onInterrupt: typeof onInterrupt;
  /** Where a terminal shows what changes from moment to moment; absent: it is none. */
  readonly live?: Pick<LiveBlock, 'show' | 'clear'>;
}

/** `millwright rollout status NAME`. */
export function rolloutStatus(name: string, options: GlobalOptions & StatusOptions): Promise<void> {
  const live = process.stdout.isTTY ? { live: new LiveBlock(process.stdout) } : {};
  return tellStatus({ ...rolloutParts(options), onInterrupt, ...live }, name, options);
}

/**
 * Says how far a rollout is whenever that changes, until it is done; on a terminal with its old and new machines meanwhile. Ctrl-C ends
 * this and not the rollout.
 */
export async function tellStatus(parts: StatusParts, name: string, options: StatusOptions): Promise<void> {
  const found = await findDeployment(parts, name);
  const interruption = new AbortController();
  const { signal } = interruption;
  const forget = parts.onInterrupt(() => interruption.abort());
  const interrupted = new Promise<never>((_resolve, reject) => {
    const words = `${nameOf(found)} is not rolled out yet; that goes on without being waited for`;
    signal.addEventListener('abort', () => reject(new CliError(words, { exitCode: EXIT.interrupted })), { once: true });
  });
  try {
    await Promise.race([follow(parts, found, options, signal), interrupted]);
  } finally {
    forget();
  }
}

async function follow(
  parts: StatusParts,
  first: FoundDeployment,
  { watch, timeout }: StatusOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, print, live } = parts;
  const deadline = clock.now() + timeout * 1000;
  let told = '';
  for (let found = first; !signal.aborted; found = await readAgain(parts, found)) {
    const { isDone, words, stopped } = describeStatus(found.read, nameOf(found));
    const isLate = watch && clock.now() >= deadline;
    const isLast = isDone || stopped !== undefined || !watch || isLate;
    if (isLast) live?.clear();
    // A terminal shows all but the last ones with the rest.
    if (live === undefined ? words !== told : isLast) print(words);
    told = words;
    if (stopped !== undefined) throw new CliError(`${nameOf(found)}: ${stopped}`);
    if (isDone || !watch) return;
    if (isLate) {
      throw new CliError(`timed out after ${timeout} s; the rollout goes on`, { exitCode: EXIT.timedOut });
    }
    const text = live === undefined ? undefined : await lookLive(parts, found);
    if (text !== undefined && !signal.aborted) live?.show(`${words}\n${text}`);
    await delay(clock, Math.min(LOOK_EVERY_MS, Math.max(0, deadline - clock.now())), signal);
  }
}

/** Undefined: there is no answer just now, and what was seen last is left there. */
async function lookLive(parts: StatusParts, found: FoundDeployment): Promise<string | undefined> {
  try {
    const [sets, machines] = await Promise.all([setsOf(parts, found), machinesOf(parts, found)]);
    return renderLive({ found, sets, machines, now: parts.clock.timeOfDay() });
  } catch (error) {
    if (error instanceof CliError && isPassing(error.cause)) return undefined;
    throw error;
  }
}

/** How far a rollout is, in the words of kubectl. */
export function describeStatus(
  { machineDeployment, status }: MachineDeploymentReading,
  name: string,
): { readonly isDone: boolean; readonly words: string; readonly stopped?: string } {
  const { generation, replicas: wanted, isRolloutPaused } = machineDeployment;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = status;
  const progress = conditions.find(({ type }) => type === 'Progressing');
  const paused = conditions.find(({ type, status: is }) => type === 'Paused' && is === 'True');
  const stopped = progress && whyStopped(machineDeployment, progress);
  const more = describeMore(conditions);
  const waits = (why: string) => ({
    isDone: false,
    words: `Waiting for ${name} rollout to finish: ${why}${more}...`,
    ...given({ stopped }),
  });
  if ((status.observedGeneration ?? 0) < generation) {
    return { isDone: false, words: `Waiting for ${name} spec update to be observed...` };
  }
  if (isRolloutPaused && updatedReplicas < wanted)
    return waits(`it is paused, ${updatedReplicas} of ${wanted} updated`);
  if (isRolloutPaused && replicas > updatedReplicas)
    return waits(
      `it is paused, with ${countOf(replicas - updatedReplicas, 'machine', 'machines')} of earlier templates`,
    );
  if (!isRolloutPaused && paused !== undefined) return waits(paused.message);
  if (!isRolloutPaused && progress !== undefined && isHold(progress)) return waits(progress.message);
  if (updatedReplicas < wanted && machineDeployment.strategy.type === 'OnDelete') {
    const words = `${name}: ${updatedReplicas} of ${wanted} machines are of its template`;
    return {
      isDone: false,
      words,
      stopped: 'its strategy is OnDelete: a machine is replaced when somebody deletes it',
    };
  }
  if (updatedReplicas < wanted) return waits(`${updatedReplicas} out of ${wanted} new machines have been updated`);
  if (replicas > updatedReplicas) return waits(`${replicas - updatedReplicas} old machines are pending termination`);
  if (availableReplicas < updatedReplicas) {
    return waits(`${availableReplicas} of ${updatedReplicas} updated machines are available`);
  }
  // Machines that are being deleted are not counted, and there are some still.
  if (progress?.reason === 'ReplicaSetUpdated') return waits('old machines are being deleted');
  const refused = conditionOf(conditions, 'ReplicaFailure');
  if (refused?.status === 'True' && refused.reason === 'FailedSettings') {
    return waits('settings of its template could not be written to its machines');
  }
  const rolledBack = rolledBackTo(machineDeployment, status.revision);
  if (rolledBack !== undefined) {
    const words = `${name} was rolled back from revision ${rolledBack.revision}`;
    return { isDone: true, words, stopped: `the rollout failed, and was rolled back: ${rolledBack.why}` };
  }
  return { isDone: true, words: `${name} successfully rolled out` };
}

/** What else there is to say of one that is not done: what keeps it from getting on, what is refused, and what it was paused for by itself. */
function describeMore(conditions: readonly Condition[]): string {
  const [refused, adopts] = ['ReplicaFailure', 'Paused'].map((of) =>
    conditions.find(({ type, status }) => type === of && status === 'True'),
  );
  const progress = conditions.find(({ type }) => type === 'Progressing');
  // Behind the numbers, sentence by sentence, stands what keeps it from getting on.
  const [, ...troubles] = progress?.reason === 'ReplicaSetUpdated' ? progress.message.split(/\. (?=[A-Z])/) : [];
  return [
    ...troubles,
    ...(refused === undefined ? [] : [`${refused.reason}: ${refused.message}`]),
    ...(adopts?.reason === 'PausedToAdopt' ? [adopts.message] : []),
  ]
    .map((words) => `; ${words}`)
    .join('');
}

/** What failed, and is waited for until somebody does something about it. Undefined: it goes on. */
function whyStopped(
  { strategy, isRolloutPaused }: MachineDeployment,
  { status, reason, message }: Condition,
): string | undefined {
  if (status !== 'False') return undefined;
  // It goes on in spite of machines that fail; the other types have none to take in that case.
  const goesOn =
    !isRolloutPaused &&
    strategy.type === 'RollingUpdate' &&
    strategy.failureThreshold === undefined &&
    (reason === 'NewMachinesFailed' || reason === 'ProgressDeadlineExceeded');
  return goesOn ? undefined : message;
}

/** What its condition says is more than how many machines there are: it makes and takes nothing, for another reason than a pause, or some failed. */
function isHold({ status, reason }: Condition): boolean {
  return status !== 'True' || reason === 'PreflightPending' || reason === 'WaitingForCapacity';
}

/** Where the API server has no answer just now, as it was seen last. */
async function readAgain(parts: RolloutParts, found: FoundDeployment): Promise<FoundDeployment> {
  const { kind, read } = found;
  const { namespace, name, uid } = read.meta.ref;
  return attempt(`look at ${nameOf(found)}`, async () => {
    try {
      const stored = await unlessGone(parts.access.kube.get<StoredObject>(kind.resource, namespace, name));
      if (stored?.metadata.uid !== uid) throw new CliError(`${nameOf(found)} is gone`, { exitCode: EXIT.notFound });
      return { kind, stored, read: kind.read(stored) };
    } catch (error) {
      if (isPassing(error)) return found;
      throw error;
    }
  });
}
