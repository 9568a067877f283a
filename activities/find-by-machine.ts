import DataLoader from 'dataloader';
import type { Clock } from '../providers/clock.ts';
import type { Instance, MachineSearch } from '../providers/provider.ts';
import { onePerPlace, type Place } from './place.ts';

/** How long a look-up waits for those of other Machines to share its calls with, in milliseconds. */
const GATHER_MS = 200;

/** Finds what may be a Machine's, as {@link Provider.findByMachine} does. */
export type FindByMachine = (place: Place, search: MachineSearch) => Promise<readonly Instance[]>;

/** Machines that look at the same time share the calls: after a loss of Temporal's database thousands of workflows look at once. */
export function createFindByMachine(clock: Clock): FindByMachine {
  const batchOf = onePerPlace(
    ({ provider, credentials }) =>
      new DataLoader<MachineSearch, readonly Instance[]>(
        async (searches) => {
          const [first] = searches;
          // One alone is asked for as it is everywhere else.
          if (first !== undefined && searches.length === 1) {
            return [await provider.findByMachine(credentials, first.owner, first.token)];
          }
          return provider.findByMachines(credentials, searches);
        },
        {
          cache: false,
          maxBatchSize: provider.describeBatchSize,
          batchScheduleFn: (run) => void clock.after(GATHER_MS, run),
        },
      ),
  );
  return (place, search) => batchOf(place).load(search);
}
