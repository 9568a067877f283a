import { beforeEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import type { MachineDeploymentObject } from '../../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../../k8s/api/machine.openshift.io/machine-set.ts';
import { MACHINE_DEPLOYMENTS } from '../../../../k8s/dialects/openshift/resources.ts';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import { aBudget } from '../../../../test/world/builders/a-budget.ts';
import { aMachineDeployment } from '../../../../test/world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../../../../test/world/builders/a-machine-set.ts';
import { aMachine } from '../../../../test/world/builders/a-machine.ts';
import { aPod } from '../../../../test/world/builders/a-pod.ts';
import { NAMESPACE } from '../../../../test/world/builders/metadata.ts';
import { ownClock } from '../../../../test/world/world-clock.ts';
import { World } from '../../../../test/world/world.ts';
import type { ChangePlan } from './plan-change.ts';
import { planOf } from './plan.ts';
import { renderPlan } from './render-plan.ts';

const clock = ownClock();
let world: World;
beforeEach(() => {
  world = new World(clock);
});

type Spec = MachineDeploymentObject['spec'];

/** What the file of a MachineDeployment `pool` of three machines would come to. */
function plan(spec: Partial<Spec> = {}, metadata: object = {}): Promise<ChangePlan> {
  const { apiVersion, kind, spec: own } = aMachineDeployment({ name: 'pool', spec });
  const access = { kube: world.kube.client, apis: APIS, namespace: NAMESPACE };
  const file = stringify({ apiVersion, kind, metadata: { name: 'pool', ...metadata }, spec: own });
  return planOf({ access, clock, print: () => {} }, file);
}

const { template } = aMachineDeployment({ name: 'pool' }).spec;
const withSpec = (more: object): Spec['template'] => ({ ...template, spec: { ...template.spec, ...more } });
const ofType = (instanceType: string): Spec['template'] =>
  withSpec({ providerSpec: { value: { ...template.spec?.providerSpec?.value, instanceType } } });

/** A set that nobody has, whose machines have the labels that `pool` selects, and their Nodes. */
function putSet(name: string, spec: Partial<MachineSetObject['spec']> = {}, count = 2): MachineSetObject {
  const set = aMachineSet({ name, replicas: count, spec: { template, ...spec } });
  world.kube.put(set);
  for (let number = 1; number <= count; number += 1) {
    const machine = `${name}-${number}`;
    const status = { phase: 'Running' as const, nodeRef: { kind: 'Node', name: `node-of-${machine}`, uid: machine } };
    world.kube.put(aMachine({ name: machine, set, status, spec: { ...set.spec.template?.spec } }));
  }
  return set;
}

const whatOf = ({ machines }: ChangePlan) => machines.map(({ name, what }) => `${name}: ${what}`);

describe('millwright rollout plan, where there is no such deployment yet', () => {
  test('says how many machines are created of which type, and creates nothing', async () => {
    const planned = await plan();
    expect(planned).toMatchObject({ machines: [], created: 3, instanceType: 'sim.small' });
    expect(planned.replicas).toEqual({ before: 0, after: 3 });
    for (const absent of ['bounds', 'adoption', 'hold', 'strays']) expect(planned).not.toHaveProperty(absent);
    expect(renderPlan(planned).split('\n')).toEqual([
      'there is no MachineDeployment default/pool',
      'pool is new: 3 created',
      'quota for 3 more machines of type sim.small',
    ]);
    expect(world.kube.all(MACHINE_DEPLOYMENTS)).toEqual([]);
  });

  test('names another one that may be meant', async () => {
    world.kube.put(aMachineDeployment({ name: 'pools' }));
    expect(renderPlan(await plan())).toContain('there is no MachineDeployment default/pool; did you mean pools?');
  });

  test.each([
    ['spec.paused', { paused: true }, {}, 'spec.paused is true: no machine is made until it is false'],
    ['its annotation', {}, { 'cluster.x-k8s.io/paused': '' }, 'cluster.x-k8s.io/paused is set: nothing is done'],
  ])('says that %s holds it up', async (_what, spec, annotations, words) => {
    expect((await plan(spec, { annotations })).hold).toContain(words);
  });

  test('is held up by no word on what may be replaced', async () => {
    expect(await plan({ strategy: { type: 'RollingUpdate', replace: 'Never' } })).not.toHaveProperty('hold');
    expect(await plan({ strategy: { type: 'OnDelete' } })).not.toHaveProperty('hold');
  });

  test('tells machines that count although none of its sets has them', async () => {
    const { labels = {} } = template.metadata ?? {};
    world.kube.put(aMachine({ name: 'stray', metadata: { labels } }));
    const planned = await plan();
    expect(planned.strays).toBe(1);
    expect(renderPlan(planned)).toContain('1 machine that it selects and none of its sets has');
  });

  test('says what the API server has against it', async () => {
    await expect(plan({ replicas: -1 })).rejects.toThrow(
      /^could not try the creation of MachineDeployment default\/pool: .*replicas/,
    );
  });
});

describe('millwright rollout plan, where a new deployment adopts sets', () => {
  test('leaves the machines of one with the same template as they are', async () => {
    putSet('legacy');
    const planned = await plan();
    expect(whatOf(planned)).toEqual(['legacy-1: untouched', 'legacy-2: untouched']);
    expect(planned).toMatchObject({ created: 1, replicas: { before: 2, after: 3 } });
    const sets = [{ name: 'legacy', revision: 1, template: 'same' }];
    expect(planned.adoption).toEqual({ sets, startsPaused: false });
    expect(planned).not.toHaveProperty('hold');
    expect(renderPlan(planned).split('\n').slice(1)).toEqual([
      expect.stringMatching(/^MACHINE +NODE +REVISION +WHAT$/),
      expect.stringMatching(/^legacy-1 +node-of-legacy-1 +1 +untouched$/),
      expect.stringMatching(/^legacy-2 +node-of-legacy-2 +1 +untouched$/),
      'pool is new: 1 created, 0 replaced, 0 changed in place, 2 untouched',
      'adopts MachineSet legacy, which has the same template',
      'replicas: from 2 to 3: 1 more',
      'quota for 1 more machine of type sim.small',
    ]);
  });

  test('says that their settings change in place, and not where a machine has them already', async () => {
    const set = putSet('legacy');
    const drain = { timeout: '5m' };
    world.kube.put(aMachine({ name: 'legacy-2', set, spec: { ...set.spec.template?.spec, drain } }));
    expect(whatOf(await plan({ template: withSpec({ drain }) }))).toEqual([
      'legacy-1: in place',
      'legacy-2: untouched',
    ]);
  });

  test('says that those of another template are replaced, that it starts paused, and what the rollout takes', async () => {
    putSet('legacy');
    world.kube.put(aPod({ name: 'web-1', node: 'node-of-legacy-1', labels: { app: 'web' } }));
    world.kube.put({ ...aBudget('web'), status: { disruptionsAllowed: 0 } } as never);
    const planned = await plan({ template: ofType('sim.large') });
    expect(whatOf(planned)).toEqual(['legacy-1: replaced', 'legacy-2: replaced']);
    expect(planned.created).toBe(3);
    const sets = [{ name: 'legacy', revision: 1, template: 'another' }];
    expect(planned.adoption).toEqual({ sets, startsPaused: true });
    const instanceType = { before: 'sim.small', after: 'sim.large' };
    expect(planned.bounds).toEqual({
      now: 2,
      most: 4,
      surge: 1,
      type: 'RollingUpdate',
      leastAvailable: 3,
      instanceType,
    });
    const text = renderPlan(planned);
    expect(text).toContain('pool is new: 3 created, 2 replaced, 0 changed in place, 0 untouched');
    expect(text).toContain('adopts MachineSet legacy, which has another template');
    expect(text).toContain('starts paused for that: spec.paused becomes true before it adopts');
    expect(text).toContain('spec.paused is true: nothing is replaced until it is false');
    expect(text).toContain('quota for 2 more of type sim.large than the 2 that there are now');
    expect(text).toContain('the type changes from sim.small to sim.large');
    expect(text).toContain('default/web, which keeps pod web-1');
  });

  test('says that those of a second set of the same template are replaced, and that it starts paused', async () => {
    putSet('legacy-a');
    putSet('legacy-b');
    const planned = await plan();
    const what = ['legacy-a-1: untouched', 'legacy-a-2: untouched', 'legacy-b-1: replaced', 'legacy-b-2: replaced'];
    expect(whatOf(planned).sort()).toEqual(what);
    expect(planned).toMatchObject({ created: 1, adoption: { startsPaused: true } });
    expect(planned.adoption?.sets.map(({ template: which }) => which)).toEqual(['same', 'same']);
  });

  test('starts paused for no set that has no machines', async () => {
    putSet('legacy', {}, 0);
    const planned = await plan({ template: ofType('sim.large') });
    expect(planned).toMatchObject({ created: 3, adoption: { startsPaused: false } });
  });

  test('replaces none where none may be, and creates what is missing of whichever template', async () => {
    putSet('legacy');
    const planned = await plan({
      template: ofType('sim.large'),
      strategy: { type: 'RollingUpdate', replace: 'Never' },
    });
    expect(whatOf(planned)).toEqual(['legacy-1: untouched', 'legacy-2: untouched']);
    expect(planned.hold).toContain('strategy.replace is Never');
    expect(planned.created).toBe(1);
    for (const absent of ['bounds', 'instanceType']) expect(planned).not.toHaveProperty(absent);
  });

  test('adopts none that somebody has, that goes, or that it does not select', async () => {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Other', name: 'other', uid: 'uid-of-other', controller: true }];
    const spec = { template } as never;
    world.kube.put(aMachineSet({ name: 'owned', spec, metadata: { ownerReferences } }));
    const deletionTimestamp = '2026-01-02T00:00:00Z';
    world.kube.put(
      aMachineSet({ name: 'going', spec, metadata: { deletionTimestamp, finalizers: ['example.com/hold'] } }),
    );
    world.kube.put(aMachineSet({ name: 'others' }));
    expect(await plan()).not.toHaveProperty('adoption');
  });
});
