import { beforeEach, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { MACHINE_DEPLOYMENTS } from '../../../../k8s/dialects/openshift/resources.ts';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import { aBudget } from '../../../../test/world/builders/a-budget.ts';
import { aMachine } from '../../../../test/world/builders/a-machine.ts';
import { aMachineSet } from '../../../../test/world/builders/a-machine-set.ts';
import { aMachineClass } from '../../../../test/world/builders/a-machine-class.ts';
import { aPod } from '../../../../test/world/builders/a-pod.ts';
import { NAMESPACE } from '../../../../test/world/builders/metadata.ts';
import { RolloutWorld } from '../../../../test/world/rollout-world.ts';
import { ownClock } from '../../../../test/world/world-clock.ts';
import { planOf, rolloutPlan } from './plan.ts';
import { renderPlan } from './render-plan.ts';
import type { RolloutParts } from './rollout-parts.ts';
import { restart } from './steer.ts';

const clock = ownClock();
let world: RolloutWorld;

const parts = (): RolloutParts => ({
  access: { kube: world.kube.client, apis: APIS, namespace: NAMESPACE },
  clock,
  print: () => {},
});

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** As kubectl notes it; somebody else has written whether it is paused. */
function setLastApplied(): void {
  const { paused: _others, ...spec } = world.deployment?.spec ?? {};
  world.changeMeta({ annotations: { [LAST_APPLIED]: JSON.stringify({ spec }) } });
}

/** It was applied by kubectl, and its three machines run. */
beforeEach(async () => {
  world = new RolloutWorld(clock);
  setLastApplied();
  // It makes its set first, and then tells that how many machines to have.
  await world.makeSet();
  await world.runSets();
  await world.order();
  world.say('True');
});

/** A spec that a person edits, and may break. */
interface LooseSpec {
  replicas?: unknown;
  paused?: boolean;
  strategy: { type: string; replace?: string; rollingUpdate?: Record<string, unknown> };
  template: { spec: { drain?: object; providerSpec: { value: Record<string, unknown> } } };
}

function copyOfDeployment(): { apiVersion: string; kind: string; metadata: { name: string }; spec: LooseSpec } {
  return structuredClone(world.deployment) as never;
}

/** The file that a person has changed. */
function fileWith(change: (spec: LooseSpec) => void, more: object = {}): string {
  const { apiVersion, kind, metadata, spec } = copyOfDeployment();
  change(spec);
  return stringify({ apiVersion, kind, metadata: { name: metadata.name }, spec, ...more });
}
const plan = (change: (spec: LooseSpec) => void) => planOf(parts(), fileWith(change));
const image = (spec: LooseSpec) => (spec.template.spec.providerSpec.value['image'] = 'image-2');
const whatOf = ({ machines }: Awaited<ReturnType<typeof plan>>) => machines.map(({ what }) => what);
const all = (what: string) => [what, what, what];

describe('millwright rollout plan', () => {
  test('says that each machine is replaced where the template is another one, and what that takes', async () => {
    const before = structuredClone(world.deployment);
    const planned = await plan((spec) => {
      image(spec);
      spec.strategy = {
        ...spec.strategy,
        rollingUpdate: {
          maxSurge: 1,
          maxUnavailable: 0,
          steps: [{ machines: '30%' }, { pause: { for: '1h' } }, { approval: {} }],
        },
      };
    });
    expect(whatOf(planned)).toEqual(all('replaced'));
    expect(planned.machines.map(({ revision }) => revision)).toEqual([1, 1, 1]);
    expect(planned.bounds).toMatchObject({ now: 3, most: 4, surge: 1, leastAvailable: 3 });
    const text = renderPlan(planned);
    expect(text).toMatch(/^MACHINE +NODE +REVISION +WHAT\nworkers-\S+ +workers-\S+ +1 +replaced$/m);
    expect(text).toContain('workers: 3 replaced, 0 changed in place, 0 untouched');
    expect(text).toContain('at most 4 machines at a time (replicas + 1)');
    expect(text).toContain('quota for 1 more of type sim.small than the 3 that there are now');
    expect(text).toContain('an available machine goes only where 3 stay available');
    expect(text).toContain('steps: 1 new machine (30%), a pause of 1 h, an approval; then the rest');
    expect(world.deployment).toEqual(before);
  });

  test.each([
    ['OnDelete', 'at most 4 machines at a time (replicas + 1)', []],
    [
      'Recreate',
      'at most 3 machines at a time,',
      ['all machines of earlier revisions go, and the new ones come when these are gone'],
    ],
  ] as const)('says of %s only what it goes by', async (type, most, more) => {
    const planned = await plan((spec) => {
      image(spec);
      spec.strategy = { type };
    });
    const text = renderPlan(planned);
    expect(text).toContain(most);
    expect(text).not.toContain('stay available');
    for (const words of more) expect(text).toContain(words);
  });

  test('tells a change of the type: its quota has to have room for all', async () => {
    const planned = await plan((spec) => (spec.template.spec.providerSpec.value['instanceType'] = 'sim.large'));
    expect(renderPlan(planned)).toContain(
      'the type changes from sim.small to sim.large: in the end the quota of sim.large has to have room for 3',
    );
  });

  test('takes the type of a MachineClass to which the template refers', async () => {
    world.kube.put(aMachineClass());
    const planned = await plan((spec) => {
      spec.template.spec.providerSpec = { valueFrom: { machineClass: { name: 'medium' } } } as never;
    });
    expect(planned.bounds?.instanceType).toEqual({ before: 'sim.small', after: 'sim.medium' });
    expect(renderPlan(planned)).toContain('the type changes from sim.small to sim.medium');
  });

  test('says that they are changed in place where only settings of the template are others', async () => {
    const planned = await plan((spec) => (spec.template.spec.drain = { timeout: '5m' }));
    expect(whatOf(planned)).toEqual(all('in place'));
    expect(planned).not.toHaveProperty('bounds');
  });

  test('says that they are untouched where only the number is another one, and what a file leaves out stays', async () => {
    const scaled = await plan((spec) => (spec.replicas = 5));
    expect(whatOf(scaled)).toEqual(all('untouched'));
    expect(renderPlan(scaled)).toContain('replicas: from 3 to 5: 2 more\nquota for 2 more machines of type sim.small');
    world.change({ paused: true });
    const without = await plan((spec) => {
      delete spec.paused;
      image(spec);
    });
    expect(without.hold).toContain('spec.paused is true');
  });

  test('goes by the way of kubectl apply: what others wrote stays, what was applied before and is left out goes', async () => {
    const file = fileWith(() => {});
    world.settle({ drain: { timeout: '5m' } });
    expect(whatOf(await planOf(parts(), file))).toEqual(all('in place'));
    setLastApplied();
    expect(whatOf(await planOf(parts(), file))).toEqual(all('untouched'));
    await restart(parts(), 'workers');
    expect(whatOf(await planOf(parts(), file))).toEqual(all('replaced'));
  });

  test('goes by the way of whoever applied it by server-side apply', async () => {
    const file = fileWith(() => {});
    world.changeMeta({ annotations: {} });
    const { spec } = copyOfDeployment();
    spec.template.spec.drain = { timeout: '5m' };
    const fieldManager = 'kustomize-controller';
    await world.kube.client.apply(MACHINE_DEPLOYMENTS, NAMESPACE, 'workers', { spec }, { fieldManager });
    expect(whatOf(await planOf(parts(), stringify({ ...parse(file), spec })))).toEqual(all('in place'));
    expect(whatOf(await planOf(parts(), file))).toEqual(all('untouched'));
  });

  test.each([
    ['is paused', (spec: LooseSpec) => (spec.paused = true), 'spec.paused is true'],
    [
      'waits for deletions',
      (spec: LooseSpec) => (spec.strategy = { type: 'OnDelete' }),
      'each is replaced when somebody deletes it',
    ],
  ])('says why nothing happens where it %s', async (_what, change, words) => {
    const planned = await plan((spec) => {
      image(spec);
      change(spec);
    });
    expect(whatOf(planned)).toEqual(all('replaced'));
    expect(renderPlan(planned)).toContain(words);
  });

  test('says that none is replaced where none may be, and that how they go reaches them all the same', async () => {
    const never = (spec: LooseSpec) => {
      image(spec);
      spec.strategy = { ...spec.strategy, replace: 'Never' };
    };
    const planned = await plan(never);
    expect(whatOf(planned)).toEqual(all('untouched'));
    expect(renderPlan(planned)).toContain(
      'strategy.replace is Never: 3 machines would have to be replaced, and none is',
    );
    const settled = await plan((spec) => {
      never(spec);
      spec.template.spec.drain = { timeout: '5m' };
    });
    expect(whatOf(settled)).toEqual(all('in place'));
  });

  test('names budgets that allow no eviction now', async () => {
    const [machine] = world.machines;
    world.kube.put(aPod({ name: 'web-1', node: machine?.status?.nodeRef?.name ?? '', labels: { app: 'web' } }));
    world.kube.put({ ...aBudget('web'), status: { disruptionsAllowed: 0 } } as never);
    expect(renderPlan(await plan(image))).toContain('default/web, which keeps pod web-1');
    // What is drained for others is not this rollout's.
    const other = aMachineSet({ name: 'others' });
    const { nodeRef, ...going } = { nodeRef: { name: 'elsewhere', uid: 'uid-of-elsewhere' }, finalizers: ['held'] };
    const metadata = { ...going, deletionTimestamp: '2026-01-01T00:00:00Z' };
    world.kube.put({ ...other }, { ...aMachine({ name: 'another', set: other, metadata, status: { nodeRef } }) });
    world.kube.put(aPod({ name: 'another-1', node: 'elsewhere', labels: { app: 'another' } }));
    world.kube.put({ ...aBudget('another'), status: { disruptionsAllowed: 0 } } as never);
    expect(await plan((spec) => (spec.replicas = 5))).not.toHaveProperty('budgets');
  });

  test.each([
    ['of another kind', () => stringify({ apiVersion: 'v1', kind: 'Pod', spec: {} }), 'has a Pod of v1: it has to be'],
    ['without an object', () => 'just words', 'the file has no Kubernetes object'],
    ['that is empty', () => '---\n', 'the file is empty'],
    ['that is no YAML', () => 'a: [', 'the file is neither YAML nor JSON'],
    ['with two of them', () => `${fileWith(image)}---\n${fileWith(image)}`, 'there are 2 documents in the file'],
    ['without a name', () => fileWith(image, { metadata: {} }), 'has no metadata.name'],
  ])('refuses a file %s', async (_what, text, words) => {
    await expect(planOf(parts(), text())).rejects.toThrow(words);
  });

  test('goes by the namespace of the file, and refuses another one that is said', async () => {
    const text = fileWith(image, { metadata: { name: 'workers', namespace: NAMESPACE } });
    const elsewhere = { ...parts(), access: { ...parts().access, namespace: 'of-the-context' } };
    expect((await planOf(elsewhere, text)).machines).toHaveLength(3);
    await expect(planOf(elsewhere, text, 'other')).rejects.toThrow(`is of namespace ${NAMESPACE}, and -n says other`);
  });

  test('says what the API server has against it', async () => {
    await expect(plan((spec) => (spec.replicas = 'many'))).rejects.toThrow(
      /^could not try the change of MachineDeployment default\/workers: /,
    );
  });

  test('a file that is not there is told', async () => {
    const options = { filename: '/no/such/file.yaml' };
    await expect(rolloutPlan(options)).rejects.toThrow(/^could not read \/no\/such\/file.yaml: .*ENOENT/);
  });
});
