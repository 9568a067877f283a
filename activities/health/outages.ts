import { endsWithin } from '../ask-on.ts';
import type { ActivityDeps } from '../deps.ts';
import { messageOf } from '../../providers/message-of.ts';
import type { Outage } from '../../workflows/machine-health-check/health-activities.ts';

/** Tells when the API server was away, the oldest time first. */
export type ListOutages = () => Promise<readonly Outage[]>;

export interface OutageDeps extends Pick<ActivityDeps, 'clock' | 'log'> {
  readonly listOutages: ListOutages;
}

/** Longest wait for the answer, in milliseconds: a look at machines must not hang on it. */
const PATIENCE_MS = 2000;

/**
 * What is known of the API server's outages.
 *
 * @param last as they were heard of before: they count where nobody answers. @default none: machines are remediated without that knowledge, too
 */
export async function knownOutages(
  { listOutages, clock, log }: OutageDeps,
  last: readonly Outage[] = [],
): Promise<readonly Outage[]> {
  const answer = listOutages();
  const isInTime = await endsWithin(clock, answer, PATIENCE_MS);
  try {
    if (isInTime) return await answer;
    log.warn(
      `when the API server was away was not answered within ${PATIENCE_MS} ms: in this look those count that were known before`,
    );
  } catch (error) {
    log.warn(
      { error: messageOf(error) },
      'could not ask the safety workflow when the API server was away: in this look those count that were known before',
    );
  }
  return last;
}
