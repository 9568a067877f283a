import { describe, expect, it } from '@jest/globals';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import { readPod } from './pod.ts';

const read = (facts: PodFacts) => readPod(aPod(facts));
const DELETED = { deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 45 };

describe('a Pod that is read', () => {
  it('is named, runs, and may take Kubernetes time to end', () => {
    expect(readPod({ metadata: aPod().metadata })).toMatchObject({ name: 'p', graceMs: 30_000, isReady: false });
    expect(read({})).toMatchObject({ isMirror: false, isFinished: false, hasEnded: false, isReady: true, claims: [] });
  });

  it.each<[string, PodFacts, object]>([
    ['is a mirror', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }, { isMirror: true }],
    ['has succeeded', { phase: 'Succeeded' }, { isFinished: true, hasEnded: true }],
    ['has failed', { phase: 'Failed' }, { isFinished: true, hasEnded: true }],
    ['never started', { phase: 'Pending' }, { isFinished: false, hasEnded: true, isReady: false }],
    ['is critical for its Node', { priorityClassName: 'system-node-critical' }, { isSystemCritical: true }],
    ['is critical for the cluster', { priorityClassName: 'system-cluster-critical' }, { isSystemCritical: true }],
    ['may take its own time to end', { graceSeconds: 90 }, { graceMs: 90_000 }],
    ['tolerates a taint', { tolerations: [{ operator: 'Exists' }] }, { tolerations: [{ operator: 'Exists' }] }],
    ['is left alone', { labels: { 'cluster.x-k8s.io/drain': 'skip' } }, { drain: 'skip' }],
    ['is waited for', { labels: { 'cluster.x-k8s.io/drain': 'Wait-Completed' } }, { drain: 'wait-completed' }],
    ['has a volume', { claims: ['data'] }, { claims: ['data'] }],
  ])('%s', (_what, facts, seen) => expect(read(facts)).toMatchObject(seen));

  it.each([
    ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'false', true],
    ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'true', false],
    ['karpenter.sh/do-not-disrupt', 'true', true],
    ['karpenter.sh/do-not-disrupt', 'false', false],
  ])('is not to be disrupted by %s: %s, or may be', (annotation, value, isNotToBeDisrupted) => {
    expect(read({ metadata: { annotations: { [annotation]: value } } })).toMatchObject({ isNotToBeDisrupted });
  });

  describe('is not heard', () => {
    const FROM = '2026-01-01T00:00:00Z';
    const conditions = aPod({ unheardFrom: FROM }).status?.conditions ?? [];
    const unheardFrom = (status: object, spec: object = {}) =>
      readPod({ ...aPod(), spec, status: { phase: 'Running', conditions, ...status } }).unheardFrom;

    it('where it alone is not Ready, and its containers are', () => {
      expect(unheardFrom({})).toBe(Date.parse(FROM));
      expect(read({ unheardFrom: FROM })).toMatchObject({ isReady: false });
      expect(read({})).not.toHaveProperty('unheardFrom');
    });

    it('and is where it is Ready, whenever it came to be', () => {
      const ready = { type: 'Ready', status: 'True', lastTransitionTime: FROM };
      expect(unheardFrom({ conditions: [conditions[0], ready] })).toBeUndefined();
    });

    it('and is where its kubelet says that its containers are not ready, or nobody says since when', () => {
      const [, ready] = conditions;
      expect(unheardFrom({ conditions: [{ type: 'ContainersReady', status: 'False' }, ready] })).toBeUndefined();
      expect(unheardFrom({ conditions: [ready] })).toBeUndefined();
      expect(unheardFrom({ conditions: [conditions[0], { type: 'Ready', status: 'False' }] })).toBeUndefined();
    });

    it('and is where a gate of its own keeps it from being Ready', () => {
      const spec = { readinessGates: [{ conditionType: 'example.com/balanced' }] };
      const gate = (status: string) => ({ type: 'example.com/balanced', status });
      expect(unheardFrom({}, spec)).toBeUndefined();
      expect(unheardFrom({ conditions: [...conditions, gate('False')] }, spec)).toBeUndefined();
      expect(unheardFrom({ conditions: [...conditions, gate('True')] }, spec)).toBe(Date.parse(FROM));
    });
  });

  it('names its controller, and nothing besides', () => {
    const { controller } = read({ owner: { kind: 'DaemonSet', name: 'log', uid: 'd' } });
    expect(controller).toEqual({ kind: 'DaemonSet', name: 'log', uid: 'd' });
  });

  it('tells when it was asked to end, and when its time is over', () => {
    const endsAt = Date.parse(DELETED.deletionTimestamp);
    expect(read({ metadata: DELETED })).toMatchObject({ endsAt, askedToEndAt: endsAt - 45_000 });
    expect(read({})).not.toHaveProperty('endsAt');
  });

  it('has the claim that is made for a volume of its own', () => {
    const pod = aPod({ name: 'web-0' });
    expect(
      readPod({ ...pod, spec: { volumes: [{ name: 'scratch', ephemeral: {} }, { name: 'tmp' }] } }).claims,
    ).toEqual(['web-0-scratch']);
  });

  it('runs while one of its containers does, and where it is told of none', () => {
    const statusOf = (containers: readonly object[]) => ({ phase: 'Running', containerStatuses: containers });
    const [running, ended] = [{ state: { running: {} } }, { state: { terminated: {} } }];
    const hasEnded = (containers: readonly object[]) => readPod({ ...aPod(), status: statusOf(containers) }).hasEnded;
    expect([hasEnded([ended, running]), hasEnded([]), hasEnded([ended, ended])]).toEqual([false, false, true]);
    for (const others of ['initContainerStatuses', 'ephemeralContainerStatuses']) {
      const status = { ...statusOf([ended]), [others]: [running] };
      expect(readPod({ ...aPod(), status }).hasEnded).toBe(false);
    }
  });

  it('that has finished has ended, whatever is told of its containers', () => {
    const containerStatuses = [{ state: { running: {} } }];
    expect(readPod({ ...aPod(), status: { phase: 'Failed', containerStatuses } }).hasEnded).toBe(true);
  });

  it('is Ready by the condition of that name, and no other', () => {
    const status = { phase: 'Running', conditions: [{ type: 'Initialized', status: 'True' }] };
    expect(readPod({ ...aPod(), status }).isReady).toBe(false);
  });
});
