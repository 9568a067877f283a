import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { EVENTS, NODES } from '../../../k8s/resources.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import { SECRET_USER_DATA, type People } from '../people.ts';
import type { HistoryEvent } from '../temporal/history-event.ts';
import type { Run } from '../temporal/run.ts';
import type { Universe } from '../universe.ts';

/** Something that may never be. */
export interface Violation {
  readonly judge: string;
  readonly message: string;
  /** Milliseconds since the beginning of the run. */
  readonly at: number;
}

/** As it is, and as a Secret has it. */
const SECRET_FORMS = [SECRET_USER_DATA, Buffer.from(SECRET_USER_DATA).toString('base64').slice(0, -4)];

/**
 * What the product saw of a Machine when it sends a call for it is no older: five seconds from the look to the call, a look that is
 * shared and on its way, and what timestamps leave out.
 */
const SEEN_BEFORE_CALL_MS = 10_000;

/** A change of a set's size reaches what it has under way within this time, in milliseconds. */
const A_MOMENT_MS = 30_000;

/** Most workflow tasks of one workflow in a minute: more is a melt-down. */
const MOST_TASKS = 150;

/** Look at the outside only, at every step: at the cloud's ledger, at the stored objects, at Temporal's histories. */
export class Judges {
  readonly violations: Violation[] = [];
  /** How often a judge looked. */
  looks = 0;
  readonly #universe: Universe;
  readonly #people: () => People | undefined;
  readonly #foreign = new Set<string>();
  readonly #launched = new Set<string>();
  /** uids of Machines that went without a finalizer. */
  readonly #unheld = new Set<string>();
  readonly #begin: number;
  readonly #tasks = new Map<string, { minute: number; count: number }>();

  constructor(universe: Universe, people: () => People | undefined) {
    this.#universe = universe;
    this.#people = people;
    this.#begin = universe.agenda.now;
    universe.cloud.onCall = (action, id) => this.#seeCloud(action, id);
    universe.cloud.onLaunchSent = (uid) => this.#seeLaunchSent(uid);
    universe.temporal.onTask = ({ identity }) => this.#seeTask(identity.workflowId);
    universe.api.store.onChange(({ resource, type, object, previous }) => {
      if (resource.plural !== MACHINES.plural) return;
      if (type === 'ADDED') this.#seeNewMachine(object);
      if (type === 'DELETED' && previous !== undefined) this.#seeEnd(previous);
    });
  }

  accuse(judge: string, message: string): void {
    this.violations.push({ judge, message, at: this.#universe.agenda.now - this.#begin });
    this.#universe.story.tell('JUDGE', `${judge}: ${message}`);
  }

  /** An instance that is none of the product's business. */
  protect(id: string): void {
    this.#foreign.add(id);
  }

  /** At the end, when nothing was disturbed for long: everything asked for is there, and everything else is gone. */
  judgeEnd(): void {
    const { api, cloud } = this.#universe;
    const machines = api.all<MachineObject>(MACHINES);
    for (const { metadata, status } of machines) {
      this.looks += 1;
      if (metadata.deletionTimestamp !== undefined) {
        this.accuse('liveness', `Machine ${metadata.name} is still being deleted: ${reasonOf(status)}`);
      } else if (status?.phase !== 'Running' && status?.phase !== 'Failed') {
        this.accuse(
          'liveness',
          `Machine ${metadata.name} is ${status?.phase ?? 'without a phase'}: ${reasonOf(status)}`,
        );
      }
    }
    for (const { metadata, spec, status } of api.all<MachineSetObject>(MACHINE_SETS)) {
      this.looks += 1;
      const owned = machines.filter((machine) => ownerOf(machine) === metadata.uid);
      if (owned.length !== (spec.replicas ?? 1)) {
        this.accuse(
          'liveness',
          `MachineSet ${metadata.name} has ${owned.length} of ${spec.replicas} Machines; its status: ${status?.replicas}`,
        );
      }
    }
    for (const resource of [MACHINES, MACHINE_SETS, EVENTS, NODES]) {
      const text = JSON.stringify(api.all(resource));
      if (SECRET_FORMS.some((secret) => text.includes(secret))) {
        this.accuse('no secret', `one of the ${resource.plural} has user-data in it`);
      }
    }
    const reported = api.all<KubeObject & { involvedObject?: { uid: string }; reason?: string }>(EVENTS);
    const known = new Set([
      ...machines.map(({ metadata }) => metadata.uid),
      ...(this.#people()?.forced ?? []),
      ...reported
        .filter(({ reason }) => reason === 'SuspectedOrphan')
        .map(({ involvedObject }) => involvedObject?.uid ?? ''),
    ]);
    for (const { id, tags } of cloud.cloud.engine.hypervisorView()) {
      this.looks += 1;
      const uid = tags['machineUid'];
      if (uid !== undefined && !known.has(uid) && this.#isAnybodyLeftToKnow(uid))
        this.accuse('orphan', `instance ${id} runs, and its Machine is gone`);
    }
  }

  /** What Temporal keeps has no secret in it. */
  judgeHistory({ history, identity }: Run): void {
    this.looks += 1;
    const text = textOf(history);
    if (SECRET_FORMS.some((secret) => text.includes(secret))) {
      this.accuse('no secret', `the history of ${identity.workflowId} has user-data in it`);
    }
  }

  /** Not where a Machine went without a finalizer, and somebody ended its workflow or Temporal lost it, too. */
  #isAnybodyLeftToKnow(uid: string): boolean {
    if (!this.#unheld.has(uid)) return true;
    const run = this.#universe.temporal.newestOf(uid);
    return run !== undefined && run.status !== 'TERMINATED';
  }

  #seeTask(workflowId: string): void {
    this.looks += 1;
    const minute = Math.floor(this.#universe.agenda.now / 60_000);
    const known = this.#tasks.get(workflowId);
    const count = known?.minute === minute ? known.count + 1 : 1;
    this.#tasks.set(workflowId, { minute, count });
    if (count === MOST_TASKS) this.accuse('no melt-down', `${workflowId} had ${count} workflow tasks within a minute`);
  }

  #seeLaunchSent(uid: string): void {
    this.looks += 1;
    const { deletionTimestamp, name } = this.#universe.api.store.byUid(uid)?.metadata ?? {};
    if (deletionTimestamp === undefined) return;
    const sinceMs = this.#universe.agenda.now - Date.parse(deletionTimestamp);
    if (sinceMs <= SEEN_BEFORE_CALL_MS) return;
    this.accuse(
      'no launch in vain',
      `a call to launch is sent for Machine ${name}, ${sinceMs / 1000} s after its deletion`,
    );
  }

  #seeCloud(action: string, id: string | undefined): void {
    this.looks += 1;
    const { engine } = this.#universe.cloud.cloud;
    if (id !== undefined && this.#foreign.has(id))
      this.accuse('foreign', `${action} of instance ${id}, which is another's`);
    if (action === 'terminate') this.#universe.story.tell('cloud', `ends instance ${id}`);
    if (action !== 'launch') return;
    const byMachine = Map.groupBy(engine.hypervisorView(), ({ tags }) => tags['machineUid']);
    for (const [uid, living] of byMachine) {
      const [first, second] = living;
      if (uid === undefined || first === undefined) continue;
      const name = first.tags['name'] ?? '';
      if (second !== undefined) {
        this.accuse('one instance', `${living.map((each) => each.id).join(' and ')} run for Machine ${name}`);
      }
      if (this.#launched.has(first.id)) continue;
      this.#launched.add(first.id);
      this.#universe.story.tell('cloud', `runs instance ${first.id} for Machine ${name}`);
      if (this.#universe.api.store.has(uid) || this.#people()?.forced.has(uid) === true) continue;
      this.accuse('no launch after the end', `instance ${first.id} was launched for Machine ${name}, which is gone`);
    }
  }

  #seeNewMachine(object: KubeObject): void {
    this.looks += 1;
    const { api, agenda } = this.#universe;
    const owner = ownerOf(object);
    const people = this.#people();
    if (owner === undefined || people === undefined) return;
    const living = api
      .all(MACHINES)
      .filter((each) => ownerOf(each) === owner && each.metadata.deletionTimestamp === undefined);
    const most = people.mostAsked(owner, agenda.now - A_MOMENT_MS);
    if (living.length > most)
      this.accuse('no surplus', `${living.length} Machines of a set that was asked for ${most}`);
  }

  #seeEnd({ metadata }: KubeObject): void {
    this.looks += 1;
    const { uid, name } = metadata;
    if (this.#people()?.forced.has(uid) === true) return;
    if (metadata.finalizers?.includes(FINALIZER) !== true) {
      // Somebody took it first: what it leaves behind its workflow has to report, and is judged at the end.
      this.#unheld.add(uid);
      return;
    }
    const left = this.#universe.cloud.cloud.engine.hypervisorView().filter(({ tags }) => tags['machineUid'] === uid);
    for (const { id, state } of left) {
      this.accuse('clean end', `Machine ${name} went while its instance ${id} is ${state}`);
    }
  }
}

function ownerOf({
  metadata,
}: {
  readonly metadata: Pick<KubeObject['metadata'], 'ownerReferences'>;
}): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

function reasonOf(status: MachineObject['status']): string {
  return JSON.stringify(
    (status as { providerStatus?: { waiting?: object } } | undefined)?.providerStatus?.waiting ?? status,
  );
}

function textOf(history: readonly HistoryEvent[]): string {
  const decoder = new TextDecoder();
  return JSON.stringify(history, (_key, value: unknown) =>
    value instanceof Uint8Array ? decoder.decode(value) : value,
  );
}
