import { describe, expect, it } from '@jest/globals';
import { aDeployment, type DeploymentFacts } from '../../test/world/builders/a-deployment.ts';
import { readDeployment, ROLLED_FOR_ANNOTATION } from './deployment.ts';
import { given } from '../../providers/given.ts';

const read = (facts: DeploymentFacts = {}) => readDeployment(aDeployment(facts));
const rolling = (replicas: number, maxSurge?: number | string, maxUnavailable?: number | string) =>
  read({
    replicas,
    strategy: {
      rollingUpdate: {
        ...given({ maxSurge, maxUnavailable }),
      },
    },
  }).rolling;

describe('how far a rollout goes above and below its replicas', () => {
  it.each<[number, number | string | undefined, number | string | undefined, number, number]>([
    // replicas, maxSurge, maxUnavailable: pods above, pods below
    [1, undefined, undefined, 1, 0],
    [3, undefined, undefined, 1, 0],
    [4, undefined, undefined, 1, 1],
    [5, undefined, 0, 2, 0],
    [10, '25%', '25%', 3, 2],
    [100, '7%', '7%', 7, 7],
    [1, '100%', '0%', 1, 0],
    [3, 2, 1, 2, 1],
    [2, 0, 1, 0, 1],
    [2, '0%', '49%', 0, 1],
    [4, 0, '50%', 0, 2],
    [0, '25%', 0, 0, 1],
  ])(
    '%i replicas, maxSurge %s, maxUnavailable %s: +%i, -%i',
    (replicas, maxSurge, maxUnavailable, surge, unavailable) =>
      expect(rolling(replicas, maxSurge, maxUnavailable)).toEqual({ surge, unavailable }),
  );

  it('is not told where the old pods end first', () => {
    expect(read({ strategy: { type: 'Recreate' } })).not.toHaveProperty('rolling');
    expect(read({ strategy: { type: 'RollingUpdate' } }).rolling).toEqual({ surge: 1, unavailable: 0 });
  });
});

describe('a rollout', () => {
  const state = (status: DeploymentFacts['status'], facts: DeploymentFacts = {}) =>
    read({ replicas: 2, generation: 3, ...facts, status }).rollout.state;
  const failing = (type: string, status: string) => [{ type, status, message: 'it hangs' }];

  it.each<[string, DeploymentFacts['status'], string]>([
    ['all pods are new and available', {}, 'complete'],
    ['its controller has not seen the last change', { observedGeneration: 2 }, 'underWay'],
    ['a pod is missing', { replicas: 1, updatedReplicas: 1, availableReplicas: 1 }, 'underWay'],
    ['an old pod is left', { replicas: 3, availableReplicas: 3 }, 'underWay'],
    ['a new pod is not available', { availableReplicas: 1 }, 'underWay'],
    ['it came to no end in time', { availableReplicas: 1, conditions: failing('Progressing', 'False') }, 'failed'],
    ['its pods are refused', { conditions: failing('ReplicaFailure', 'True') }, 'failed'],
    ['it goes on', { conditions: failing('Progressing', 'True') }, 'complete'],
    ['its pods are not refused any more', { conditions: failing('ReplicaFailure', 'False') }, 'complete'],
    ['another condition is False', { conditions: failing('Available', 'False') }, 'complete'],
    ['what failed is behind', { observedGeneration: 2, conditions: failing('Progressing', 'False') }, 'underWay'],
  ])('%s', (_what, status, expected) => expect(state(status)).toBe(expected));

  it('is told in numbers, and in the words of what failed', () => {
    const partly = { replicas: 3, updatedReplicas: 1, availableReplicas: 2 };
    expect(read({ replicas: 2, status: partly }).rollout.words).toBe('1 of 2 pods are new, 2 of 3 available');
    expect(read({ status: { conditions: failing('Progressing', 'False') } }).rollout.words).toBe('it hangs');
    const conditions = failing('Progressing', 'False').map((one) => ({ ...one, message: 'It hangs.' }));
    expect(read({ status: { conditions } }).rollout.words).toBe('It hangs');
  });
});

it('what its owner asks for, and what it was rolled for, is read', () => {
  const annotations = { [ROLLED_FOR_ANNOTATION]: 'a drain' };
  const templateAnnotations = { [ROLLED_FOR_ANNOTATION]: 'another' };
  expect(read({ asked: 'surge', paused: true, annotations, templateAnnotations })).toMatchObject({
    asked: 'surge',
    isPaused: true,
    rolledFor: { recorded: 'a drain', template: 'another' },
  });
});

it('what is not written is what Kubernetes takes', () => {
  const { metadata } = aDeployment();
  expect(readDeployment({ metadata })).toMatchObject({
    replicas: 1,
    rolling: { surge: 1, unavailable: 0 },
    isPaused: false,
    isBeingDeleted: false,
    rolledFor: {},
    rollout: { state: 'underWay' },
  });
});
