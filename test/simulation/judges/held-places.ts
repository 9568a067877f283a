import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { Lately } from '../people/lately.ts';
import type { People } from '../people/people.ts';
import type { Universe } from '../universe.ts';
import { ownerOf } from './left-to-do.ts';

/** How far a Machine on its way out is, in the order in which that comes. `unknown`: its status tells nothing of an instance. */
const STAGES = ['begun', 'draining', 'drained', 'ending', 'unknown'] as const;
type Stage = (typeof STAGES)[number];

type ReplaceAfter = MachineSetObject['spec']['replaceAfter'];

/** From which stage on its place is free. */
const FREE_FROM: Readonly<Record<ReplaceAfter, Stage>> = { Deleted: 'draining', Drained: 'drained', Gone: 'unknown' };

/** Which Machines that are being deleted fill their places still, by their instances and by what their sets are to go by. */
export class HeldPlaces {
  readonly #universe: Pick<Universe, 'api' | 'agenda' | 'cloud'>;
  /** By the Machine's uid. */
  readonly #stages = new Lately<Stage>();
  /** By the set's uid. */
  readonly #replaceAfter = new Lately<ReplaceAfter>('Deleted');
  /** Ids of instances that were asked to end. */
  readonly #ended = new Set<string>();

  constructor(universe: Pick<Universe, 'api' | 'agenda' | 'cloud'>) {
    this.#universe = universe;
    universe.api.store.onChange(({ resource, object }) => {
      const { uid } = object.metadata;
      const now = universe.agenda.now;
      const stored: unknown = object;
      if (resource.plural === MACHINES.plural) note(this.#stages, uid, stageOf(stored as MachineObject), now);
      if (resource.plural !== MACHINE_SETS.plural) return;
      note(this.#replaceAfter, uid, (stored as MachineSetObject).spec.replaceAfter ?? 'Deleted', now);
    });
  }

  /** The cloud was asked to end an instance. */
  seeEnd(id: string): void {
    this.#ended.add(id);
  }

  /**
   * Machines of a set that fill their places since then at least.
   *
   * @param label of the set's Machines: one with another label is let go
   */
  of(set: string, label: string | undefined, since: number, people: People): readonly string[] {
    const { api, cloud } = this.#universe;
    const living = new Map(cloud.living().map((instance) => [instance.machineUid, instance]));
    const freeFrom = Math.min(...this.#replaceAfter.since(set, since).map((after) => STAGES.indexOf(FREE_FROM[after])));
    const holds = ({ metadata }: MachineObject): boolean => {
      const { uid, deletionTimestamp, labels } = metadata;
      const instance = living.get(uid);
      if (ownerOf({ metadata }) !== set || deletionTimestamp === undefined || labels?.['set'] !== label) return false;
      // Whose record was lost, or is another one's, no set can know to have an instance.
      if (instance === undefined || people.restored.has(uid) || people.forced.has(uid)) return false;
      if (cloud.touched.has(instance.id)) return false;
      const stages = this.#stages.since(uid, since).map((stage) => STAGES.indexOf(stage));
      const isEnded = this.#ended.has(instance.id) ? [STAGES.indexOf('ending')] : [];
      return Math.max(...stages, ...isEnded) < freeFrom;
    };
    return api
      .all<MachineObject>(MACHINES)
      .filter(holds)
      .map(({ metadata }) => metadata.name);
  }
}

function note<T>(lately: Lately<T>, key: string, value: T, now: number): void {
  const [newest] = lately.since(key, Infinity);
  if (newest !== value) lately.note(key, value, now);
}

function stageOf({ status }: MachineObject): Stage {
  const { launch, instanceId, instanceState } = status?.providerStatus ?? {};
  if (launch === undefined && instanceId === undefined) return 'unknown';
  if (instanceState === 'terminated') return 'unknown';
  if (instanceState === 'shutting-down') return 'ending';
  const { drainStartTime, preTerminateHookStartTime } = status?.deletion ?? {};
  if (drainStartTime === undefined) return 'begun';
  return preTerminateHookStartTime === undefined ? 'draining' : 'drained';
}
