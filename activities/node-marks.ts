import type { MachineSpec, Taint } from '../k8s/model/machine.ts';
import { MARKS_ANNOTATION, type Node } from '../k8s/model/node.ts';
import { readMarks, type Marks } from '../k8s/model/node-marks.ts';
import { hasTaint } from '../k8s/model/taint.ts';
import { hasClaim, type NodeClaim } from './node-claim.ts';
import { given, unlessEmpty } from '../providers/given.ts';

type Texts = Readonly<Record<string, string>>;

/** What is to be written to a Node; null takes a label or an annotation off. */
export interface NodeChange {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
  /** All taints of the Node; absent: they stay as they are. */
  readonly taints?: readonly Taint[];
  /** It goes by what else the Node has: a Node that changed since is looked at again. */
  readonly isByVersion: boolean;
}

/** What goes by what a Machine asks for on its Node. */
export interface Wanted {
  readonly claim: NodeClaim;
  readonly spec: MachineSpec;
  /** We launched its instance: its Node is new when we first see it. An instance that was adopted has a Node that is in use. */
  readonly isLaunched: boolean;
  /** The Machine's; absent: it has none yet. */
  readonly providerID?: string;
}

/**
 * What a Node lacks of what its Machine asks for, and what it has of that no longer; undefined: nothing.
 *
 * Labels, annotations and taints of the spec are kept as they are there, whoever changes them on the Node. What the spec names no more
 * goes, where it is still as we put it: what somebody else put there, or changed, stays, and an annotation of theirs that ours was written over
 * comes back. Startup taints, and taints that evict pods, come with the first write to a Node only: a Node that is in use is not emptied by an
 * edit, nor is it new again.
 */
export function planMarks(node: Node, { claim, spec, isLaunched }: Wanted): NodeChange | undefined {
  const { annotations: present = {} } = node.metadata;
  const had = readMarks(node);
  const isNew = isLaunched && present[claim.annotation] === undefined && present[MARKS_ANNOTATION] === undefined;
  const labels = planTexts(node.metadata.labels ?? {}, had.labels, spec.nodeLabels);
  const annotations = planTexts(present, had.annotations, spec.nodeAnnotations, had.before);
  const taints = planTaints(node.spec?.taints ?? [], had.taints, spec, isNew);
  const marks: Marks = {
    labels: labels.marks,
    annotations: annotations.marks,
    taints: taints.marks,
    before: annotations.before,
  };
  const record = textOf(marks);
  const isNoted = record === textOf(had);
  const isUnchanged = isEmpty(labels.change) && isEmpty(annotations.change) && taints.wanted === undefined;
  if (isUnchanged && hasClaim(node, claim) && isNoted) return undefined;
  return {
    labels: labels.change,
    annotations: {
      ...annotations.change,
      ...given({ [MARKS_ANNOTATION]: isNoted ? undefined : (record ?? null) }),
      [claim.annotation]: claim.value,
    },
    ...given({ taints: taints.wanted }),
    // One that takes effect late must not bring back an earlier record: what that does not name nobody takes off.
    isByVersion: taints.wanted !== undefined || !isNoted,
  };
}

function planTexts(
  present: Texts,
  had: Texts,
  wanted: Texts,
  hadBefore: Texts = {},
): { readonly change: Record<string, string | null>; readonly marks: Texts; readonly before: Texts } {
  const change: Record<string, string | null> = {};
  const marks: Record<string, string> = {};
  const before: Record<string, string> = {};
  for (const [key, value] of Object.entries(wanted)) {
    const isThere = present[key] === value;
    if (!isThere) change[key] = value;
    if (isThere && had[key] !== value) continue;
    marks[key] = value;
    const theirs = present[key] === had[key] ? hadBefore[key] : present[key];
    if (theirs !== undefined) before[key] = theirs;
  }
  for (const [key, value] of Object.entries(had)) {
    if (wanted[key] === undefined && present[key] === value) change[key] = hadBefore[key] ?? null;
  }
  return { change, marks, before };
}

function planTaints(
  present: readonly Taint[],
  had: readonly Taint[],
  { nodeTaints, startupTaints }: MachineSpec,
  isNew: boolean,
): { readonly wanted?: readonly Taint[]; readonly marks: readonly Taint[] } {
  const kept = isNew ? nodeTaints : nodeTaints.filter(({ effect }) => effect !== 'NoExecute');
  const missing = [...kept, ...(isNew ? startupTaints : [])].filter(
    (want) => !present.some((one) => isSame(one, want)),
  );
  const named = [...nodeTaints, ...startupTaints];
  const left = had.filter((mark) => !hasTaint(named, mark));
  const stay = present.filter((one) => !hasTaint(missing, one) && !left.some((mark) => isSame(mark, one)));
  const marks = [...had.filter((mark) => hasTaint(named, mark) && !hasTaint(missing, mark)), ...missing];
  const isChanged = missing.length > 0 || stay.length < present.length;
  return { marks, ...given({ wanted: isChanged ? [...stay, ...missing] : undefined }) };
}

/** Undefined: there is nothing to remember. */
function textOf({ labels, annotations, taints, before }: Marks): string | undefined {
  const all = given({
    labels: unlessEmpty(labels),
    annotations: unlessEmpty(annotations),
    taints: unlessEmpty(taints.map(({ key, value, effect }) => ({ key, value, effect }))),
    before: unlessEmpty(before),
  });
  return isEmpty(all) ? undefined : JSON.stringify(all);
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect && (a.value ?? '') === (b.value ?? '');
}

function isEmpty(map: object): boolean {
  return Object.keys(map).length === 0;
}
