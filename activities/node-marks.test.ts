import { describe, expect, it } from '@jest/globals';
import type { MachineSpec, Taint } from '../k8s/model/machine.ts';
import { MARKS_ANNOTATION, type Node } from '../k8s/model/node.ts';
import { planMarks } from './node-marks.ts';

const CLAIM = { annotation: 'machine.openshift.io/machine', value: 'default/web' };
const GPU: Taint = { key: 'gpu', value: 'a', effect: 'NoSchedule' };
const BOOTING: Taint = { key: 'booting', effect: 'NoSchedule' };
const EVICTS: Taint = { key: 'evicts', effect: 'NoExecute' };
const THEIRS: Taint = { key: 'theirs', effect: 'NoSchedule' };

interface Has {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

function nodeOf({ labels = {}, annotations = {}, taints = [] }: Has = {}): Node {
  const metadata = { name: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { metadata: { ...metadata, labels, annotations }, spec: { taints } };
}

function specOf(spec: Partial<MachineSpec> = {}): MachineSpec {
  return {
    providerSpec: {},
    fields: { specField: 'providerSpec.value' },
    nodeLabels: {},
    nodeAnnotations: {},
    nodeTaints: [],
    startupTaints: [],
    ...spec,
  };
}

const plan = (node: Node, spec: Partial<MachineSpec> = {}, isLaunched = true) =>
  planMarks(node, { claim: CLAIM, spec: specOf(spec), isLaunched });

/** The Node as it is when the plan was carried out. */
function apply(node: Node, spec: Partial<MachineSpec>, isLaunched = true): Node {
  const change = plan(node, spec, isLaunched);
  const { labels = {}, annotations = {} } = node.metadata;
  const merge = (map: object, by: object = {}) =>
    Object.fromEntries(Object.entries({ ...map, ...by }).filter(([, value]) => value !== null)) as Record<
      string,
      string
    >;
  return nodeOf({
    labels: merge(labels, change?.labels),
    annotations: merge(annotations, change?.annotations),
    taints: change?.taints ?? node.spec?.taints ?? [],
  });
}

/** What of it a person sees. */
function seen({ metadata, spec }: Node): Has {
  const { [CLAIM.annotation]: _claim, [MARKS_ANNOTATION]: _record, ...annotations } = metadata.annotations ?? {};
  return { labels: metadata.labels ?? {}, annotations, taints: spec?.taints ?? [] };
}

const ALL = { nodeLabels: { pool: 'gpu' }, nodeAnnotations: { rack: 'r1' }, nodeTaints: [GPU] };

describe('what a Node gets of its Machine', () => {
  it('is claimed, and is not written again', () => {
    const claimed = apply(nodeOf(), {});
    expect(claimed.metadata.annotations).toEqual({ [CLAIM.annotation]: CLAIM.value });
    expect(plan(claimed)).toBeUndefined();
    expect(plan(nodeOf())).toEqual({ labels: {}, annotations: claimed.metadata.annotations, isByVersion: false });
    const marked = apply(nodeOf(), ALL);
    expect(seen(marked)).toEqual({ labels: { pool: 'gpu' }, annotations: { rack: 'r1' }, taints: [GPU] });
    expect(plan(marked, ALL)).toBeUndefined();
  });

  it('comes back where somebody takes it off', () => {
    const marked = apply(nodeOf(), ALL);
    const { labels = {}, annotations = {} } = marked.metadata;
    const { rack: _rack, ...others } = annotations;
    const taints = [GPU];
    for (const less of [
      { annotations, taints },
      { labels, annotations: others, taints },
      { labels, annotations },
    ]) {
      expect(apply(nodeOf(less), ALL)).toEqual(marked);
    }
  });

  it('goes when the Machine names it no more; what was there before stays', () => {
    const before = { labels: { zone: 'z' }, annotations: { by: 'others' }, taints: [THEIRS] };
    const marked = apply(nodeOf(before), ALL);
    const without = apply(marked, {});
    expect(seen(without)).toEqual(before);
    expect(without.metadata.annotations).not.toHaveProperty([MARKS_ANNOTATION]);
    expect(plan(without)).toBeUndefined();
  });

  it('stays when the Machine names it no more, where somebody else had put it there', () => {
    const before = { labels: { pool: 'gpu' }, annotations: { rack: 'r1' }, taints: [GPU] };
    expect(seen(apply(apply(nodeOf(before), ALL), {}))).toEqual(before);
  });

  it('stays when the Machine names it no more, where somebody has changed it meanwhile', () => {
    const { annotations = {} } = apply(nodeOf(), ALL).metadata;
    const theirs = { labels: { pool: 'cpu' }, annotations: { rack: 'r2' }, taints: [{ ...GPU, value: 'b' }] };
    const changed = nodeOf({ ...theirs, annotations: { ...annotations, ...theirs.annotations } });
    expect(seen(apply(changed, {}))).toEqual(theirs);
    expect(seen(apply(changed, ALL))).toEqual({ labels: { pool: 'gpu' }, annotations: { rack: 'r1' }, taints: [GPU] });
  });

  it('gives an annotation back to whom it was of, as they wrote it last; a label it does not', () => {
    const before = { labels: { pool: 'cpu' }, annotations: { rack: 'r9' } };
    const marked = apply(nodeOf(before), ALL);
    expect(seen(marked)).toEqual({ labels: { pool: 'gpu' }, annotations: { rack: 'r1' }, taints: [GPU] });
    expect(plan(marked, ALL)).toBeUndefined();
    expect(seen(apply(marked, {}))).toEqual({ labels: {}, annotations: { rack: 'r9' }, taints: [] });
    // By way of another value of ours.
    const other = { ...ALL, nodeAnnotations: { rack: 'r2' } };
    expect(seen(apply(apply(marked, other), {})).annotations).toEqual({ rack: 'r9' });
    const again = apply(nodeOf({ annotations: { ...marked.metadata.annotations, rack: 'r8' } }), ALL);
    expect(seen(again).annotations).toEqual({ rack: 'r1' });
    expect(seen(apply(again, {})).annotations).toEqual({ rack: 'r8' });
    const { rack: _rack, ...without } = marked.metadata.annotations ?? {};
    expect(seen(apply(apply(nodeOf({ annotations: without }), ALL), {})).annotations).toEqual({});
  });

  it('is theirs for good where somebody has changed it, and the Machine names it no more', () => {
    const { annotations = {} } = apply(nodeOf(), { nodeLabels: { pool: 'gpu' } }).metadata;
    const left = apply(nodeOf({ labels: { pool: 'cpu' }, annotations }), {});
    const back = nodeOf({ labels: { pool: 'gpu' }, annotations: left.metadata.annotations ?? {} });
    expect(seen(apply(back, {})).labels).toEqual({ pool: 'gpu' });
  });

  it('stays where the Machine had another value, and somebody has put that one there again', () => {
    const other = { nodeTaints: [{ ...GPU, value: 'b' }] };
    const { annotations = {} } = apply(apply(nodeOf(), { nodeTaints: [GPU] }), other).metadata;
    expect(seen(apply(nodeOf({ taints: [GPU], annotations }), {})).taints).toEqual([GPU]);
  });

  it('leaves a taint of the same key and another effect as it is', () => {
    const soft = { ...GPU, effect: 'PreferNoSchedule' };
    const marked = apply(nodeOf({ taints: [soft] }), { nodeTaints: [GPU] });
    expect(marked.spec?.taints).toEqual([soft, GPU]);
    expect(apply(marked, {}).spec?.taints).toEqual([soft]);
  });

  it('is there already where a taint has an empty value, and the Machine names none, or the other way round', () => {
    const [none, empty] = [THEIRS, { ...THEIRS, value: '' }];
    expect(plan(nodeOf({ taints: [empty] }), { nodeTaints: [none] })).not.toHaveProperty('taints');
    expect(plan(nodeOf({ taints: [none] }), { nodeTaints: [empty] })).not.toHaveProperty('taints');
  });

  it('is another value when the Machine names another', () => {
    const marked = apply(nodeOf(), ALL);
    const other = {
      nodeLabels: { pool: 'cpu' },
      nodeAnnotations: { rack: 'r2' },
      nodeTaints: [{ ...GPU, value: 'b' }],
    };
    const after = apply(marked, other);
    expect(seen(after)).toEqual({ labels: { pool: 'cpu' }, annotations: { rack: 'r2' }, taints: other.nodeTaints });
    expect(seen(apply(after, {}))).toEqual({ labels: {}, annotations: {}, taints: [] });
  });

  it('insists on the version that was read where something goes, taints change, or something is to be remembered', () => {
    const marked = apply(nodeOf(), ALL);
    const { metadata } = marked;
    const lost = { ...marked, metadata: { ...metadata, labels: {} } };
    expect(plan(lost, ALL)?.isByVersion).toBe(false);
    // Taints can only be written whole.
    expect(plan({ ...marked, spec: { taints: [] } }, ALL)?.isByVersion).toBe(true);
    // A write that comes late would bring back what was remembered then.
    expect(plan(nodeOf(), { nodeLabels: { pool: 'gpu' } })?.isByVersion).toBe(true);
    expect(plan(marked, { ...ALL, nodeLabels: { ...ALL.nodeLabels, more: 'x' } })?.isByVersion).toBe(true);
    expect(plan(nodeOf(), { nodeTaints: [GPU] })?.isByVersion).toBe(true);
    expect(plan(marked, { ...ALL, nodeLabels: {} })?.isByVersion).toBe(true);
    expect(plan(marked, { ...ALL, nodeAnnotations: {} })?.isByVersion).toBe(true);
  });

  it('is nothing that goes, where somebody spoiled the record', () => {
    const marked = apply(nodeOf(), ALL);
    for (const spoiled of ['', 'nothing', '[1]', '{"labels":7,"taints":[null,{"key":1}]}']) {
      const annotations = { ...marked.metadata.annotations, [MARKS_ANNOTATION]: spoiled };
      const node = nodeOf({ labels: { pool: 'gpu' }, taints: [GPU], annotations });
      expect(seen(apply(node, {}))).toEqual({ labels: { pool: 'gpu' }, annotations: { rack: 'r1' }, taints: [GPU] });
    }
  });
});

describe('taints for the beginning, and taints that evict pods', () => {
  const spec = { nodeTaints: [EVICTS], startupTaints: [BOOTING] };

  it('come with the first write, and not again', () => {
    const joined = apply(nodeOf(), spec);
    expect(joined.spec?.taints).toEqual([EVICTS, BOOTING]);
    expect(plan(joined, spec)).toBeUndefined();
    const used = nodeOf({ annotations: joined.metadata.annotations ?? {} });
    expect(plan(used, spec)).toBeUndefined();
  });

  it('do not come to a Node that is in use: one that was claimed before, or whose instance was adopted', () => {
    expect(apply(apply(nodeOf(), {}), spec).spec?.taints).toEqual([]);
    expect(apply(nodeOf(), spec, false).spec?.taints).toEqual([]);
    expect(apply(nodeOf({ annotations: { [CLAIM.annotation]: 'default/before' } }), spec).spec?.taints).toEqual([]);
    const { [CLAIM.annotation]: _claim, ...unclaimed } = apply(nodeOf(), ALL).metadata.annotations ?? {};
    expect(apply(nodeOf({ annotations: unclaimed }), spec).spec?.taints).toEqual([]);
  });

  it('go when the Machine names them no more, where they are ours', () => {
    const joined = apply(nodeOf({ taints: [THEIRS] }), spec);
    expect(joined.spec?.taints).toEqual([THEIRS, EVICTS, BOOTING]);
    expect(apply(joined, {}).spec?.taints).toEqual([THEIRS]);
  });

  it('come again with a Node that registers anew', () => {
    expect(apply(nodeOf(), spec).spec?.taints).toEqual([EVICTS, BOOTING]);
  });
});
