import { isReady, OUT_OF_SERVICE, type Node } from '../../../k8s/model/node.ts';
import { readPod, type StoredPod } from '../../../k8s/model/pod.ts';
import { hasTaint } from '../../../k8s/model/taint.ts';
import { NODES, VOLUME_ATTACHMENTS, VOLUME_CLAIMS, VOLUMES, type Resource } from '../../../k8s/resources.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { Agenda } from '../time/agenda.ts';
import type { Random } from '../time/random.ts';
import { given } from '../../../providers/given.ts';

const DRIVER = 'disks.example.com';

interface VolumesOptions {
  readonly api: ApiServer;
  readonly agenda: Agenda;
  readonly random: Random;
}

/** A volume that is attached to a Node. */
interface Attached {
  readonly node: string;
  /** When it is detached, in milliseconds since the epoch, once its pod is gone. */
  detachAt?: number;
}

/** How long it takes to detach one, in milliseconds: mostly little, sometimes long, now and then for ever. */
function detachMs(random: Random): number {
  const kind = random.next();
  if (kind < 0.7) return random.around(1500);
  return kind < 0.9 ? random.around(40_000) : Infinity;
}

/** A volume of its own for each pod that has one, and the controller that attaches it to the pod's Node and detaches it. */
export class Volumes {
  readonly #options: VolumesOptions;
  /** By the claim. */
  readonly #attached = new Map<string, Attached>();

  constructor(options: VolumesOptions) {
    this.#options = options;
  }

  /** The claim of a new pod. */
  claimFor(pod: string): string {
    const claim = `data-${pod}`;
    const volume = volumeOf(claim);
    this.#put(VOLUME_CLAIMS, claim, { volumeName: volume, accessModes: ['ReadWriteOnce'] }, NAMESPACE);
    this.#put(VOLUMES, volume, { csi: { driver: DRIVER, volumeHandle: claim } });
    return claim;
  }

  /** What the controller does by what it sees now. */
  round(pods: readonly StoredPod[], nodes: ReadonlyMap<string, Node>): void {
    const used = new Map(pods.flatMap((pod) => readPod(pod).claims.map((claim) => [claim, pod.spec?.nodeName ?? ''])));
    for (const [claim, node] of used) if (nodes.has(node) && !this.#attached.has(claim)) this.#attach(claim, node);
    for (const [claim, attached] of this.#attached) if (!used.has(claim)) this.#letGo(claim, attached, nodes);
    for (const node of nodes.values()) this.#tell(node);
  }

  #attach(claim: string, node: string): void {
    this.#attached.set(claim, { node });
    const source = { persistentVolumeName: volumeOf(claim) };
    this.#put(VOLUME_ATTACHMENTS, attachmentOf(claim), { attacher: DRIVER, nodeName: node, source });
  }

  /** From a Node that does not say that it has let go of a volume it is taken only where Kubernetes is told that nothing runs there. */
  #letGo(claim: string, attached: Attached, nodes: ReadonlyMap<string, Node>): void {
    const { agenda, random, api } = this.#options;
    const node = nodes.get(attached.node);
    const isFree = node === undefined || hasTaint(node.spec?.taints, OUT_OF_SERVICE);
    if (!isFree && !isReady(node)) return;
    attached.detachAt ??= agenda.now + detachMs(random);
    if (!isFree && agenda.now < attached.detachAt) return;
    this.#attached.delete(claim);
    api.drop(VOLUME_ATTACHMENTS, undefined, attachmentOf(claim));
    api.drop(VOLUME_CLAIMS, NAMESPACE, claim);
    api.drop(VOLUMES, undefined, volumeOf(claim));
  }

  /** The Node's status says it, too, by other names, and a moment later. */
  #tell({ metadata: { name }, status = {} }: Node): void {
    const { api } = this.#options;
    const names = [...this.#attached]
      .filter(([, attached]) => attached.node === name)
      .map(([claim]) => `kubernetes.io/csi/${DRIVER}^${claim}`);
    const told = (status.volumesAttached ?? []).map((volume) => volume.name);
    if (names.join() === told.join()) return;
    const node = api.peek(NODES, undefined, name);
    if (node === undefined) return;
    const volumesAttached = names.map((volume) => ({ name: volume, devicePath: '' }));
    const changed: KubeObject = { ...node, status: { ...status, volumesAttached } };
    api.put(changed);
  }

  #put({ apiVersion, kind }: Resource, name: string, spec: object, namespace?: string): void {
    const { api, random } = this.#options;
    const metadata = { name, uid: random.uuid(), ...given({ namespace }) };
    const made = { apiVersion, kind, metadata, spec };
    api.put(made);
  }
}

/** The PersistentVolume that a claim is bound to. */
export function volumeOf(claim: string): string {
  return `pv-${claim}`;
}

function attachmentOf(claim: string): string {
  return `attachment-of-${claim}`;
}
