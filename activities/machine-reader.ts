import type { MachineKind, StoredObject } from '../k8s/dialects/kind.ts';
import type { MachineReading, Meta } from '../k8s/model/reading.ts';
import type { Node } from '../k8s/model/node.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import type { SeenStatus } from '../workflows/seen-status.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps } from './deps.ts';
import type { ReadMachine } from './effective-spec.ts';
import { objectChanged, onObject, refuseForeign } from './failures.ts';
import { createListNodes } from './list-nodes.ts';
import { completeMachine, createSharedRead, listMachines, type ReadSource } from './read-machines.ts';
import { readStored } from './read-stored.ts';
import { SeenVersions, seenStatusOf, type StatusWrite } from './seen-versions.ts';
import { given } from '../providers/given.ts';
import { agoMs, momentOf, type Moment } from '../providers/moment.ts';

/** How long the look with which a pass began counts for its steps, in milliseconds: a pass that is not held up takes less. */
export const PASS_MS = 3000;
/** The same for a step that cannot be taken back: a pause or a deletion that came since counts. Milliseconds. */
export const ACT_MS = 1000;
/** How long a look at all Machines waits for others to share it with, in milliseconds. */
const GATHER_MS = 50;
/** The same for those of a namespace. */
const GATHER_NAMESPACE_MS = 20;

type Deps = Pick<ActivityDeps, 'kube' | 'apis' | 'providers' | 'clusterUid' | 'clock'>;

/** A Machine as it was when it was looked at, completed by its MachineClass and its Cluster. */
export interface SeenMachine extends ReadMachine {
  readonly meta: Meta;
  /** What a write of a status goes by that follows from this look. */
  readonly seen?: SeenStatus;
}

interface Look {
  readonly seen: SeenMachine;
  /** When it began. */
  readonly at: Moment;
}

/**
 * Reads Machines, and holds what a worker shares of that within a moment: those who ask for the same at the same time share
 * one read, and the steps of a pass share the look with which it began. What a pass writes to its Machine goes through
 * {@link writing}, so that none of its steps goes by what was there before.
 */
export class MachineReader {
  /** All Machines as they are now; those who ask at the same time share the lists. */
  readonly all: () => Promise<readonly ReadMachine[]>;
  /** All Nodes as they are now, likewise. */
  readonly nodes: () => Promise<readonly Node[]>;
  /** The Machines of a kind in a namespace as they are now, likewise, and as they are stored. */
  readonly inNamespace: (kind: Pick<MachineKind, 'resource'>, namespace: string) => Promise<readonly StoredObject[]>;
  readonly #deps: Deps;
  readonly #readSource: ReadSource;
  /** By the Machine's uid. */
  readonly #looks = new Map<string, Look>();
  readonly #versions: SeenVersions;

  constructor(deps: Deps) {
    const { kube, clock } = deps;
    this.#deps = deps;
    this.#readSource = createSharedRead(kube, clock);
    this.#versions = new SeenVersions(kube);
    this.nodes = createListNodes(kube, clock);
    const list = coalesce(clock, () => listMachines(deps), GATHER_MS, { isHeavy: true });
    this.all = () => list('machines');
    this.inNamespace = createListInNamespace(deps);
  }

  /** The Machine as it is now; undefined where it is gone or another object has its name. */
  async read(ref: ObjectRef): Promise<SeenMachine | undefined> {
    const { kube, apis, providers } = this.#deps;
    const kind = apis.kindOf('machine', ref);
    const at = momentOf(this.#deps.clock);
    const stored = await readStored(kube, kind.resource, ref);
    if (stored === undefined) return undefined;
    const version = this.#versions.saw(stored);
    const read = kind.read(stored);
    const completed = await completeMachine({ providers, readSource: this.#readSource }, apis.apiOf(ref), read);
    const seen = { ...completed, meta: read.meta, ...given({ seen: version }) };
    this.#keep({ seen, at });
    return seen;
  }

  /** The last look at the Machine, where it is not older than so many milliseconds and nobody has written since. */
  recent({ uid }: ObjectRef, mostMs: number = PASS_MS): SeenMachine | undefined {
    const look = this.#looks.get(uid);
    return look !== undefined && agoMs(this.#deps.clock, look.at) < mostMs ? look.seen : undefined;
  }

  /** As {@link read}, for a step that cannot do without the Machine: where it is gone or malformed, the workflow looks again. */
  async live(target: MachineTarget): Promise<SeenMachine> {
    refuseForeign(this.#deps, target);
    return wellFormed(await this.read(target.ref), target);
  }

  /** As {@link live}, by the look with which this pass began, if it is not older than so many milliseconds. */
  async seen(target: MachineTarget, mostMs?: number): Promise<SeenMachine> {
    refuseForeign(this.#deps, target);
    return wellFormed(this.recent(target.ref, mostMs) ?? (await this.read(target.ref)), target);
  }

  /**
   * Runs a write of ours to the Machine; one that finds it gone or changed means that the workflow looks again. While it is
   * under way no look counts. Afterwards the last one goes on with what the write was answered with, if the Machine's spec is
   * the same and nobody looked meanwhile.
   *
   * @param write answers with the Machine; with undefined where there is nothing to go on with
   */
  async writing(ref: ObjectRef, write: () => Promise<StoredObject | undefined>): Promise<StoredObject | undefined> {
    const before = this.#looks.get(ref.uid);
    this.#looks.delete(ref.uid);
    const stored = await onObject(write);
    if (stored !== undefined) this.#versions.saw(stored);
    const isLookedAt = this.#looks.delete(ref.uid);
    if (before === undefined || stored === undefined || isLookedAt) return stored;
    const seen = goneOn(before.seen, this.#deps.apis.kindOf('machine', ref).read(stored));
    if (seen !== undefined) this.#keep({ seen: { ...seen, ...given({ seen: seenStatusOf(stored) }) }, at: before.at });
    return stored;
  }

  /**
   * As {@link writing}, for its status, as {@link SeenVersions.write} does it.
   *
   * @returns what the next write goes by
   */
  async writingStatus(
    ref: ObjectRef,
    write: (resourceVersion: string) => Promise<StoredObject>,
    by: StatusWrite<StoredObject>,
  ): Promise<SeenStatus | undefined> {
    const { resource } = this.#deps.apis.kindOf('machine', ref);
    const stored = await this.writing(ref, () => this.#versions.write(resource, ref, write, by));
    return stored && seenStatusOf(stored);
  }

  #keep(look: Look): void {
    const { uid } = look.seen.machine.ref;
    this.#looks.delete(uid);
    this.#looks.set(uid, look);
    for (const [oldest, { at }] of this.#looks) {
      if (agoMs(this.#deps.clock, at) < PASS_MS) return;
      this.#looks.delete(oldest);
    }
  }
}

function createListInNamespace({ kube, clock }: Pick<Deps, 'kube' | 'clock'>): MachineReader['inNamespace'] {
  const list = coalesce(
    clock,
    async (key) => {
      const [apiVersion = '', kind = '', plural = '', namespace = ''] = key.split(' ');
      const resource = { apiVersion, kind, plural, namespaced: true };
      return (await kube.list<StoredObject>(resource, { namespace })).items;
    },
    GATHER_NAMESPACE_MS,
    { isHeavy: true },
  );
  return ({ resource: { apiVersion, kind, plural } }, namespace) =>
    list([apiVersion, kind, plural, namespace].join(' '));
}

/** The Machine, for steps that a pause holds back: then the workflow looks again. */
export function active<T extends ReadMachine>(read: T): T {
  const { ref, paused, pausedBy } = read.machine;
  if (!paused) return read;
  const why = pausedBy === undefined ? 'it is paused' : `${pausedBy} is paused`;
  throw objectChanged(`${describeRef(ref)}: ${why}`);
}

function wellFormed(seen: SeenMachine | undefined, { ref }: MachineTarget): SeenMachine {
  if (seen === undefined) throw objectChanged(`${describeRef(ref)} is gone`);
  const { malformed } = seen.machine;
  if (malformed === undefined) return seen;
  throw objectChanged(`${describeRef(ref)}: ${malformed.message}`);
}

/** What was seen, with what a write was answered with; undefined where it has to be looked at anew. */
function goneOn({ machine, spec }: SeenMachine, written: MachineReading): SeenMachine | undefined {
  const { machine: now, meta } = written;
  if (now.generation !== machine.generation || now.clusterName !== machine.clusterName || now.malformed !== undefined) {
    return undefined;
  }
  // Of its class and its Cluster it says what they were at the look.
  const { specHash, paused, pausedBy, controlPlaneSize } = machine;
  const heldUp = now.paused || !paused ? {} : { paused, ...given({ pausedBy }) };
  return { machine: { ...now, specHash, ...heldUp, ...given({ controlPlaneSize }) }, spec, meta };
}
