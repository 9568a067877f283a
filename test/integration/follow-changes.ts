import { Watch, type KubeConfig } from '@kubernetes/client-node';
import { resourcePath, type Resource } from '../../k8s/resources.ts';
import { given } from '../../providers/given.ts';

/** What is read of an object that has conditions. */
export interface Observed {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string; readonly deletionTimestamp?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** What is followed: from which version on, of which namespace, with which labels. */
export interface Followed {
  readonly resource: Resource;
  readonly resourceVersion: string;
  /** @default all */
  readonly namespace?: string;
  /** @default all */
  readonly labelSelector?: string;
}

/**
 * Tells each change that the API server tells of. A watch that the API server ends is begun again where it ended.
 *
 * @returns ends it
 */
export async function followChanges(
  config: KubeConfig,
  { resource, namespace, labelSelector, ...from }: Followed,
  tell: (change: 'ADDED' | 'MODIFIED' | 'DELETED', object: Observed) => void,
): Promise<() => void> {
  let { resourceVersion } = from;
  let isStopped = false;
  let stream: AbortController | undefined;
  const follow = async (): Promise<void> => {
    stream = await new Watch(config).watch(
      resourcePath(resource, namespace),
      { resourceVersion, ...given({ labelSelector }) },
      (change, object: Observed) => {
        if (change !== 'ADDED' && change !== 'MODIFIED' && change !== 'DELETED') return;
        ({ resourceVersion } = object.metadata);
        tell(change, object);
      },
      () => {
        if (!isStopped) void follow();
      },
    );
    if (isStopped) stream.abort();
  };
  await follow();
  return () => {
    isStopped = true;
    stream?.abort();
  };
}
