import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { CLUSTERS } from '../../../k8s/dialects/openshift/resources.ts';
import { INSTANCE_UNKNOWN_ANNOTATION, type Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { People } from '../people/people.ts';
import type { Universe } from '../universe.ts';
import { A_MOMENT_MS } from './new-machine.ts';
import type { Wishes } from './wishes.ts';

/** So long a deletion that is forced waits for a cloud that fails, at least, in milliseconds. */
const GIVEN_UP_AFTER_MS = 290_000;

interface EndJudgeOptions {
  readonly universe: Universe;
  readonly wishes: Wishes;
  readonly people: () => People | undefined;
  readonly accuse: (message: string) => void;
}

/** No Machine goes while its instance runs. */
export class EndJudge {
  readonly #options: EndJudgeOptions;
  /** uids of Machines that went without a finalizer, or by force: what they leave behind their workflow knows. */
  readonly #leftToWorkflow = new Set<string>();
  /** What the status said last of those that went by force, by their uids. */
  readonly #givenUp = new Map<string, MachineObject['status']>();
  /** When the last Machine with a name went, in milliseconds. */
  readonly #goneAt = new Map<string, number>();

  constructor(options: EndJudgeOptions) {
    this.#options = options;
  }

  /** It went: as it was last. */
  see(object: KubeObject): void {
    const { universe, accuse } = this.#options;
    const { metadata, status } = object as unknown as MachineObject;
    const { uid, name } = metadata;
    const people = this.#options.people();
    this.#goneAt.set(name, universe.agenda.now);
    if (people?.forced.has(uid) === true) return;
    const isUnheld = metadata.finalizers?.includes(FINALIZER) !== true;
    const isGivenUp = this.#mayBeGivenUp(metadata);
    // What it leaves behind its workflow has to report, or to look after: that is judged at the end.
    if (isUnheld || isGivenUp) this.#leftToWorkflow.add(uid);
    if (isGivenUp) this.#givenUp.set(uid, status);
    if (isUnheld || isGivenUp) return;
    const firstUid = this.#isAdoptionAllowed() ? people?.firstUidOf(uid) : undefined;
    const isIts = (owner = '') => owner === uid || (firstUid !== undefined && people?.firstUidOf(owner) === firstUid);
    const left = universe.cloud.living().filter(({ machineUid }) => isIts(machineUid));
    for (const { id, state } of left) accuse(`Machine ${name} went while its instance ${id} is ${state}`);
  }

  goneAt(name: string): number | undefined {
    return this.#goneAt.get(name);
  }

  isLeftToWorkflow(uid: string): boolean {
    return this.#leftToWorkflow.has(uid);
  }

  /** Not where only its workflow knew, and somebody ended that by hand or Temporal lost it, too. */
  isAnybodyLeftToKnow(uid: string): boolean {
    if (!this.#leftToWorkflow.has(uid)) return true;
    const run = this.#options.universe.temporal.newestOf(uid);
    return run !== undefined && run.status !== 'TERMINATED';
  }

  /** Nodes of Machines that went by force, and whose instances have ended: those that they had, and those that are marked with the instance. */
  nodesLeft(): readonly string[] {
    const { api, cloud } = this.#options.universe;
    const living = new Set(cloud.living().map(({ machineUid }) => machineUid));
    const ended = [...this.#givenUp].filter(([uid]) => !living.has(uid) && this.isAnybodyLeftToKnow(uid));
    return api.all<Node>(NODES).flatMap(({ metadata: { name, uid, annotations } }) => {
      const mark = annotations?.[INSTANCE_UNKNOWN_ANNOTATION];
      return ended
        .filter(([, status]) => {
          const id = status?.providerStatus?.instanceId;
          return status?.nodeRef?.uid === uid || (id !== undefined && id === mark);
        })
        .map(([of]) => `${name} is left of the Machine with uid ${of}, which went by force, and its instance ended`);
    });
  }

  /** It is deleted by force, and the cloud may have failed for long enough. */
  #mayBeGivenUp({ uid, deletionTimestamp = '' }: MachineObject['metadata']): boolean {
    const { universe, wishes } = this.#options;
    const { now } = universe.agenda;
    const isForced = wishes.policies.since(uid, now - A_MOMENT_MS).includes('forced');
    return isForced && now - Date.parse(deletionTimestamp) >= GIVEN_UP_AFTER_MS;
  }

  /** There is a Cluster, and has been for a while: instances of earlier Machines of the same name are a Machine's own. */
  #isAdoptionAllowed(): boolean {
    const { api, agenda } = this.#options.universe;
    const since = agenda.now - A_MOMENT_MS;
    return api
      .all(CLUSTERS)
      .some(
        ({ metadata }) => metadata.deletionTimestamp === undefined && Date.parse(metadata.creationTimestamp) < since,
      );
  }
}
