import type { Node } from '../../../k8s/model/node.ts';
import { MADE_AT } from './metadata.ts';
import { given } from '../../../providers/given.ts';

export interface NodeFacts {
  readonly name?: string;
  readonly providerID?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** @default True */
  readonly ready?: 'True' | 'False' | 'Unknown';
  /** Laid over the metadata. */
  readonly metadata?: Partial<Node['metadata']>;
  /** Laid over the spec. */
  readonly spec?: NonNullable<Node['spec']>;
}

export type StoredNode = Node & { readonly apiVersion: 'v1'; readonly kind: 'Node' };

/** A Node that its kubelet has registered. */
export function aNode({
  name = 'n',
  providerID,
  annotations = {},
  ready = 'True',
  metadata,
  spec,
}: NodeFacts = {}): StoredNode {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: MADE_AT,
      annotations: { ...annotations },
      ...metadata,
    },
    spec: { ...given({ providerID }), ...spec },
    status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: MADE_AT }] },
  };
}
