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
  /** Changes with the providerID, and the beginning of its deletion. */
  readonly fingerprint: string;
  /** Status of its condition Ready; `Unknown` where it has none. */
  readonly ready: string;
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
  const ready = listAt(status, 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
  return {
    name: metadata.name,
    uid: metadata.uid,
    fingerprint: digest([fieldAt(spec, 'providerID'), metadata.deletionTimestamp !== undefined]),
    ready: textAt(ready, 'status') ?? 'Unknown',
    labels: metadata.labels ?? {},
    taints: taintsAt(spec, 'taints'),
    instance: lastSegment(textAt(spec, 'providerID') ?? ''),
    ...(claim === undefined ? {} : { claim }),
    addresses: addressesOf(status),
  };
}

/** True where the Node has lost, or has otherwise than before, a label or a taint that its machine's spec names. */
export function hasLostMarks(
  before: NodeFacts,
  after: NodeFacts,
  wanted: { readonly nodeLabels: Readonly<Record<string, string>>; readonly nodeTaints: readonly Taint[] },
): boolean {
  const isLabelLost = Object.entries(wanted.nodeLabels).some(
    ([key, value]) => after.labels[key] !== value && after.labels[key] !== before.labels[key],
  );
  if (isLabelLost) return true;
  const has = new Set(after.taints.map(taintText));
  const had = new Set(before.taints.map(taintText));
  return wanted.nodeTaints.map(taintText).some((taint) => had.has(taint) && !has.has(taint));
}

function taintText({ key, value = '', effect }: Taint): string {
  return `${key}=${value}:${effect}`;
}
