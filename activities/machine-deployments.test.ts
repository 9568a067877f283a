import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineSetObject } from '../k8s/api/machine.openshift.io/machine-set.ts';
import { TEMPLATE_HASH_LABEL } from '../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS } from '../k8s/dialects/openshift/resources.ts';
import { NAMESPACE } from '../test/world/builders/metadata.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { RolloutWorld } from '../test/world/rollout-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID } from '../test/world/world.ts';

const clock = ownClock();
let world: RolloutWorld;

const target = () => ({ ref: world.ref, clusterUid: CLUSTER_UID });

const survey = () => world.survey();

/** One pass of its workflow, which adopts before it makes a set. */
async function pass(): Promise<void> {
  const { generation, steps } = await survey();
  const on = { ...target(), generation };
  if (steps.pauseFirst) return world.change({ paused: true });
  if (steps.adopt.length > 0) await world.activities.adoptSets({ ...on, sets: steps.adopt });
  else if (steps.create !== undefined) await world.activities.createSet({ ...on, ...steps.create });
  await world.activities.orderSets({ ...on, orders: (await survey()).steps.orders });
  await world.runSets();
}

function onlySet(): MachineSetObject {
  const [set, ...more] = world.sets;
  if (set === undefined || more.length > 0) throw new Error(`${world.sets.length} sets`);
  return set;
}

/** Its deployment was deleted with `--cascade=orphan`, and another one of the same name is there. */
function orphan(change: (set: MachineSetObject) => void = () => {}): void {
  const set = structuredClone(onlySet());
  delete set.metadata.ownerReferences;
  change(set);
  world.kube.put({ ...set });
}

beforeEach(async () => {
  world = new RolloutWorld(clock);
  await pass();
  await pass();
  world.say('True');
});

describe('a set that an earlier deployment left', () => {
  it('is taken over as it is where its template is the same', async () => {
    const { uid } = onlySet().metadata;
    orphan();
    for (let n = 0; n < 3; n += 1) await pass();
    expect(world.deployment?.spec.paused).toBe(false);
    expect(onlySet().metadata.uid).toBe(uid);
    expect((await survey()).rollout.sets).toMatchObject([{ uid, isCurrent: true, active: 3 }]);
  });

  it('is of another template where somebody has changed it since, whatever its label says', async () => {
    const { name, labels } = onlySet().metadata;
    orphan(({ spec: { template } }) => (template.spec.providerSpec.value = { kind: 'Other' }));
    for (let n = 0; n < 2; n += 1) await pass();
    expect(world.deployment?.spec.paused).toBe(true);
    expect(world.kube.peek(MACHINE_SETS, NAMESPACE, name)?.metadata).toMatchObject({
      ownerReferences: [{ controller: true }],
      labels: {
        pool: 'workers',
        [TEMPLATE_HASH_LABEL]: expect.not.stringContaining(labels?.[TEMPLATE_HASH_LABEL] ?? ''),
      },
    });
    world.change({ paused: false });
    await pass();
    const { rollout } = await survey();
    expect(rollout.sets.find((set) => set.name === name)).toMatchObject({ isCurrent: false, active: 3 });
    expect(rollout.sets.find(({ isCurrent }) => isCurrent)?.name).toBe(`${name.slice(0, -2)}-2`);
  });
});

describe('a set that an earlier release made, which came to another hash of the same template', () => {
  beforeEach(() => {
    const set = structuredClone(onlySet());
    set.metadata.labels = { ...set.metadata.labels, [TEMPLATE_HASH_LABEL]: 'by-earlier' };
    world.kube.put({ ...set });
  });

  it('stays that of the template, and has its settings, under the hash that it has', async () => {
    world.settle({ metadata: { labels: { tier: 'x' } } });
    await pass();
    expect(onlySet().spec.template.spec.metadata).toEqual({ labels: { tier: 'x' } });
    expect(await survey()).toMatchObject({ templateHash: 'by-earlier', rollout: { sets: [{ isCurrent: true }] } });
  });

  it('is gone back to by that hash, and that of another template is on record', async () => {
    world.release('second');
    await pass();
    const { generation, templateHash } = await survey();
    const [to] = world.sets.filter(({ metadata }) => metadata.labels?.[TEMPLATE_HASH_LABEL] === 'by-earlier');
    const { name = '', uid = '', resourceVersion = '' } = to?.metadata ?? {};
    const back = { to: { name, uid, resourceVersion }, from: templateHash, revision: 2, why: 'none came up' };
    await world.activities.rollBack({ ...target(), generation, ...back });
    expect(await survey()).toMatchObject({ templateHash: 'by-earlier' });
    expect(world.deployment?.metadata.annotations).toMatchObject({
      'millwright.dev/rolled-back-from': `${templateHash} 2 none came up`,
    });
  });
});

describe('the first look of a workflow', () => {
  const tell = (status: object) => world.kube.put({ ...world.deployment, status } as never);

  it('takes all time until now, and a minute more, for one in which nobody looked', async () => {
    tell({ observedGeneration: 1 });
    const { pauses } = await survey();
    expect(pauses).toEqual([{ from: 0, to: clock.timeOfDay() + 60_000 }]);
  });

  it('does not where the deployment is new, nor does any later look', async () => {
    tell({});
    expect(await survey()).toMatchObject({ pauses: [] });
    tell({ observedGeneration: 1 });
    const later = await world.run((activities) => activities.surveyRollout({ ...target(), pauses: [] }));
    expect(later).toMatchObject({ pauses: [] });
  });
});

it('tells that the API server was away where it answered after many tries only', async () => {
  const ask = (attempt: number) => world.run((activities) => activities.surveyRollout(target()), { attempt });
  expect(await ask(4)).not.toHaveProperty('wasAway');
  expect(await ask(5)).toMatchObject({ wasAway: true });
});

it('gives no order where its process stood still since it looked at the deployment', async () => {
  world.change({ replicas: 5 });
  const { generation, steps } = await survey();
  expect(steps.orders).toMatchObject([{ order: { replicas: 5 } }]);
  world.onRequest = before({ verb: 'get', resource: MACHINE_DEPLOYMENTS, nth: 1 }, () => clock.goAhead(9000));
  const ordering = world.activities.orderSets({ ...target(), generation, orders: steps.orders });
  await expect(ordering).rejects.toMatchObject({ type: 'ObjectChanged' });
  expect(onlySet().spec.replicas).toBe(3);
});
