import type { StoredPod } from '../../../k8s/model/pod.ts';
import { metadataOf } from './metadata.ts';
import { given } from '../../../providers/given.ts';

export interface PodFacts {
  readonly name?: string;
  readonly namespace?: string;
  /** @default n */
  readonly node?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Who controls it. @default nobody */
  readonly owner?: { readonly kind: string; readonly name?: string; readonly uid: string };
  /** @default 30 */
  readonly graceSeconds?: number;
  readonly priorityClassName?: string;
  /** @default Running */
  readonly phase?: string;
  /** @default it runs */
  readonly ready?: boolean;
  /** RFC 3339: since when it is not Ready as its Node is not heard. @default it is heard */
  readonly unheardFrom?: string;
  readonly claims?: readonly string[];
  readonly tolerations?: NonNullable<StoredPod['spec']>['tolerations'];
  /** Laid over the metadata. */
  readonly metadata?: Partial<StoredPod['metadata']>;
}

type PodObject = Omit<StoredPod, 'metadata'> & {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: ReturnType<typeof metadataOf> & StoredPod['metadata'];
};

/** A Pod that runs. */
export function aPod(facts: PodFacts = {}): PodObject {
  const { name = 'p', namespace, node = 'n', labels, owner, claims = [], phase = 'Running' } = facts;
  const isRunning = phase === 'Running';
  const ready = facts.ready ?? isRunning;
  const ownerReferences = owner && [{ apiVersion: 'apps/v1', name: 'owner', controller: true, ...owner }];
  const { generation: _none, ...metadata } = metadataOf(name, given({ namespace, ownerReferences }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      ...given({ labels: labels && { ...labels } }),
      ...facts.metadata,
    } as PodObject['metadata'],
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: facts.graceSeconds ?? 30,
      ...given({ priorityClassName: facts.priorityClassName, tolerations: facts.tolerations }),
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    },
    status: {
      phase,
      conditions: conditionsOf(facts, ready),
      containerStatuses: [{ state: isRunning ? { running: {} } : {} }],
    },
  };
}

function conditionsOf({ unheardFrom }: PodFacts, isReady: boolean) {
  const status = isReady ? 'True' : 'False';
  if (unheardFrom === undefined) return ['ContainersReady', 'Ready'].map((type) => ({ type, status }));
  return [
    { type: 'ContainersReady', status: 'True' },
    { type: 'Ready', status: 'False', lastTransitionTime: unheardFrom },
  ];
}
