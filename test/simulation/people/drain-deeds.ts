import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { FORCE_DELETION_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { LifecycleHook } from '../../../k8s/model/machine.ts';
import { DISRUPTION_BUDGETS } from '../../../k8s/resources.ts';
import { BUDGETS } from '../cluster/workload-kinds.ts';
import { relaxBudgets } from './deployment-deeds.ts';
import type { People } from './people.ts';

const POINTS = ['preDrain', 'preTerminate'] as const;

/** How long a hook stays on average, in milliseconds. */
const HOOK_MS = 120_000;

/** What people do that has to do with drains. */
export const DRAIN_DEEDS = {
  /** Who adds it removes it some time later. */
  hook: toSome(async (people, machine) => {
    const point = people.random.pick(POINTS) ?? 'preDrain';
    await setHook(people, machine, point, true);
    people.later(people.random.around(HOOK_MS), () => setHook(people, machine, point, false));
  }),
  'edit drain': toSome((people, { metadata: { name, uid } }) => {
    const timeout = people.random.pick(['1m', '90s', '5m', '20m']) ?? '5m';
    const drain = people.random.pick<MachineObject['spec']['drain'] | null>([
      null,
      { timeout, onTimeout: 'Wait' },
      { timeout, onTimeout: 'Force' },
      { volumeDetachTimeout: '10s' },
      { daemonSets: 'EvictLast' },
      { daemonSets: 'EvictLast', timeout },
    ]);
    people.tell(`sets the drain of Machine ${name} to ${JSON.stringify(drain)}`);
    people.forces.note(uid, drain?.onTimeout === 'Force', people.now);
    return people.patch(MACHINES, name, { spec: { drain } });
  }),
  hurry: toSome((people, { metadata: { name } }) => {
    people.tell(`wants the drain of Machine ${name} to be over soon`);
    return people.patch(MACHINES, name, { metadata: { labels: { [FORCE_DELETION_LABEL]: 'True' } } });
  }),
  'edit budget': async (people: People): Promise<void> => {
    const app = people.random.pick(BUDGETS) ?? '';
    const minAvailable = people.random.below(5);
    people.tell(`wants ${minAvailable} pods of ${app} to be available`);
    await people.patch(DISRUPTION_BUDGETS, app, { spec: { minAvailable } });
  },
} satisfies Record<string, (people: People) => Promise<void> | void>;

/** Adds a hook to a Machine, or takes it off. */
export async function setHook(
  people: People,
  { metadata: { name, uid } }: MachineObject,
  point: LifecycleHook['point'],
  isThere: boolean,
): Promise<void> {
  people.tell(`${isThere ? 'adds a' : 'removes the'} ${point} hook ${isThere ? 'to' : 'of'} Machine ${name}`);
  const hooks = isThere ? [{ name: 'Guard', owner: 'somebody' }] : [];
  // Also where it was never there: what is new holds from a moment later on.
  people.hooks.note(`${uid} ${point}`, false, people.now);
  await people.patch(MACHINES, name, { metadata: { uid }, spec: { lifecycleHooks: { [point]: hooks } } });
  if (isThere) people.hooks.note(`${uid} ${point}`, true, people.now);
}

/** Nothing keeps a drain from coming to its end any more. */
export async function letDrain(people: People): Promise<void> {
  for (const { metadata, spec } of people.machines()) {
    if (spec.lifecycleHooks === undefined) continue;
    await people.patch(MACHINES, metadata.name, { spec: { lifecycleHooks: null } });
    for (const point of POINTS) people.hooks.note(`${metadata.uid} ${point}`, false, people.now);
  }
  if (people.universe.workloads === 'all') await relaxBudgets(people);
}

function toSome(deed: (people: People, machine: MachineObject) => Promise<void> | void) {
  return async (people: People): Promise<void> => {
    const machine = people.random.pick(people.machines());
    if (machine !== undefined) await deed(people, machine);
  };
}
