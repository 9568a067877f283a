import { Watch, type KubeConfig } from '@kubernetes/client-node';
import { createKubeClient } from '../../../../k8s/http-client.ts';
import { NAMESPACES, resourcePath } from '../../../../k8s/resources.ts';
import type { KubeObject } from '../../../world/kubernetes/kube-object.ts';
import type { Server, WatchedEvent } from './side.ts';

/** Of a request or a watch, in milliseconds: on a busy machine none is given up. */
const TIMEOUT_MS = 60_000;

/** The real one, with a namespace of its own for the stories. */
export async function openRealServer(config: KubeConfig, namespace: string): Promise<Server> {
  const kube = createKubeClient(config, { timeoutMs: TIMEOUT_MS });
  const body = { metadata: { name: namespace } };
  const { metadata } = await kube.apply<KubeObject>(NAMESPACES, undefined, namespace, body, { fieldManager: 'test' });
  const watch = new Watch(config);
  return {
    kube,
    namespace,
    namespaceUid: metadata.uid,
    eventsOf: (resource, from, isLast) =>
      new Promise((resolve, reject) => {
        const events: WatchedEvent[] = [];
        let isDone = false;
        let request: AbortController | undefined;
        const onEvent = (type: string, object: Partial<KubeObject>) => {
          const event = { type, object };
          if (isDone) return;
          events.push(event);
          if (!isLast(event)) return;
          isDone = true;
          request?.abort();
          resolve(events);
        };
        const onEnd = (error: unknown) => {
          if (!isDone) reject(new Error('the watch ended', { cause: error }));
        };
        const path = resourcePath(resource, resource.namespaced ? namespace : undefined);
        begin().catch(onEnd);

        async function begin(): Promise<void> {
          request = await watch.watch(path, { ...from, timeoutSeconds: TIMEOUT_MS / 1000 }, onEvent, onEnd);
          if (isDone) request.abort();
        }
      }),
  };
}
