/** Workers are killed at every point, not only at those that decide. */
export const EVERYTHING = process.env['MILLWRIGHT_FAULTS'] === 'all';

/** They are of a worker's start, of its inventory and of what it reports, not of a machine's life. */
const BESIDE = /^LIST machineclasses | (events|namespaces) /;

/**
 * Requests that decide what there is: they make a Machine or an instance, freeze the launch, record its instance, end one of
 * them, evict a pod, or put it behind a load balancer. Every other one reads, or writes what the next look would write again.
 */
const DECIDES = [
  /^(LAUNCH|TERMINATE) instances /,
  /^(CREATE|PATCH|JSON-PATCH|DELETE) machines /,
  /^PATCH machines\/status #1$/,
  /^CREATE pods\/eviction /,
  /^DELETE nodes /,
  /^(REGISTER|DEREGISTER) /,
];

/** Which points of a life workers are killed at: all of them (`MILLWRIGHT_FAULTS=all`), or those that decide. */
export function choosePoints(all: readonly string[]): readonly string[] {
  const relevant = all.filter((point) => !BESIDE.test(point));
  return EVERYTHING ? relevant : relevant.filter((point) => DECIDES.some((pattern) => pattern.test(point)));
}

/** What a life does that one does not in which a set is scaled down: only its writes, and not those of its beginning. */
export function choosePointsOf(all: readonly string[], writes: readonly RegExp[]): readonly string[] {
  return all.filter((point) => writes.some((pattern) => pattern.test(point)));
}
