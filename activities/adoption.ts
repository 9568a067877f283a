import type { Machine } from '../k8s/model/machine.ts';
import { CLAIM_ANNOTATION } from '../k8s/model/claim.ts';
import { CLAIM_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { Instance } from '../providers/provider.ts';
import { isGone, pickInstance } from '../workflows/machine/instance-facts.ts';
import { belonging, isPlainlyOwn, type Belonging } from './belonging.ts';
import { ownerOf } from './cloud-of.ts';
import { coalesce } from './coalesce.ts';
import type { MachineDeps } from './deps.ts';
import { onePerPlace, type Place } from './place.ts';
import { createReadWorld } from './read-world.ts';
import { given } from '../providers/given.ts';

/** How long a listing waits for others to share it with, in milliseconds. */
const GATHER_MS = 200;

const OURS = { fieldManager: CLAIM_FIELD_MANAGER } as const;

/** What a look-up found that is the Machine's, and what it found that is not and may keep the Machine from launching. */
export interface SortedOut {
  readonly instances: readonly Instance[];
  readonly another?: string;
}

export interface Adoption {
  /** Whose the instance is, by live lists of the Machines and, where it has no owner, of the instances of its cluster. */
  judge(place: Place, machine: Machine, instance: Instance): Promise<Belonging>;
  /**
   * Of what was found the instances that are the Machine's; where none of these lives, the one that it adopts by this, too.
   * @param found as `Provider.findByMachine` answers: what has ended is in there only where it is the Machine's
   */
  sortOut(place: Place, machine: Machine, found: readonly Instance[]): Promise<SortedOut>;
  /**
   * Makes the instance the Machine's, by its tags, before anything is recorded: whoever dies in between finds it again. The
   * Machine notes it first: while the cloud may show the instance without the tags, no look is believed that shows it as another's.
   * @throws ProviderError Aborted where a look does not show the tags (yet), or shows another's
   */
  adopt(place: Place, machine: Machine, instance: Instance): Promise<Instance>;
}

export function createAdoption(deps: MachineDeps): Adoption {
  const readWorld = createReadWorld(deps);
  /** Lists the instances of a cluster. */
  const listOf = onePerPlace(({ provider, credentials }) =>
    coalesce(deps.clock, (clusterName) => provider.list(credentials, clusterName), GATHER_MS),
  );

  return { judge, sortOut, adopt };

  async function judge(place: Place, machine: Machine, instance: Instance): Promise<Belonging> {
    const world = { ...(await readWorld()), keepsTokens: place.provider.idempotency === 'token' };
    const first = belonging(machine, instance, { ...world, namesakes: [] });
    if (first.outcome !== 'adoptable' || first.by !== 'name') return first;
    const namesakes = await Promise.all((instance.clusters ?? []).map((cluster) => listOf(place)(cluster)));
    return belonging(machine, instance, { ...world, namesakes: namesakes.flat() });
  }

  async function sortOut(place: Place, machine: Machine, found: readonly Instance[]): Promise<SortedOut> {
    const own = found.filter((instance) => isPlainlyOwn(machine, instance));
    // Beside one of its own that lives nothing is adopted.
    if (own.some(({ state }) => !isGone(state))) return { instances: own };
    const others = found.filter((instance) => !own.includes(instance));
    const judged = await Promise.all(
      others.map(async (instance) => ({ instance, ...(await judge(place, machine, instance)) })),
    );
    const adoptable = judged.filter(({ outcome }) => outcome === 'adoptable').map(({ instance }) => instance);
    // One that is certainly another Machine's says nothing about this one.
    const unclear = judged.flatMap((one) =>
      one.outcome === 'another' && one.owner === undefined ? [one.message] : [],
    );
    const another = given({ another: unclear.length === 0 ? undefined : unclear.join('; ') });
    const chosen = pickInstance(adoptable);
    if (chosen === undefined) return { instances: own, ...another };
    return { instances: [...own, await adopt(place, machine, chosen)], ...another };
  }

  async function adopt({ provider, credentials }: Place, machine: Machine, { id }: Instance): Promise<Instance> {
    const { ref, clusterName } = machine;
    await noteClaim(ref, id);
    await provider.claim(credentials, id, ownerOf(deps, ref, clusterName));
    const [tagged] = await provider.describe(credentials, [id]);
    if (tagged?.machineUid === ref.uid) return tagged;
    const shown = tagged === undefined ? 'no such instance' : `the uid ${tagged.machineUid ?? 'of nobody'}`;
    throw new ProviderError(
      'Aborted',
      `instance ${id} was tagged as that of ${describeRef(ref)}, and a look at it shows ${shown}; it is looked at again before anything is recorded`,
    );
  }

  async function noteClaim(ref: ObjectRef, id: string): Promise<void> {
    const { uid, namespace, name } = ref;
    const annotations = { [CLAIM_ANNOTATION]: `${id} ${new Date(deps.clock.timeOfDay()).toISOString()}` };
    const { resource } = deps.apis.kindOf('machine', ref);
    await deps.reader.writing(ref, () =>
      deps.kube.apply(resource, namespace, name, { metadata: { uid, annotations } }, OURS),
    );
  }
}
