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

const READY = { '.': {}, 'f:type': {}, 'f:status': {}, 'f:lastTransitionTime': {} };
/** Its kubelet's: a condition that nobody owns goes with the last one that somebody owned. */
const MANAGED = [
  {
    manager: 'kubelet',
    operation: 'Update',
    apiVersion: 'v1',
    time: MADE_AT,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': { 'f:conditions': { '.': {}, 'k:{"type":"Ready"}': READY } } },
    subresource: 'status',
  },
];

/** A Node that its kubelet has registered. */
export function aNode({
  name = 'n',
  providerID,
  annotations = {},
  ready = 'True',
  metadata,
  spec,
}: NodeFacts = {}): StoredNode {
  const managed = { managedFields: MANAGED };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      ...managed,
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
