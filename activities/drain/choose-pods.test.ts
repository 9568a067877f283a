import { describe, expect, it } from '@jest/globals';
import { readPod } from '../../k8s/model/pod.ts';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import { given } from '../../providers/given.ts';
import { planDrain } from './plan-drain.ts';
import { chooseDaemonPods, choosePods, endsByItself, stayingOf, type PodPart } from './choose-pods.ts';

const OF_A_DAEMON = { owner: { kind: 'DaemonSet', uid: 'there' } };
const MIRROR = { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } };
const UNSCHEDULABLE = { operator: 'Exists', key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const OURS = { operator: 'Exists', key: 'millwright.dev/draining' };
const asked = (word: string) => ({ labels: { 'cluster.x-k8s.io/drain': word } });

describe('a drain', () => {
  it.each<[string, PodFacts, PodPart]>([
    ['a pod of a ReplicaSet', { owner: { kind: 'ReplicaSet', uid: 'r' } }, 'evict'],
    ['a pod of nobody', {}, 'evict'],
    ['a pod that is critical', { priorityClassName: 'system-cluster-critical' }, 'evict'],
    ['what the kubelet runs by itself', MIRROR, 'leave'],
    ['a pod of a DaemonSet', OF_A_DAEMON, 'leave'],
    ['a finished pod of a DaemonSet', { ...OF_A_DAEMON, phase: 'Failed' }, 'evict'],
    ['a pod of a DaemonSet that is gone', { owner: { kind: 'DaemonSet', uid: 'gone' } }, 'evict'],
    ['a pod whose owner wants it left', asked('skip'), 'leave'],
    ['a pod whose owner wants it to end by itself', asked('wait-completed'), 'await'],
    ['the same when it has ended', { ...asked('wait-completed'), phase: 'Succeeded' }, 'evict'],
    ['a pod of a DaemonSet that is to end by itself', { ...OF_A_DAEMON, ...asked('wait-completed') }, 'leave'],
    ['a pod with another word in that label', asked('drain'), 'evict'],
  ])('of %s: %j is %s', (_what, facts, part) => {
    const pod = readPod(aPod(facts));
    expect(choosePods([pod], new Set(['there']))).toEqual([{ pod, part }]);
  });
});

describe('a pod that nobody is to disrupt who need not', () => {
  const kept = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
  it.each<[string, boolean | undefined, PodFacts, PodPart]>([
    ['evicted where nothing says that a drain spares', undefined, kept, 'evict'],
    ['waited for by a drain that spares', true, kept, 'spare'],
    ['evicted by another drain', false, kept, 'evict'],
    ['evicted by a drain that spares, without that wish', true, {}, 'evict'],
  ])('is %s', (_what, isSparing, facts, part) => {
    const pod = readPod(aPod(facts));
    expect(choosePods([pod], new Set(), given({ isSparing }))).toEqual([{ pod, part }]);
  });
});

describe('a pod that tolerates the cordon', () => {
  const CORDONED_AT = Date.parse('2026-01-01T12:00:00Z');
  const after = (changes: PodFacts): PodFacts => ({
    ...changes,
    metadata: { creationTimestamp: '2026-01-01T12:00:05Z' },
  });
  const before = (changes: PodFacts): PodFacts => ({
    ...changes,
    metadata: { creationTimestamp: '2026-01-01T11:00:00Z' },
  });
  const during = (changes: PodFacts): PodFacts => ({
    ...changes,
    metadata: { creationTimestamp: '2026-01-01T12:00:00Z' },
  });
  const tolerant: PodFacts = { tolerations: [UNSCHEDULABLE] };
  it.each<[string, PodFacts, PodPart]>([
    ['evicted where it was there before', before(tolerant), 'evict'],
    ['evicted where it came in the very second of the cordon', during(tolerant), 'evict'],
    ['left where it came after the cordon: another would come in its place', after(tolerant), 'return'],
    ['left where it tolerates everything', after({ tolerations: [{ operator: 'Exists' }] }), 'return'],
    ['evicted where it has finished', after({ ...tolerant, phase: 'Succeeded' }), 'evict'],
    ['not tolerant: bound before the scheduler saw the cordon', after({}), 'evict'],
  ])('is %s', (_what, facts, part) => {
    const pod = readPod(aPod(facts));
    const choices = choosePods([pod], new Set(), { cordonedAt: CORDONED_AT });
    expect(choices).toEqual([{ pod, part }]);
    expect(stayingOf(choices)).toEqual(part === 'return' ? [pod] : []);
    expect(planDrain({ choices, notes: {}, now: CORDONED_AT + 10_000, isUnreachable: false })).toMatchObject(
      part === 'return' ? { left: [], abandoned: [pod], evict: [] } : { left: [pod], abandoned: [], evict: [pod] },
    );
  });
});

describe('a drain that has come to the pods of DaemonSets', () => {
  it.each<[string, PodFacts, PodPart]>([
    ['a pod of a DaemonSet', OF_A_DAEMON, 'evict'],
    ['one that tolerates everything', { ...OF_A_DAEMON, tolerations: [{ operator: 'Exists' }] }, 'leave'],
    ['one that tolerates a cordon', { ...OF_A_DAEMON, tolerations: [UNSCHEDULABLE] }, 'evict'],
    ['one that tolerates our taint', { ...OF_A_DAEMON, tolerations: [OURS] }, 'leave'],
    ['one whose owner wants it left', { ...OF_A_DAEMON, ...asked('skip') }, 'leave'],
    ['one that the kubelet runs by itself', { ...OF_A_DAEMON, ...MIRROR }, 'leave'],
    ['a pod of nobody', {}, 'leave'],
  ])('of %s: %j is %s', (_what, facts, part) => {
    const pod = readPod(aPod(facts));
    expect(chooseDaemonPods([pod], new Set(['there']))).toEqual([{ pod, part }]);
  });
});

it('nothing is asked of pods that a drain waits for, and of those that it spares', () => {
  const parts: readonly PodPart[] = ['leave', 'evict', 'await', 'spare'];
  expect(parts.filter(endsByItself)).toEqual(['await', 'spare']);
});

it('a drain leaves those alone that it neither evicts nor waits for', () => {
  const pods = [OF_A_DAEMON, asked('wait-completed'), {}].map((facts, i) =>
    readPod(aPod({ ...facts, name: `p-${i}` })),
  );
  expect(stayingOf(choosePods(pods, new Set(['there']))).map(({ name }) => name)).toEqual(['p-0']);
});
