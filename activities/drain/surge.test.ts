import { beforeEach, describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { ROLLED_FOR_ANNOTATION } from '../../k8s/model/deployment.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS, VOLUME_CLAIMS } from '../../k8s/resources.ts';
import { delay } from '../../providers/clock.ts';
import { aBudget } from '../../test/world/builders/a-budget.ts';
import { aDeployment, type DeploymentFacts } from '../../test/world/builders/a-deployment.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { aPod, type PodFacts } from '../../test/world/builders/a-pod.ts';
import { countBudgets } from '../../test/world/kubernetes/disruption.ts';
import type { KubeObject } from '../../test/world/kubernetes/kube-object.ts';
import { answerLost, before } from '../../test/world/kubernetes/request.ts';
import { deployedPod, nameReplicaSet, podFacts, runDeployments } from '../../test/world/run-deployments.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import type { DrainNode, DrainReport } from '../../workflows/machine/drain-activities.ts';
import type { NodeTarget } from '../../workflows/machine/node-activities.ts';
import { given } from '../../providers/given.ts';

let world: World;
let target: NodeTarget;

beforeEach(() => {
  world = new World(ownClock());
  target = machine('m', 'i-1', 'n');
});

const DRAIN_STARTED = Date.parse('2026-01-01T00:00:00Z');
/** Its budget has refused it before. */
const REFUSED = { askedAt: 0, by: 'budget', failures: 1, until: 0 } as const;
const APPLY = { verb: 'apply', resource: DEPLOYMENTS } as const;

function machine(name: string, instanceId: string, node: string): NodeTarget {
  const added = world.addMachine({ name, instanceId, launch: {}, deleting: true });
  world.kube.put(aNode({ name: node, providerID: `simulated:///zone-a/${instanceId}` }));
  return { ...added, ownInstance: instanceId };
}

/** A Deployment with a pod on the Node, which its budget keeps. */
function deploy(facts: DeploymentFacts = {}, pod: PodFacts = {}): void {
  world.kube.put(...deployedPod({ asked: 'surge', ...facts }, pod), aBudget('web', { minAvailable: 1 }));
  countBudgets(world.kube);
}

async function pass(more: Partial<DrainNode> = {}, of = target): Promise<DrainReport> {
  const notes = Object.fromEntries(world.kube.all(PODS).map(({ metadata }) => [metadata.uid, REFUSED]));
  const now = world.clock.timeOfDay();
  const asked = {
    ...of,
    purpose: 'deletion',
    stage: 'pods',
    startedAt: DRAIN_STARTED,
    now,
    notes,
    cordonedAt: 1,
    ...more,
  } as const;
  const answer = await world.run((on) => on.drainNode(asked));
  if (answer.outcome !== 'draining') throw new Error(answer.outcome);
  return answer;
}
/** What it says of the pod behind its budget. */
const words = async (more: Partial<DrainNode> = {}, of = target) =>
  (await pass(more, of)).trouble?.message.split('needed)')[1];
const web = () => world.kube.peek(DEPLOYMENTS, 'default', 'web') as ReturnType<typeof aDeployment> & KubeObject;
const rolledFor = () =>
  [web().metadata, web().spec.template.metadata].map((of) => of.annotations?.[ROLLED_FOR_ANNOTATION]);
const rolls = () => world.requests.filter(({ verb, resource }) => verb === 'apply' && resource === DEPLOYMENTS).length;

describe('a Deployment whose pod is kept by its budget', () => {
  it('is rolled by an annotation of ours in its template, which names the drain, and by nothing else', async () => {
    deploy();
    const { spec } = web();
    expect(await pass()).toMatchObject({
      counts: { held: 1 },
      trouble: {
        message: expect.stringMatching(/Deployment web is rolled for this: the pod leaves when a new one is Ready$/),
      },
      rolls: { 'uid-of-web': 'rolled' },
      news: [{ type: 'Normal', reason: 'DeploymentRolled', message: expect.stringMatching(/: default\/web$/) }],
    });
    const drain = `default/m/${target.ref.uid}/2026-01-01T00:00:00.000Z`;
    expect(rolledFor()).toEqual([drain, drain]);
    const template = { metadata: { ...spec.template.metadata, annotations: { [ROLLED_FOR_ANNOTATION]: drain } } };
    expect(web().spec).toEqual({ ...spec, template });
    expect(web().metadata.managedFields?.[0]).toMatchObject({ manager: 'millwright-surge', operation: 'Apply' });
    expect(world.events.map(({ involvedObject: of, reason }) => [of, reason])).toEqual([
      [expect.objectContaining({ kind: 'Deployment', uid: 'uid-of-web' }), 'DeploymentRolled'],
    ]);
  });

  it('is rolled once, whether or not the drain remembers it', async () => {
    deploy();
    const { rolls: known } = await pass();
    expect(await words(given({ rolls: known }))).toContain('Deployment web is rolled for this');
    const { rolls: again } = await pass();
    expect([rolls(), again]).toEqual([1, known]);
  });

  it('is told with what its new pod waits for, where no Node takes it', async () => {
    deploy();
    await pass();
    const { status, ...pod } = aPod({ name: 'web-2', node: '', labels: { app: 'web' }, phase: 'Pending' });
    const message = '0/2 nodes are available: 2 Insufficient cpu.';
    const pending = { ...pod, status: { ...status, conditions: [{ type: 'PodScheduled', status: 'False', message }] } };
    const { generation } = web().metadata;
    const rolling = { ...web(), status: { observedGeneration: generation, replicas: 2, updatedReplicas: 1 } };
    world.kube.put(pending, rolling);
    const told =
      /is rolled for this: 1 of 1 pods are new, 0 of 2 available; its pod web-2 waits for a Node: 0\/2 nodes are available: 2 Insufficient cpu$/;
    expect(await words()).toMatch(told);
    world.onRequest = before({ verb: 'list', resource: PODS }, () => {
      throw new KubeError(500, 'InternalError', 'not now');
    });
    expect(await words().catch(() => '')).not.toContain('waits for a Node');
  });

  it('is rolled once for several of its pods', async () => {
    deploy({ replicas: 2 });
    world.kube.put(aPod({ ...podFacts('web', nameReplicaSet(web())), name: 'web-2' }));
    world.kube.put(aBudget('web', { minAvailable: 2 }));
    countBudgets(world.kube);
    expect(await pass()).toMatchObject({ counts: { held: 2 } });
    expect(rolls()).toBe(1);
  });

  it('is rolled once where the answer was lost', async () => {
    deploy();
    world.onRequest = answerLost({ ...APPLY, nth: 1 });
    expect((await pass()).news).toBeUndefined();
    expect((await pass()).news).toMatchObject([{ reason: 'DeploymentRolled' }]);
    expect(rolls()).toBe(1);
  });

  it('is not rolled before its budget has refused twice', async () => {
    deploy();
    expect(await words({ notes: {} })).toBe(
      '; Deployment web is not rolled: it will be, if the budget refuses once more',
    );
    expect(rolls()).toBe(0);
  });

  it('is not rolled where it changed since it was looked at', async () => {
    deploy();
    const patch = { spec: { paused: true } };
    world.onRequest = before({ ...APPLY, nth: 1 }, async () => {
      await world.kube.others.mergePatch(DEPLOYMENTS, 'default', 'web', patch);
    });
    expect(await words()).toContain('is not rolled: it changed just now, and is looked at again');
    expect(rolledFor()).toEqual([undefined, undefined]);
    expect(await words()).toContain('is not rolled: it is paused');
  });

  it('is not rolled when the pass is over, and a pass does not wait for it', async () => {
    deploy();
    world.onRequest = async (request, carryOut) => {
      if (request.resource === REPLICA_SETS) await delay(world.clock, 3000);
      return carryOut();
    };
    const began = world.clock.now();
    expect(await words()).toBe('; whether a new pod can come first is looked at again');
    expect(world.clock.now() - began).toBeLessThan(2000);
    await delay(world.clock, 4000);
    expect(rolls()).toBe(0);
  });

  it('is not rolled where the process stood still since the look at its Machine: the drain may be over', async () => {
    deploy();
    world.onRequest = before({ verb: 'get', resource: DEPLOYMENTS, nth: 1 }, () => world.clock.set(60_000));
    expect(await words()).toContain('Deployment web is rolled in a moment');
    expect(rolls()).toBe(0);
    expect(await words()).toContain('is rolled for this');
  });

  it('is not rolled without the permission, and what is missing is said', async () => {
    deploy();
    world.onRequest = before(APPLY, () => {
      const message =
        'deployments.apps "web" is forbidden: User "w" cannot patch resource "deployments" in API group "apps"';
      throw new KubeError(403, 'Forbidden', message);
    });
    expect(await words()).toContain(
      'is not rolled: Millwright may not: it lacks the ClusterRole millwright-worker-surge',
    );
  });

  it.each([
    [
      403,
      'admission webhook "guard" denied the request',
      'is not rolled: admission webhook "guard" denied the request',
    ],
    [503, 'etcd has no leader', 'is not rolled: etcd has no leader; it is tried again'],
  ])('is told with what came back where it cannot be rolled: %i', async (status, message, told) => {
    deploy();
    world.onRequest = before(APPLY, () => {
      throw new KubeError(status, 'Refused', message);
    });
    expect(await words()).toContain(told);
  });

  it('is not rolled where it cannot be read, and the drain goes on', async () => {
    deploy();
    world.onRequest = before({ verb: 'get', resource: DEPLOYMENTS }, () => {
      throw new KubeError(403, 'Forbidden', 'deployments.apps is forbidden');
    });
    expect(await words()).toBe('; whether a new pod can come first cannot be seen: deployments.apps is forbidden');
  });

  it('is not rolled where the volume of its pod is on one Node at a time, or its claim is gone', async () => {
    deploy({}, { claims: ['shared', 'data'] });
    const claim = (name: string, mode: string) => ({
      apiVersion: 'v1',
      kind: VOLUME_CLAIMS.kind,
      metadata: { name, namespace: 'default' },
      spec: { accessModes: [mode] },
    });
    world.kube.put(claim('shared', 'ReadWriteMany'));
    expect(await words()).toContain('the volume of claim data is ReadWriteOnce');
    world.kube.put(claim('data', 'ReadWriteOncePod'));
    expect(await words()).toContain('the volume of claim data is ReadWriteOnce');
    world.kube.put(claim('data', 'ReadOnlyMany'));
    expect(await words()).toContain('is rolled for this');
  });
});

describe('a template that others put back', () => {
  it('is reported once, and not rolled again', async () => {
    deploy();
    await pass();
    world.kube.put({
      ...aDeployment({ asked: 'surge' }),
      metadata: { ...web().metadata, annotations: { 'millwright.dev/drain': 'surge' } },
    });
    const putBack = await pass({ rolls: { 'uid-of-web': 'rolled' } });
    expect(putBack).toMatchObject({
      trouble: { message: expect.stringContaining('somebody put its template back: it is rolled once for a drain') },
      rolls: { 'uid-of-web': 'putBack' },
      news: [{ type: 'Warning', reason: 'RollPutBack', message: expect.stringMatching(/: default\/web$/) }],
    });
    expect((await pass({ rolls: { 'uid-of-web': 'putBack' } })).news).toBeUndefined();
    expect(rolls()).toBe(1);
  });

  it('is known by the record on the Deployment to who does not remember the roll', async () => {
    deploy();
    await pass();
    const patch = { spec: { template: { metadata: { annotations: null } } } };
    await world.kube.others.mergePatch(DEPLOYMENTS, 'default', 'web', patch);
    expect(await pass()).toMatchObject({ news: [{ reason: 'RollPutBack' }] });
    expect(rolls()).toBe(1);
  });
});

describe('drains of two Nodes', () => {
  it('roll a Deployment one after another: the second when the first is over', async () => {
    runDeployments(world, { node: 'n-2', startMs: 0 });
    deploy();
    await pass();
    const second = machine('m-2', 'i-2', 'n-2');
    await delay(world.clock, 5000);
    countBudgets(world.kube);
    expect(world.kube.all(PODS).map(({ spec }) => spec)).toMatchObject([{ nodeName: 'n' }, { nodeName: 'n-2' }]);
    expect(await words({}, second)).toContain('it was rolled for the drain of Machine default/m, which lasts');
    target = { ...world.addMachine({ name: 'm', instanceId: 'i-1', launch: {} }), ownInstance: 'i-1' };
    expect(await words({}, second)).toContain('Deployment web is rolled for this');
    expect(rolls()).toBe(2);
  });
});

it('a pod that is of no Deployment is told of', async () => {
  const owner = { kind: 'StatefulSet', name: 'db', uid: 'uid-of-db' };
  world.kube.put(aPod({ name: 'db-0', labels: { app: 'db' }, owner }), aBudget('db', { minAvailable: 1 }));
  countBudgets(world.kube);
  expect(await words()).toBe('; no new pod can come first: it is of StatefulSet db, not of a Deployment');
});

it('a pod whose ReplicaSet is gone is not told of', async () => {
  deploy();
  for (const { metadata } of world.kube.all(REPLICA_SETS)) world.kube.drop(REPLICA_SETS, 'default', metadata.name);
  expect([await words(), rolls()]).toEqual(['', 0]);
});

it('a Deployment that does not ask for it is told how it could', async () => {
  deploy();
  await world.kube.others.mergePatch(DEPLOYMENTS, 'default', 'web', { metadata: { annotations: null } });
  expect(await words()).toBe(
    '; with the annotation millwright.dev/drain: surge on Deployment web a new pod would come first',
  );
  expect(rolls()).toBe(0);
});
