import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { SET_FIELD_MANAGER } from '../../../k8s/model/field-managers.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import { templateOf, type People } from '../people/people.ts';
import type { Universe } from '../universe.ts';
import type { HeldPlaces } from './held-places.ts';
import { ownerOf } from './left-to-do.ts';

/** A change of a set reaches what it has under way within this time, in milliseconds. */
export const A_MOMENT_MS = 30_000;
/** A request of a workflow that is no more takes effect within this time: its activity has to notice first. Milliseconds. */
const FORGOTTEN_MS = 60_000;

/**
 * What is wrong with a Machine that a set makes: there are too many, it takes the place of one that is only about to go, or it is not
 * of the template.
 *
 * @param places those that Machines fill which are being deleted
 * @param goneAt when a Machine with this name went, in milliseconds; undefined: none did
 */
export function problemsOfNew(
  uid: string,
  universe: Universe,
  people: People,
  places: HeldPlaces,
  goneAt: (name: string) => number | undefined,
): readonly (readonly [judge: string, message: string])[] {
  const { api, agenda } = universe;
  const machines = api.all<MachineObject>(MACHINES);
  const machine = machines.find(({ metadata }) => metadata.uid === uid);
  const owner = machine && ownerOf(machine);
  const isMade = machine?.metadata.managedFields?.some(({ manager }) => manager === SET_FIELD_MANAGER) === true;
  if (machine === undefined || owner === undefined || !isMade) return [];
  // How many a set of a deployment has is judged together with the others, and people ask it for nothing.
  if (isOfDeployment(owner, universe)) return [];
  const since = agenda.now - A_MOMENT_MS;
  const label = machine.metadata.labels?.['set'];
  // One with another label is let go as soon as that succeeds, and does not count meanwhile.
  const isLiving = ({ metadata }: MachineObject) =>
    ownerOf({ metadata }) === owner &&
    metadata.deletionTimestamp === undefined &&
    metadata.labels?.['set'] === label &&
    !(people.restored.has(metadata.uid) && Date.parse(metadata.creationTimestamp) > since);
  const living = machines.filter(isLiving).length;
  const most = Math.max(0, ...people.asked.since(owner, since));
  // A call to create it that was repeated took effect after what had come of it was gone: nobody can know of that.
  const isRepeated = (goneAt(machine.metadata.name) ?? -Infinity) > agenda.now - ASSUMPTIONS.requestEffectMs;
  const mayBeOneMore = isRepeated || isForgotten(owner, universe);
  const held = places.of(owner, label, since, people);
  const isAsAsked = people.templates.since(owner, since).includes(templateOf(machine.spec));
  const { name } = machine.metadata;
  const problems: (readonly [judge: string, message: string])[] = [];
  if (living > most && !mayBeOneMore) {
    problems.push(['no surplus', `${living} Machines of a set that was asked for ${most}`]);
  } else if (held.length > 0 && living + held.length > most && !mayBeOneMore) {
    const places = `${held.join(', ')} fill places still, and ${living} others live of ${most}`;
    problems.push(['its place is held', `Machine ${name} is made while ${places}`]);
  }
  if (!isAsAsked) problems.push(['as asked for', `Machine ${name} is not of its set's template`]);
  return problems;
}

export function isOfDeployment(set: string, { api }: Pick<Universe, 'api'>): boolean {
  return api.store.byUid(set)?.metadata.ownerReferences?.some(({ kind }) => kind === 'MachineDeployment') === true;
}

/** Its workflow was ended by hand or lost, a moment ago, and with it what was issued and not seen: no other can know of that. */
export function isForgotten(set: string, { api, agenda, temporal }: Universe): boolean {
  const run = temporal.newestOf(set);
  const begin = run?.isRunning === true ? temporal.runs.get(run.identity.firstRunId)?.history[0]?.at : undefined;
  const madeAt = Date.parse(api.store.byUid(set)?.metadata.creationTimestamp ?? '');
  const knowsSince = begin ?? agenda.now;
  return knowsSince > agenda.now - FORGOTTEN_MS && knowsSince > madeAt + FORGOTTEN_MS;
}
