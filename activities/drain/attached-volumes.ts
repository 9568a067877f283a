import type { KubeClient } from '../../k8s/client.ts';
import { KubeError, unlessGone } from '../../k8s/kube-error.ts';
import type { Node } from '../../k8s/model/node.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import type { SomeNames } from '../../k8s/model/some-names.ts';
import { VOLUME_ATTACHMENTS, VOLUME_CLAIMS, VOLUMES } from '../../k8s/resources.ts';
import type { Clock } from '../../providers/clock.ts';
import { coalesce } from '../coalesce.ts';
import { shortenNames } from './shorten-names.ts';

/** How long a look at all attachments waits for others to share it with, in milliseconds. */
const GATHER_MS = 100;

interface Attachment {
  readonly spec: { readonly nodeName: string; readonly source: { readonly persistentVolumeName?: string } };
}

interface Volume {
  readonly spec?: { readonly csi?: { readonly driver: string; readonly volumeHandle: string } };
}

/**
 * Names of the volumes that are attached to a Node, but for those of the pods that stay: the PersistentVolume's, where it has a
 * VolumeAttachment, else the one that the Node says.
 */
export type AttachedVolumes = (node: Node, staying: readonly Pod[]) => Promise<string[]>;

/** What a look at volumes found, in short; undefined where the API server did not let it look. */
export async function unlessUnseen(look: ReturnType<AttachedVolumes>): Promise<SomeNames | undefined> {
  try {
    return shortenNames(await look);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return undefined;
  }
}

export function createAttachedVolumes(kube: KubeClient, clock: Clock): AttachedVolumes {
  const listAttachments = coalesce(
    clock,
    async () => (await kube.list<Attachment>(VOLUME_ATTACHMENTS)).items,
    GATHER_MS,
  );

  return async (node, staying) => {
    const attachments = (await listAttachments('all')).filter(({ spec }) => spec.nodeName === node.metadata.name);
    const byName = attachments.flatMap(({ spec }) => spec.source.persistentVolumeName ?? []);
    const byNode = (node.status?.volumesAttached ?? []).map(({ name }) => name);
    if (byName.length + byNode.length === 0) return [];
    const stays = await namesOf(staying);
    const going = new Set(byName.filter((name) => !stays.has(name)));
    const others = new Set(byNode.filter((name) => !stays.has(name)));
    // What the Node says is the same volumes, for the most part, by other names.
    const named = others.size === 0 ? [] : await Promise.all([...going].map(nodeNamesOf));
    const isNamed = new Set(named.flat());
    return [...going, ...[...others].filter((name) => !isNamed.has(name))];
  };

  /** The volumes of these pods, by the name of their PersistentVolume and by the one that a Node knows them by. */
  async function namesOf(pods: readonly Pod[]): Promise<ReadonlySet<string>> {
    const names = await Promise.all(
      pods.flatMap(({ namespace, claims }) => claims.map((claim) => volumeOf(namespace, claim))),
    );
    return new Set(names.flat());
  }

  async function volumeOf(namespace: string, claim: string): Promise<string[]> {
    const bound = await unlessGone(kube.get<{ spec?: { volumeName?: string } }>(VOLUME_CLAIMS, namespace, claim));
    const name = bound?.spec?.volumeName;
    return name === undefined ? [] : [name, ...(await nodeNamesOf(name))];
  }

  /** What a Node calls a PersistentVolume, where that is known. */
  async function nodeNamesOf(name: string): Promise<string[]> {
    const csi = (await unlessGone(kube.get<Volume>(VOLUMES, undefined, name)))?.spec?.csi;
    return csi === undefined ? [] : [`kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`];
  }
}
