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
    ['is critical', { priorityClassName: 'system-node-critical' }, { isSystemCritical: true }],
    ['is left alone', { labels: { 'cluster.x-k8s.io/drain': 'skip' } }, { drain: 'skip' }],
    ['is waited for', { labels: { 'cluster.x-k8s.io/drain': 'Wait-Completed' } }, { drain: 'wait-completed' }],
    ['has a controller', { owner: { kind: 'DaemonSet', uid: 'd' } }, { controller: { kind: 'DaemonSet', uid: 'd' } }],
    ['has a volume', { claims: ['data'] }, { claims: ['data'] }],
  ])('%s', (_what, facts, seen) => expect(read(facts)).toMatchObject(seen));

  it('tells when it was asked to end, and when its time is over', () => {
    const endsAt = Date.parse(DELETED.deletionTimestamp);
    expect(read({ metadata: DELETED })).toMatchObject({ endsAt, askedToEndAt: endsAt - 45_000 });
    expect(read({})).not.toHaveProperty('endsAt');
  });

  it('has the claim that is made for a volume of its own', () => {
    const pod = aPod({ name: 'web-0' });
    expect(readPod({ ...pod, spec: { volumes: [{ name: 'scratch', ephemeral: {} }] } }).claims).toEqual([
      'web-0-scratch',
    ]);
  });

  it('runs while one of its containers does, and where it is told of none', () => {
    const statusOf = (containers: readonly object[]) => ({ phase: 'Running', containerStatuses: containers });
    const [running, ended] = [{ state: { running: {} } }, { state: { terminated: {} } }];
    const hasEnded = (containers: readonly object[]) => readPod({ ...aPod(), status: statusOf(containers) }).hasEnded;
    expect([hasEnded([ended, running]), hasEnded([]), hasEnded([ended, ended])]).toEqual([false, false, true]);
  });
});
