/** On a Machine: its health check wants its instance rebooted. The check that claims the Machine writes it, and takes it off. */
export const REBOOT_ANNOTATION = 'millwright.dev/reboot';

/** Reboots are counted over so long, in milliseconds. */
export const REBOOTS_COUNTED_MS = 86_400_000;

/** What a health check asks the machine's workflow for. */
export interface RebootWish {
  /** The same for the same reboot, however often it is asked for: when it was asked for first, RFC 3339. */
  readonly id: string;
  /** Keys of what makes the Machine unhealthy: one of them has to be so still when the cloud is called. */
  readonly causes: readonly string[];
}

/** What became of the newest wish, as the Machine's status tells it. */
export interface RebootRecord {
  /** Of the wish. */
  readonly id: string;
  readonly state: RebootState;
  /** The boot that the Node told of before. Absent: there was no Node. */
  readonly bootID?: string;
  /** RFC 3339: when the cloud was called. Absent: it was not. */
  readonly sentAt?: string;
  /** Why it is not rebooted. */
  readonly message?: string;
  /** RFC 3339: when the cloud was called for reboots lately, the oldest first. */
  readonly times: readonly string[];
}

/**
 * `Preparing`: the cloud was not called. `Sent`: it was, or may have been: it is not called again for this wish. `Refused`: it refused for
 * good. `Unsupported`: it cannot. `Spent`: the instance was rebooted as often as it may be.
 */
export type RebootState = 'Preparing' | 'Sent' | 'Refused' | 'Unsupported' | 'Spent';

/** Longest value that is read. */
const LONGEST = 8192;

/** The annotation's value. */
export function writeRebootWish({ id, causes }: RebootWish): string {
  return JSON.stringify({ id, causes });
}

/** Undefined: it is no wish, and nobody's. */
export function readRebootWish(value: string | undefined): RebootWish | undefined {
  if (value === undefined || value.length > LONGEST) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(value);
  } catch {
    return undefined;
  }
  return isWish(read) ? { id: read.id, causes: read.causes } : undefined;
}

function isWish(read: unknown): read is RebootWish {
  if (typeof read !== 'object' || read === null || !('id' in read) || !('causes' in read)) return false;
  const { id, causes } = read;
  const isId = typeof id === 'string' && id !== '' && id.length <= 64;
  return isId && Array.isArray(causes) && causes.every((key) => typeof key === 'string');
}

/** When it was rebooted within the last 24 hours, in milliseconds since the epoch, the oldest first. */
export function recentReboots({ times }: Pick<RebootRecord, 'times'>, now: number): number[] {
  return times
    .map((time) => Date.parse(time))
    .filter((at) => at > now - REBOOTS_COUNTED_MS)
    .sort((a, b) => a - b);
}

/** The Node tells of another boot than before the reboot. The cloud was called, whatever it answered. */
export function hasBootedSince(
  { state, bootID: before }: Pick<RebootRecord, 'state' | 'bootID'>,
  bootID: string | undefined,
): boolean {
  return state === 'Sent' && bootID !== undefined && bootID !== '' && bootID !== before;
}
