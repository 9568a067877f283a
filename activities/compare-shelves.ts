import pLimit from 'p-limit';
import type { Machine } from '../k8s/model/machine.ts';
import { joinNames, someOf } from '../k8s/model/some-names.ts';
import type { Clock } from '../providers/clock.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { Instance } from '../providers/provider.ts';
import { expectedInstanceOf } from '../workflows/inventory/doubt.ts';
import { planInspections } from '../workflows/inventory/plan-inspections.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { describeInBatches } from './describe-instance.ts';
import type { Place } from './place.ts';

/** Machines of one provider, credentials and cluster: what one listing answers for. */
export interface Shelf {
  /** The same in every inventory. */
  readonly key: string;
  readonly place: Place;
  /** Its name, as in the tag of its instances. */
  readonly clusterName: string;
  readonly machines: Machine[];
}

export interface CompareDeps {
  readonly clock: Pick<Clock, 'now'>;
  /** Tells a machine's workflow to look at its instance. */
  inspect(ref: ObjectRef): Promise<void>;
  /** Tells it to count its living instances: there is more than one. */
  recount(ref: ObjectRef): Promise<void>;
}

interface Compared {
  /** Instances that the listings showed. */
  readonly instances: number;
  /** Machines that were told to look. */
  readonly woken: number;
}

/**
 * Compares shelves with what the cloud shows of them.
 *
 * @param ended aborted: what is not compared by then is left to the next time
 * @param problems what went wrong is added to them
 */
export type CompareShelves = (shelves: readonly Shelf[], ended: AbortSignal, problems: string[]) => Promise<Compared>;

/** For all listings of an inventory, in milliseconds: its activity may take 2 min. */
export const LISTING_MS = 90_000;
/** Listings under way at once: a cloud that does not answer must not keep those of other credentials waiting. */
const LISTINGS_AT_ONCE = 8;
/** Most shelves that are named because they were not compared. */
const MOST_NAMED = 10;

/** Remembers when each shelf was compared, and begins with those of which that is longest ago: credentials that hang keep no others away. */
export function createCompareShelves(deps: CompareDeps): CompareShelves {
  /** When each shelf was compared, by its key. */
  let comparedAt: ReadonlyMap<string, number> = new Map();

  return async (shelves, ended, problems) => {
    const limit = pLimit(LISTINGS_AT_ONCE);
    const oldestFirst = shelves.toSorted((a, b) => (comparedAt.get(a.key) ?? 0) - (comparedAt.get(b.key) ?? 0));
    const left: Shelf[] = [];
    const now = new Map<string, number>();
    const answers = await Promise.allSettled(
      oldestFirst.map((shelf) =>
        limit(async () => {
          const answer = ended.aborted ? undefined : await compareShelf(deps, shelf, ended, problems);
          if (answer === undefined) left.push(shelf);
          else now.set(shelf.key, deps.clock.now());
          return answer;
        }),
      ),
    );
    // Those that are gone are forgotten.
    comparedAt = new Map(shelves.map(({ key }) => [key, now.get(key) ?? comparedAt.get(key) ?? 0]));
    if (left.length > 0) problems.push(describeLeft(left, shelves.length));
    let instances = 0;
    let woken = 0;
    for (const answer of answers) {
      // All the others are done with.
      if (answer.status === 'rejected') throw answer.reason;
      instances += answer.value?.instances ?? 0;
      woken += answer.value?.woken ?? 0;
    }
    return { instances, woken };
  };
}

/** Undefined: all comparing ended first. */
async function compareShelf(
  deps: CompareDeps,
  { place, clusterName, machines }: Shelf,
  ended: AbortSignal,
  problems: string[],
): Promise<Compared | undefined> {
  const { provider, credentials } = place;
  try {
    const listed = await provider.list(credentials, clusterName, ended);
    const unlisted = await describeUnlisted(place, machines, listed, ended);
    const plan = planInspections(machines, [...listed, ...unlisted]);
    if (plan.doubt !== undefined) problems.push(plan.doubt);
    for (const ref of plan.inspect) await deps.inspect(ref);
    for (const ref of plan.recount) await deps.recount(ref);
    return { instances: listed.length, woken: plan.inspect.length + plan.recount.length };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (ended.aborted) return undefined;
    problems.push(`${describePlace(place)}: ${error.message}`);
    return { instances: 0, woken: 0 };
  }
}

/** What the listing by tag leaves out is asked for by id: an instance that was adopted, or whose tags somebody changed. */
async function describeUnlisted(
  place: Place,
  machines: readonly Machine[],
  listed: readonly Instance[],
  ended: AbortSignal,
): Promise<Instance[]> {
  const shown = new Set(listed.map(({ id }) => id));
  const expected = machines.flatMap((machine) => expectedInstanceOf(machine) ?? []);
  const unlisted = expected.filter((id) => !shown.has(id));
  const found: Instance[] = [];
  for await (const instances of describeInBatches(place, unlisted, ended)) found.push(...instances);
  return found;
}

function describeLeft(left: readonly Shelf[], all: number): string {
  const named = left.map(({ place, clusterName }) => `${describePlace(place)} (${clusterName})`);
  const what = `${left.length} of ${all} listings were not done within ${LISTING_MS / 1000} s`;
  return `${what}: ${joinNames(someOf(named, MOST_NAMED))}; the next inventory begins with them`;
}

function describePlace({ provider, credentials }: Place): string {
  return `${provider.name}, ${credentials.secretName ?? 'default credentials'}`;
}
