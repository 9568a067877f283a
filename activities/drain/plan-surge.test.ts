import { describe, expect, it } from '@jest/globals';
import { readDeployment, ROLLED_FOR_ANNOTATION } from '../../k8s/model/deployment.ts';
import { aDeployment, type DeploymentFacts } from '../../test/world/builders/a-deployment.ts';
import { planSurge, type SurgeCase } from './plan-surge.ts';
import { given } from '../../providers/given.ts';

const DRAIN = 'default/m/uid-of-m/2026-01-01T00:00:00.000Z';
const OTHER = 'default/o/uid-of-o/2026-01-01T00:00:00.000Z';

function plan(facts: DeploymentFacts = {}, more: Partial<SurgeCase> = {}) {
  const deployment = readDeployment(aDeployment({ asked: 'surge', ...facts }));
  return planSurge({ deployment, pod: { isReady: true }, refusals: 2, drain: DRAIN, isRolled: false, ...more });
}
const why = (facts: DeploymentFacts = {}, more: Partial<SurgeCase> = {}) => {
  const verdict = plan(facts, more);
  return 'why' in verdict ? `${verdict.step}: ${verdict.why}` : verdict.step;
};
const rolledFor = (recorded: string, template?: string): DeploymentFacts => ({
  annotations: { [ROLLED_FOR_ANNOTATION]: recorded },
  ...given({ templateAnnotations: template === undefined ? undefined : { [ROLLED_FOR_ANNOTATION]: template } }),
});
const UNDER_WAY: DeploymentFacts = { status: { replicas: 2, updatedReplicas: 1, availableReplicas: 1 } };
const FAILED: DeploymentFacts = {
  status: { conditions: [{ type: 'Progressing', status: 'False', message: 'it hangs' }] },
};

describe('a Deployment that asks for it', () => {
  it.each<[string, DeploymentFacts]>([
    ['as Kubernetes has it by default', {}],
    ['with the most replicas', { replicas: 3 }],
    [
      'with as many replicas as it says',
      { asked: 'surge=10', replicas: 10, strategy: { rollingUpdate: { maxUnavailable: 0 } } },
    ],
    ['that was rolled for a drain that is over', rolledFor(OTHER, OTHER)],
    ['that was rolled for a drain that is over, and put back', rolledFor(OTHER)],
  ])('is rolled: %s', (_what, facts) => expect(plan(facts)).toEqual({ step: 'roll' }));

  it.each<[string, DeploymentFacts, Partial<SurgeCase>, string]>([
    ['it ends its old pods first', { strategy: { type: 'Recreate' } }, {}, 'its strategy is not RollingUpdate'],
    ['it adds no pod', { strategy: { rollingUpdate: { maxSurge: 0 } } }, {}, 'its maxSurge comes to 0 pods'],
    [
      'its rollouts take pods away first',
      { replicas: 3, strategy: { rollingUpdate: { maxUnavailable: '34%' } } },
      {},
      'its maxUnavailable comes to 1 of 3 pods, not to 0',
    ],
    [
      'it has more replicas',
      { replicas: 4, strategy: { rollingUpdate: { maxUnavailable: 0 } } },
      {},
      'it has 4 replicas, and is rolled with 3 at most: surge=4 lets it be',
    ],
    [
      'it has more replicas than it says',
      { asked: 'surge=2', replicas: 3 },
      {},
      'it has 3 replicas, and is rolled with 2 at most: surge=3 lets it be',
    ],
    ['it is paused', { paused: true }, {}, 'it is paused'],
    ['its volume is on one Node at a time', {}, { claim: 'data' }, 'the volume of claim data is ReadWriteOnce'],
    ['the pod is of no use itself', {}, { pod: { isReady: false } }, 'the pod is not Ready'],
    ['a rollout is under way', UNDER_WAY, {}, 'a rollout is under way, 1 of 1 pods are new, 1 of 2 available'],
    ['its last rollout failed', FAILED, {}, 'its last rollout failed: it hangs'],
    ['its budget refused once only', {}, { refusals: 1 }, 'it will be, if the budget refuses once more'],
    [
      'another drain had it rolled, and lasts',
      rolledFor(OTHER, OTHER),
      { otherDrain: 'default/o' },
      'it was rolled for the drain of Machine default/o, which lasts (1 of 1 pods are new, 1 of 1 available)',
    ],
    [
      'it asks in other words',
      { asked: 'roll' },
      {},
      'its annotation millwright.dev/drain says "roll", neither surge nor surge=N',
    ],
    ...['surge=0', 'surge=', 'surge=-1', 'surge=two', ' surge', 'surge=1234567890'].map(
      (asked): [string, DeploymentFacts, Partial<SurgeCase>, string] => [
        `it asks for "${asked}"`,
        { asked },
        {},
        `its annotation millwright.dev/drain says "${asked}", neither surge nor surge=N`,
      ],
    ),
  ])('is left where %s', (_what, facts, more, words) => expect(why(facts, more)).toBe(`leave: ${words}`));

  it('is left where it is being deleted', () => {
    const stored = aDeployment({ asked: 'surge' });
    const deployment = readDeployment({ ...stored, metadata: { ...stored.metadata, deletionTimestamp: 'now' } });
    expect(why({}, { deployment })).toBe('leave: it is being deleted');
  });

  it('is told of in few words, whatever it asks for', () => {
    expect(why({ asked: 'x'.repeat(500) }).length).toBeLessThan(140);
  });
});

describe('a Deployment that was rolled for this drain', () => {
  const own = rolledFor(DRAIN, DRAIN);

  it.each<[string, DeploymentFacts, Partial<SurgeCase>, string]>([
    ['goes on', { ...own, ...UNDER_WAY }, {}, 'rolled: is rolled for this: 1 of 1 pods are new, 1 of 2 available'],
    ['fails', { ...own, ...FAILED }, {}, 'rolled: was rolled for this, and the rollout failed: it hangs'],
    ['is not rolled again', own, {}, 'rolled: was rolled for this, to the end: it is rolled once for a drain'],
    [
      'is not rolled again, also where the drain knows it',
      own,
      { isRolled: true },
      'rolled: was rolled for this, to the end: it is rolled once for a drain',
    ],
    [
      'is not rolled again after another drain',
      rolledFor(OTHER, OTHER),
      { isRolled: true },
      'rolled: was rolled for this, and for another drain since: it is rolled once for a drain',
    ],
  ])('%s', (_what, facts, more, words) => expect(why(facts, more)).toBe(words));

  it.each<[string, DeploymentFacts, Partial<SurgeCase>]>([
    ['its template', rolledFor(DRAIN), {}],
    ['its template to an older roll', rolledFor(DRAIN, OTHER), {}],
    ['all of it', {}, { isRolled: true }],
    ['its template, after another drain', rolledFor(OTHER), { isRolled: true }],
    ['its template, where nothing is asked any more', { asked: '', ...rolledFor(DRAIN) }, {}],
  ])('is reported where somebody put back %s', (_what, facts, more) =>
    expect(why(facts, more)).toBe(
      'putBack: was rolled for this, and somebody put its template back: it is rolled once for a drain',
    ),
  );
});

describe('a Deployment that does not ask for it', () => {
  const silent = (facts: DeploymentFacts, more: Partial<SurgeCase> = {}) => {
    const { 'millwright.dev/drain': _none, ...annotations } = aDeployment(facts).metadata.annotations ?? {};
    const stored = aDeployment(facts);
    return why(
      {},
      { deployment: readDeployment({ ...stored, metadata: { ...stored.metadata, annotations } }), ...more },
    );
  };

  it('is told that it could be rolled', () => expect(silent({})).toBe('offer'));

  it.each<[string, DeploymentFacts, Partial<SurgeCase>]>([
    ['that would not help', { strategy: { type: 'Recreate' } }, {}],
    ['it has too many replicas', { replicas: 4, strategy: { rollingUpdate: { maxUnavailable: 0 } } }, {}],
    ['its budget refused once only', {}, { refusals: 1 }],
  ])('is not told of where %s', (_what, facts, more) => expect(silent(facts, more)).toBe('silent'));
});
