import type { MachineObject } from '../../api/machine.openshift.io/machine.ts';
import { DEFAULT_DRAIN, type DrainOptions } from '../../model/drain.ts';
import { parseDuration } from '../../model/duration.ts';
import { given } from '../../../providers/given.ts';

type Stored = MachineObject['spec']['drain'];

/** Undefined: nothing is said of the drain. */
export function readDrainOptions(stored: Stored): DrainOptions | undefined {
  if (stored === undefined) return undefined;
  const { timeout, onTimeout, volumeDetachTimeout = '', daemonSets } = stored;
  return {
    ...DEFAULT_DRAIN,
    ...given({
      onTimeout,
      timeoutMs: timeout === undefined ? undefined : parseDuration(timeout),
      volumeDetachTimeoutMs: parseDuration(volumeDetachTimeout),
      evictsDaemonSets: daemonSets === 'EvictLast' || undefined,
    }),
  };
}

/** What is wrong with the options of an object that was stored before its schema could refuse it. */
export function problemOfDrain(stored: Stored): string | undefined {
  const { onTimeout = 'Wait', daemonSets = 'Ignore', ...durations } = stored ?? {};
  for (const [name, text] of Object.entries(durations)) {
    if (parseDuration(text) === undefined) return `spec.drain.${name} must be a duration, as 1h30m`;
  }
  if (!['Wait', 'Force'].includes(onTimeout)) return 'spec.drain.onTimeout must be Wait or Force';
  return ['Ignore', 'EvictLast'].includes(daemonSets) ? undefined : 'spec.drain.daemonSets must be Ignore or EvictLast';
}
