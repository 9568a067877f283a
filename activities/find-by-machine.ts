import { setTimeout as delay } from 'node:timers/promises';
import {
  credentialsKey,
  type Credentials,
  type Instance,
  type MachineSearch,
  type Provider,
} from '../providers/provider.ts';

/** How long a look-up waits for those of other Machines to share its calls with, in milliseconds. */
const GATHER_MS = 200;

interface Batch {
  readonly searches: MachineSearch[];
  readonly answers: Promise<readonly (readonly Instance[])[]>;
}

/** Look-ups that wait for others, by the credentials: there are none but in the moment in which they gather. */
const gathering = new WeakMap<Provider, Map<string, Batch>>();

/**
 * Finds what may be a Machine's, as {@link Provider.findByMachine} does. Machines that look at the same time share the
 * calls: after a loss of Temporal's database thousands of workflows look at once.
 */
export async function findByMachine(
  provider: Provider,
  credentials: Credentials,
  search: MachineSearch,
): Promise<readonly Instance[]> {
  const batches = gathering.get(provider) ?? new Map<string, Batch>();
  gathering.set(provider, batches);
  const key = credentialsKey(credentials);
  const batch = batches.get(key) ?? gather(provider, credentials, (full) => forget(batches, key, full));
  batches.set(key, batch);
  const index = batch.searches.push(search) - 1;
  if (batch.searches.length === provider.describeBatchSize) forget(batches, key, batch);
  return (await batch.answers)[index] ?? [];
}

function gather(provider: Provider, credentials: Credentials, onStart: (batch: Batch) => void): Batch {
  const searches: MachineSearch[] = [];
  const answers = delay(GATHER_MS).then(async () => {
    onStart(batch);
    const [first] = searches;
    // One alone is asked for as it is everywhere else.
    if (first !== undefined && searches.length === 1) {
      return [await provider.findByMachine(credentials, first.owner, first.token)];
    }
    return provider.findByMachines(credentials, searches);
  });
  const batch: Batch = { searches, answers };
  return batch;
}

/** Who comes from here on begins another batch. */
function forget(batches: Map<string, Batch>, key: string, batch: Batch): void {
  if (batches.get(key) === batch) batches.delete(key);
}
