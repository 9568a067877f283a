import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { DEFAULT_DRAIN } from '../../../k8s/model/drain.ts';
import { parseDuration } from '../../../k8s/model/duration.ts';
import { readPod, type StoredPod } from '../../../k8s/model/pod.ts';
import { PODS, VOLUME_ATTACHMENTS } from '../../../k8s/resources.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import { volumeOf } from '../cluster/volumes.ts';
import type { Universe } from '../universe.ts';
import { A_MOMENT_MS } from './new-machine.ts';
import type { Wishes } from './wishes.ts';

export interface VolumeJudgeOptions {
  readonly universe: Pick<Universe, 'agenda' | 'api'>;
  readonly wishes: Pick<Wishes, 'volumeTimeouts'>;
  readonly accuse: (message: string) => void;
}

interface Attachment {
  readonly spec: { readonly nodeName: string; readonly source: { readonly persistentVolumeName: string } };
}

/** A time counts for as much earlier as clocks and seconds without a fraction make it look. Milliseconds. */
const ROUNDED_MS = 2000;

/** Volumes of pods that left a Node are detached before its instance ends, or were waited for long enough. */
export class VolumeJudge {
  readonly #options: VolumeJudgeOptions;
  /** When the last pod left a Node that a drain has leave, by the Node's name. Milliseconds since the epoch. */
  readonly #leftAt = new Map<string, number>();
  /** Names of volumes of such pods. */
  readonly #volumes = new Set<string>();

  constructor(options: VolumeJudgeOptions) {
    this.#options = options;
    const { api, agenda } = options.universe;
    api.store.onChange(({ resource, type, object }) => {
      if (resource !== PODS || type !== 'DELETED') return;
      const { controller, drain, claims } = readPod(asPod(object));
      const { nodeName } = asPod(object).spec ?? {};
      if (nodeName === undefined || controller?.kind === 'DaemonSet' || drain === 'skip') return;
      this.#leftAt.set(nodeName, agenda.now);
      for (const claim of claims) this.#volumes.add(volumeOf(claim));
    });
  }

  /** The instance of this Machine, whose Node answers, begins to end. */
  seeEnd(machine: MachineObject, node: string): void {
    const attached = this.#attachedTo(node);
    if (attached.length === 0 || this.#isTimeOver(machine, this.#leftAt.get(node))) return;
    const what = `the instance of Machine ${machine.metadata.name} ends`;
    this.#options.accuse(`${what} while ${attached.join(', ')} is attached to ${node}, and was not waited for`);
  }

  /** Volumes of a Node whose pods have left. */
  #attachedTo(node: string): readonly string[] {
    const { store } = this.#options.universe.api;
    return (store.all(VOLUME_ATTACHMENTS) as unknown as readonly Attachment[])
      .filter(({ spec }) => spec.nodeName === node)
      .map(({ spec }) => spec.source.persistentVolumeName)
      .filter((name) => this.#volumes.has(name));
  }

  /** Nobody waits for them any longer. @param leftAt from when on they are, where its status does not tell, in milliseconds since the epoch */
  #isTimeOver({ metadata, status }: MachineObject, leftAt = Infinity): boolean {
    const { universe, wishes } = this.#options;
    const { now } = universe.agenda;
    const drained = status?.conditions?.find(({ type, status: is }) => type === 'Drained' && is === 'True');
    const begunAt = Date.parse(status?.deletion?.volumeDetachStartTime ?? '');
    // A pass that is carried out twice may say that the Node is drained, that it is not, and that it is; its pods had left.
    const waitedFrom = Number.isNaN(begunAt) ? Infinity : Math.max(leftAt, begunAt);
    const since = drained === undefined ? leftAt : Math.min(Date.parse(drained.lastTransitionTime ?? ''), waitedFrom);
    const timeouts = wishes.volumeTimeouts.since(metadata.uid, now - A_MOMENT_MS - ASSUMPTIONS.callEffectMs);
    const leastMs = Math.min(
      ...timeouts.map((timeout = '') => parseDuration(timeout) ?? DEFAULT_DRAIN.volumeDetachTimeoutMs),
    );
    return now >= since + leastMs - ROUNDED_MS;
  }
}

function asPod(object: KubeObject): StoredPod {
  return object as unknown as StoredPod;
}
