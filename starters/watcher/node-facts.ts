import { MACHINE_ANNOTATION } from '../../k8s/model/labels.ts';
import type { Taint } from '../../k8s/model/machine.ts';
import type { ObjectMeta } from '../../k8s/object-meta.ts';
import { digest } from './fingerprint.ts';
import { addressesOf, fieldAt, listAt, taintsAt, textAt } from './loose-fields.ts';
import { lastSegment } from './machine-facts.ts';

/** What is read of a Node. */
export interface NodeObject {
  readonly metadata: Pick<ObjectMeta, 'name' | 'uid'> & Partial<ObjectMeta>;
  readonly spec?: {
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  };
}

/** What the watcher keeps of a Node. */
export interface NodeFacts {
  readonly name: string;
  readonly uid: string;
  /** Changes with the status of a condition, unschedulable, providerID, and the beginning of its deletion. */
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Last segment of spec.providerID; empty where it has none. */
  readonly instance: string;
  /** `<namespace>/<name>` of the Machine it says it belongs to. */
  readonly claim?: string;
  readonly addresses: readonly string[];
}

/** Reads a Node: whatever is missing, or of another kind than the API has it, is taken as empty. */
export function nodeFacts({ metadata, spec, status }: NodeObject): NodeFacts {
  const claim = metadata.annotations?.[MACHINE_ANNOTATION];
  const conditions = listAt(status, 'conditions')
    .map((condition) => `${textAt(condition, 'type')}=${textAt(condition, 'status')}`)
    .sort();
  return {
    name: metadata.name,
    uid: metadata.uid,
    fingerprint: digest([
      conditions,
      fieldAt(spec, 'unschedulable') === true,
      fieldAt(spec, 'providerID'),
      metadata.deletionTimestamp !== undefined,
    ]),
    labels: metadata.labels ?? {},
    taints: taintsAt(spec, 'taints'),
    instance: lastSegment(textAt(spec, 'providerID') ?? ''),
    ...(claim === undefined ? {} : { claim }),
    addresses: addressesOf(status),
  };
}

/**
 * True where labels or taints changed in another way than Millwright itself changes them: it adds the labels and taints
 * that the machine's spec names.
 */
export function isMarkedByOthers(
  before: NodeFacts,
  after: NodeFacts,
  wanted: { readonly nodeLabels: Readonly<Record<string, string>>; readonly nodeTaints: readonly Taint[] },
): boolean {
  const labelKeys = new Set([...Object.keys(before.labels), ...Object.keys(after.labels)]);
  for (const key of labelKeys) {
    const now = after.labels[key];
    if (before.labels[key] !== now && (now === undefined || wanted.nodeLabels[key] !== now)) return true;
  }
  const had = new Set(before.taints.map(taintText));
  const has = new Set(after.taints.map(taintText));
  const ours = new Set(wanted.nodeTaints.map(taintText));
  return [...has].some((t) => !had.has(t) && !ours.has(t)) || [...had].some((t) => !has.has(t));
}

function taintText({ key, value = '', effect }: Taint): string {
  return `${key}=${value}:${effect}`;
}
