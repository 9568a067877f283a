import type { Info } from '@temporalio/activity';
import type { MachineKind } from '../k8s/dialects/kind.ts';
import type { Machine, PreparedLaunch } from '../k8s/model/machine.ts';
import type { Clock } from '../providers/clock.ts';
import type { PrepareLaunch } from '../workflows/machine/launch-activities.ts';
import type { MachineSettings } from '../workflows/machine/settings.ts';

/** Longest time from the beginning of the last look at the Machine until the call that goes by it is sent, in milliseconds. */
export const LOOK_TO_CALL_MS = 5000;

/** How far Temporal's clock and a worker's may be apart, in milliseconds. */
const CLOCKS_APART_MS = 60_000;

/** An earlier attempt makes room for this one; so does this attempt itself, where it is the one that is to be replaced. */
export function makesRoom(
  stored: PreparedLaunch,
  { attempt, replace, status }: Pick<PrepareLaunch, 'attempt' | 'replace' | 'status'>,
): boolean {
  if (stored.attempt < attempt) return true;
  return stored.attempt === attempt && replace && stored.preparedAt === status.launch?.preparedAt;
}

/** Why the Machine, as it is now, is not the one that this call was asked for; undefined: it is. */
export function whatChanged(
  machine: Machine,
  launch: PreparedLaunch,
  providerIDField: MachineKind['providerIDField'],
): string | undefined {
  const { deletedAt, paused, pausedBy, hasFinalizer, providerID, status } = machine;
  const { instance, launch: stored } = status;
  if (deletedAt !== undefined) return 'the Machine is being deleted';
  if (machine.delete === true) return 'the Machine is to be deleted';
  if (paused) return `${pausedBy ?? 'the Machine'} is paused`;
  if (!hasFinalizer) return 'the Machine does not carry our finalizer';
  if (instance !== undefined) return `the Machine has the instance ${instance.id}`;
  if (providerID !== undefined) return `the Machine's ${providerIDField} names ${providerID}`;
  if (stored === undefined) return "the Machine's status tells of no launch";
  if (stored.attempt !== launch.attempt || stored.token !== launch.token) {
    return `the Machine's status tells of another launch than attempt ${launch.attempt}`;
  }
  if ((stored.callsGivenUp ?? 0) !== (launch.callsGivenUp ?? 0)) return 'this call was given up';
  return undefined;
}

/** Why nobody waits for this call any more, or may not; undefined: it is in time. */
export function whyTooLate(
  clock: Pick<Clock, 'timeOfDay'>,
  { currentAttemptScheduledTimestampMs: askedAt }: Pick<Info, 'currentAttemptScheduledTimestampMs'>,
  { callTimeoutSeconds }: Pick<MachineSettings, 'callTimeoutSeconds'>,
  isCancelled: boolean,
): string | undefined {
  if (isCancelled) return 'Temporal does not wait for this call any more';
  const ageMs = clock.timeOfDay() - askedAt;
  if (ageMs <= callTimeoutSeconds * 1000 + CLOCKS_APART_MS) return undefined;
  return `the call was asked for ${Math.round(ageMs / 1000)} s ago, or the clocks of Temporal and of this worker differ`;
}

export interface Stopwatch {
  elapsedMs(): number;
}

/**
 * Counts by the monotonic clock and by the time of day, whichever saw more pass: the first stands still while a computer is
 * suspended, the second may be set back.
 */
export function startStopwatch(clock: Clock): Stopwatch {
  const monotonic = clock.now();
  const timeOfDay = clock.timeOfDay();
  return { elapsedMs: () => Math.max(clock.now() - monotonic, clock.timeOfDay() - timeOfDay) };
}
