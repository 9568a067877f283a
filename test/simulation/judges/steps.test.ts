import { beforeEach, describe, expect, it, test } from '@jest/globals';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { openshift } from '../../../k8s/dialects/openshift/api.ts';
import { DELETE_MACHINE_ANNOTATION, TEMPLATE_HASH_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { CAUSE_ANNOTATION } from '../../../k8s/model/cause.ts';
import { controllerReference } from '../../../k8s/model/owner-reference.ts';
import { aMachineDeployment } from '../../world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { MADE_AT, NAMESPACE, refOf } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { StepJudge } from './steps.ts';

type Spec = Partial<MachineDeploymentObject['spec']>;
type Status = Partial<NonNullable<MachineDeploymentObject['status']>>;

const STEPS = [{ machines: 1 }, { approval: {} }, { machines: '50%' }, { pause: {} }, { pause: { for: '1m' } }];
const OLD = 'old';

let api: ApiServer;
let now: number;
let accused: string[];
let isExcused: boolean;
let stored: MachineDeploymentObject;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  isExcused = false;
  void new StepJudge({
    api,
    now: () => now,
    isByHand: () => false,
    isExcused: () => isExcused,
    accuse: (judge, message) => void accused.push(`${judge}: ${message}`),
  });
  stored = aMachineDeployment({ spec: { replicas: 4, strategy: rollsBy({ steps: STEPS }) } });
  release('1');
  makeSet(OLD, 4);
  for (const name of ['a', 'b', 'c', 'd']) make(name, OLD);
  release('2');
  // Whatever was so before is no look of late.
  now += 60_000;
});

const rollsBy = (rollingUpdate: object) => ({ type: 'RollingUpdate', rollingUpdate }) as Spec['strategy'] & object;
const read = () => openshift.machineDeployment.read({ ...stored }).machineDeployment;

function put(spec: Spec, status: Status = {}): void {
  stored = { ...stored, spec: { ...stored.spec, ...spec }, status: { ...stored.status, ...status } };
  api.put({ ...stored });
}

function release(version: string): void {
  const { template } = stored.spec;
  put({ template: { ...template, metadata: { ...template.metadata, annotations: { version } } } });
}

/** Its status says that so many steps are behind it. */
function pass(passed: number): void {
  put({}, { step: { templateHash: read().templateHash, revision: 2, passed, since: MADE_AT } });
}

function say(annotation: string, step: number): void {
  const token = `2-${read().templateHash}-${step}`;
  stored = { ...stored, metadata: { ...stored.metadata, annotations: { [`millwright.dev/${annotation}`]: token } } };
  put({});
}

function progress(status: 'True' | 'False', reason: string): void {
  const condition = { type: 'Progressing', status, reason, lastTransitionTime: MADE_AT };
  put({}, { conditions: [condition] as never });
}

function makeSet(hash: string, replicas: number): void {
  const metadata = { labels: { [TEMPLATE_HASH_LABEL]: hash }, ownerReferences: [controllerReference(refOf(stored))] };
  api.put({ ...aMachineSet({ name: `set-${hash}`, replicas, metadata }) });
}

function make(name: string, hash = read().templateHash): void {
  const metadata = { labels: { pool: 'workers', [TEMPLATE_HASH_LABEL]: hash } };
  api.put({ ...aMachine({ name, metadata }) });
}

/** As the set of a deployment does it. */
async function take(name: string): Promise<void> {
  const annotations = { [CAUSE_ANNOTATION]: '2026-01-01T12:00:00Z MachineDeployment ns/workers replaces the machines' };
  await api.others.mergePatch(MACHINES, NAMESPACE, name, { metadata: { annotations } });
  await api.others.delete(MACHINES, NAMESPACE, name);
}

describe('nothing beyond the step', () => {
  it('accuses a machine that the steps so far do not allow', () => {
    make('e');
    expect(accused).toEqual([]);
    make('f');
    expect(accused).toEqual([
      'nothing beyond the step: Machine f is made: 2 of the new template of workers, and the steps so far allow 1',
    ]);
  });

  it('a step that waits allows no more than those before it; the next one does, and all are free at the end', () => {
    make('e');
    pass(1);
    say('approved-step', 2);
    pass(2);
    make('f');
    expect(accused).toEqual([]);
    make('g');
    expect(accused).toHaveLength(1);
    say('resumed-step', 4);
    pass(5);
    make('h');
    expect(accused).toHaveLength(1);
  });

  it('excuses what nobody can know', () => {
    isExcused = true;
    make('e');
    make('f');
    expect(accused).toEqual([]);
  });

  test.each<readonly [string, () => void]>([
    ['there are no old machines', () => makeSet(OLD, 0)],
    ['people want more', () => put({ replicas: 5 })],
    ['it was rolled out whole before', () => put({}, { completeTemplateHash: read().templateHash })],
    [
      'it is another template that was there before',
      () => {
        release('3');
        makeSet(read().templateHash, 2);
        release('2');
        release('3');
      },
    ],
  ])('does not judge where %s', (_where, change) => {
    change();
    for (const name of ['e', 'f', 'g']) make(name);
    expect(accused).toEqual([]);
  });
});

describe('a step waits', () => {
  it('for approval, and a pause without an end for a word; a pause of some time ends by itself', () => {
    pass(1);
    expect(accused).toEqual([]);
    pass(2);
    expect(accused[0]).toMatch(/^a step waits: workers has passed step 2-\w+-2, and nobody said that it may$/);
    pass(3);
    pass(4);
    expect(accused).toHaveLength(2);
    pass(5);
    expect(accused).toHaveLength(2);
  });

  it('is left by the word for it', () => {
    say('approved-step', 2);
    pass(1);
    pass(2);
    say('resumed-step', 4);
    pass(5);
    expect(accused).toEqual([]);
  });
});

describe('what is given up stays so', () => {
  it('accuses a set of an earlier template without machines that is to have some, beside others', () => {
    makeSet('bad', 0);
    now += 60_000;
    makeSet(OLD, 5);
    makeSet(read().templateHash, 1);
    expect(accused).toEqual([]);
    makeSet('bad', 1);
    expect(accused).toEqual([
      'what is given up stays so: MachineSet set-bad of an earlier template is to have 1 machines, and had none, beside others',
    ]);
  });

  it('not one that had some a moment ago, nor where no others are left or there are no steps', async () => {
    makeSet('bad', 1);
    makeSet('bad', 0);
    makeSet('bad', 1);
    makeSet('bad', 0);
    now += 60_000;
    put({ strategy: rollsBy({}) });
    makeSet('bad', 1);
    makeSet('bad', 0);
    put({ strategy: rollsBy({ steps: STEPS }) });
    makeSet(OLD, 0);
    for (const name of ['a', 'b', 'c', 'd']) await api.others.delete(MACHINES, NAMESPACE, name);
    now += 60_000;
    makeSet('bad', 1);
    expect(accused).toEqual([]);
  });
});

describe('where a rollout stands still', () => {
  const STILL: readonly (readonly [string, () => void])[] = [
    [
      'nothing is taken after a stop',
      () => {
        progress('False', 'NewMachinesFailed');
        put({ paused: true });
      },
    ],
    ['a paused rollout stands', () => put({ paused: true })],
    ['Never takes none', () => put({ strategy: { ...rollsBy({}), replace: 'Never' } })],
    ['a step waits', () => pass(1)],
  ];

  test.each(STILL)('%s: accuses an old machine that is taken', async (judge, stop) => {
    make('e');
    stop();
    now += 60_000;
    await take('a');
    expect(accused).toEqual([`${judge}: Machine a of workers is taken: there were 5 of 5`]);
  });

  test.each(STILL)(
    '%s: not a moment later, nor for the new, the marked, and those that are too many',
    async (_, stop) => {
      make('e');
      stop();
      await take('a');
      now += 60_000;
      await take('e');
      await api.others.mergePatch(MACHINES, NAMESPACE, 'b', {
        metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } },
      });
      await take('b');
      put({ replicas: 1 });
      await take('c');
      expect(accused).toEqual([]);
    },
  );

  it('those that are too many are beyond replicas where there is no surge', async () => {
    put({ paused: true, strategy: { type: 'Recreate' } });
    make('e');
    now += 60_000;
    await take('a');
    expect(accused).toEqual([]);
    now += 60_000;
    await take('b');
    expect(accused).toEqual(['a paused rollout stands: Machine b of workers is taken: there were 4 of 4']);
  });

  it('and not where a person deletes one, nor when it goes on', async () => {
    put({ paused: true });
    now += 60_000;
    await api.others.delete(MACHINES, NAMESPACE, 'a');
    put({ paused: false });
    now += 60_000;
    make('e');
    await take('b');
    expect(accused).toEqual([]);
  });
});
