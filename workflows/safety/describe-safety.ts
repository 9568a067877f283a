import { NOTHING_TO_DO } from '../../k8s/model/reasons/reasons.ts';
import { asDetails, asMoment } from '../markdown.ts';
import { isUnwatched } from '../machine-health-check/away.ts';
import type { Outage } from '../machine-health-check/health-activities.ts';

/** Most outages that the details name. */
const MOST_NAMED = 10;

/** What the Temporal UI shows of what is known of a cluster's API server: Markdown. */
export function describeSafety(outages: readonly Outage[]): string {
  const unseen = outages.find(isUnwatched);
  const seen = outages.filter((outage) => !isUnwatched(outage));
  const last = seen.at(-1);
  const isAway = last !== undefined && last.until === undefined;
  return asDetails([
    isAway ? `**The API server is away** since ${asMoment(last.from)}` : '**The API server answers**',
    isAway ? 'No machine is remediated before it answers again.' : undefined,
    seen.length === 0 ? 'No watcher saw it away in the last 24 hours.' : listOf(seen),
    unseen?.until === undefined
      ? undefined
      : `No watcher was at work from ${asMoment(unseen.from)} to ${asMoment(unseen.until)}: nobody knows whether it was away then.`,
    `**What to do:** ${isAway ? 'See why the watcher gets no answer from the API server.' : NOTHING_TO_DO}`,
  ]);
}

function listOf(outages: readonly Outage[]): string {
  const named = outages
    .slice(-MOST_NAMED)
    .reverse()
    .map(({ from, until }) => `- ${asMoment(from)} to ${until === undefined ? 'now' : asMoment(until)}`);
  const more = outages.length - named.length;
  const rest = more > 0 ? [`- and ${more} before`] : [];
  return ['It was away:', [...named, ...rest].join('\n')].join('\n\n');
}
