import { REBOOT_ANNOTATION, writeRebootWish } from '../../k8s/model/reboot.ts';
import { describe, expect, it } from '@jest/globals';
import { MACHINE_SETS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { CAUSE_ANNOTATION } from '../../k8s/model/cause.ts';
import {
  ASKED_OF_OTHERS_ANNOTATION,
  REMEDIATED_BY_ANNOTATION,
  writeHealthClaim,
} from '../../k8s/model/health-claim.ts';
import { controllerReference } from '../../k8s/model/owner-reference.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import { CONFIG_MAPS, NODES, type Resource } from '../../k8s/resources.ts';
import { aCluster } from '../../test/world/builders/a-cluster.ts';
import { aMachineHealthCheck } from '../../test/world/builders/a-machine-health-check.ts';
import { aMachineDeployment } from '../../test/world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { NAMESPACE, refOf } from '../../test/world/builders/metadata.ts';
import { HealthWorld, type HealthWorldFacts } from '../../test/world/health-world.ts';
import { before } from '../../test/world/kubernetes/request.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { CLUSTER_UID } from '../../test/world/world.ts';
import type { ConditionRule, RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { OBJECT_CHANGED } from '../../workflows/failure-types.ts';
import type { FoundCheck } from '../../workflows/machine-health-check/health-activities.ts';
import { given } from '../../providers/given.ts';

const NOT_READY = 'node Ready=False,Unknown 300000';
const REPLACE: RemediationStep = { action: 'Replace', drainTimeoutMs: 600_000, onTimeout: 'Wait' };
const ZONES = { 'topology.kubernetes.io/zone': 'a' };

function check(facts: HealthWorldFacts = {}) {
  const world = new HealthWorld(ownClock(), facts);
  const target = { ref: world.ref, clusterUid: CLUSTER_UID };
  const look = (clusterRules?: readonly ConditionRule[]) =>
    world.run((activities) => activities.surveyHealth({ ...target, underway: [], ...given({ clusterRules }) }));
  return {
    world,
    look,
    survey: async (): Promise<FoundCheck> => {
      const seen = await look();
      if (seen.found !== true) throw new Error('the check was not found');
      return seen;
    },
    remediate: (n: number, step = REPLACE, causes = [NOT_READY], seenAt?: number, generation?: number) =>
      world.run((activities) =>
        activities.remediate({
          ...target,
          machine: { name: `m-${n}`, uid: `uid-of-m-${n}` },
          step,
          cause: 'it is ill',
          causes,
          ...given({ seenAt, generation }),
        }),
      ),
    fulfil: (n: number) =>
      world.run((activities) =>
        activities.fulfilWish({ ...target, machine: { name: `m-${n}`, uid: `uid-of-m-${n}` } }),
      ),
    release: (n: number) =>
      world.run((activities) =>
        activities.releaseMachine({ ...target, machine: { name: `m-${n}`, uid: `uid-of-m-${n}` } }),
      ),
  };
}

const iso = (at: number) => new Date(at).toISOString();

const keysOf = (seen: FoundCheck, name: string) =>
  seen.suspects.find((suspect) => suspect.name === name)?.causes.map(({ key }) => key);

describe('a look at the health of machines', () => {
  it('counts those that are selected, and lists none that is well', async () => {
    const { world, survey } = check();
    world.add(4, { metadata: { labels: { set: 'others' } } });
    expect(await survey()).toMatchObject({ expected: 3, healthy: 3, suspects: [], lostZones: [] });
  });

  it('finds what is bad, and when it says that it began', async () => {
    const { world, survey } = check();
    const at = world.clock.timeOfDay() - 5000;
    world.say(2, 'Unknown', { at, reason: 'NodeStatusUnknown' });
    const seen = await survey();
    expect(seen).toMatchObject({ expected: 3, healthy: 2 });
    expect(seen.suspects).toMatchObject([
      {
        name: 'm-2',
        node: 'n-2',
        nodeReady: 'Unknown',
        set: { kind: 'MachineSet', name: 'workers' },
        causes: [
          {
            key: NOT_READY,
            condition: 'node Ready',
            kind: 'condition',
            words: 'Ready of its Node n-2 is Unknown (NodeStatusUnknown)',
            timeoutMs: 300_000,
          },
        ],
      },
    ]);
    // Kubernetes keeps whole seconds.
    expect(Math.abs((seen.suspects[0]?.causes[0]?.changedAt ?? 0) - at)).toBeLessThan(1000);
    expect(Object.values(seen.sets)).toEqual([
      { name: 'workers', wanted: 3, missing: 0, unready: [{ uid: 'uid-of-m-2', createdAt: expect.any(String) }] },
    ]);
  });

  it.each([
    ['failed', { status: { phase: 'Failed', errorReason: 'CreateError' } }, {}, ['failed CreateError']],
    ['without its Node', {}, 'gone', ['node gone']],
    ['that never joined', {}, null, ['never joined']],
    ['that somebody wants remediated', { annotations: { 'machine.openshift.io/remediate': 'disk' } }, {}, ['wished']],
  ] as const)('finds a machine %s', async (_words, { annotations, ...facts }: Record<string, object>, node, keys) => {
    const { world, survey } = check({ machines: 0 });
    world.add(
      1,
      { ...facts, ...given({ metadata: annotations && { annotations } }) } as never,
      node === 'gone' ? {} : node,
    );
    if (node === 'gone') world.loseNode(1);
    expect(keysOf(await survey(), 'm-1')).toEqual(keys);
  });

  it('does not miss a Node that its kubelet has registered anew, and misses one whose name another machine has', async () => {
    const { world, survey } = check();
    const again = { metadata: { uid: 'registered-anew' } };
    world.loseNode(1);
    world.putNode(aNode({ name: 'n-1', ...again, providerID: 'simulated:///zone-a/i-1' }));
    world.loseNode(2);
    world.putNode(aNode({ name: 'n-2', ...again, providerID: 'simulated:///zone-a/i-99' }));
    world.loseNode(3);
    world.putNode(aNode({ name: 'n-3', ...again }));
    const seen = await survey();
    expect(seen.suspects.map(({ name }) => name)).toEqual(['m-2']);
    expect(keysOf(seen, 'm-2')).toEqual(['node gone']);
  });

  it('says when a machine that never joined was launched, and nothing where its Node may take any time', async () => {
    const { world, survey } = check({ machines: 0 });
    world.add(1, {}, null);
    const [cause] = (await survey()).suspects[0]?.causes ?? [];
    expect(cause).toMatchObject({ kind: 'neverJoined', timeoutMs: 600_000 });
    expect(cause?.since).toBe(Date.parse(world.machine(1)?.metadata.creationTimestamp ?? ''));
    world.change({ nodeStartupTimeout: '0' });
    expect((await survey()).suspects).toMatchObject([{ name: 'm-1', causes: [] }]);
  });

  it('counts the time to join from when the cloud took the launch, which it may have throttled for long', async () => {
    const { world, survey } = check({ machines: 0 });
    const lastTransitionTime = new Date(world.clock.timeOfDay() + 480_000).toISOString();
    const conditions = (status: 'True' | 'False') => [
      { type: 'MachineCreation', status, reason: 'MachineCreationSucceeded', message: '', lastTransitionTime },
    ];
    world.add(1, { status: { conditions: conditions('True') } }, null);
    world.add(2, { status: { conditions: conditions('False') } }, null);
    const [taken, refused] = (await survey()).suspects.map(({ causes }) => causes[0]?.since);
    expect(taken).toBe(Date.parse(lastTransitionTime));
    expect(refused).toBe(Date.parse(world.machine(2)?.metadata.creationTimestamp ?? ''));
  });

  it('counts a machine that is being deleted, or has no Node, as not healthy', async () => {
    const { world, survey } = check({ machines: 1 });
    world.add(2, { deleting: true });
    world.add(3, { status: { phase: 'Provisioning' }, metadata: {} }, null);
    const seen = await survey();
    expect(seen).toMatchObject({ expected: 3, healthy: 1 });
    expect(seen.suspects.map(({ name, isDeleting }) => [name, isDeleting])).toEqual([
      ['m-2', true],
      ['m-3', undefined],
    ]);
  });

  it('tells what the cloud proved: stopped, ended', async () => {
    const { world, survey } = check({ machines: 0 });
    for (const [n, instanceState] of (['running', 'stopped', 'terminated'] as const).entries()) {
      world.add(n + 1, { providerStatus: { instanceState } });
      world.say(n + 1, 'Unknown');
    }
    expect((await survey()).suspects.map(({ isProved }) => isProved)).toEqual([undefined, true, true]);
  });

  it.each([
    ['that cluster-autoscaler may scale down', ['1', '5'], true],
    ['that is as small as it may be', ['3', '5'], undefined],
    ['that nobody scales', [], undefined],
  ] as const)('finds a machine without room, in a set %s', async (_words, [least, most], mayBeScaledDown) => {
    const { world, survey } = check({ machines: 2 });
    const size = (which: string, value: string | undefined) =>
      value === undefined ? {} : { [`machine.openshift.io/cluster-api-autoscaler-node-group-${which}-size`]: value };
    world.scaleSet(3, { ...size('min', least), ...size('max', most) });
    world.add(3, { status: { phase: 'Failed', errorReason: 'InsufficientResources', errorMessage: 'no room' } }, null);
    const seen = await survey();
    expect(seen.suspects).toMatchObject([{ name: 'm-3', lacksRoom: true }]);
    expect(Object.values(seen.sets)[0]?.mayBeScaledDown).toBe(mayBeScaledDown);
  });

  it.each([
    [3, 1],
    [2, 0],
    [1, 0],
  ])('counts what a set of %i lacks; a Machine that is being deleted is none of it', async (replicas, missing) => {
    const { world, survey } = check({ machines: 2 });
    world.scaleSet(replicas);
    world.add(3, { deleting: true });
    expect(Object.values((await survey()).sets)).toMatchObject([{ missing }]);
  });

  it('lists the Machines of a controller that is no set of ours, and none of a set that is gone', async () => {
    const { world, survey } = check({ machines: 2 });
    const owner = {
      apiVersion: 'machine.openshift.io/v1',
      kind: 'ControlPlaneMachineSet',
      name: 'cluster',
      uid: 'cpms',
    };
    world.add(3, { metadata: { ownerReferences: [{ ...owner, controller: true }] } });
    world.add(4, { deleting: true, metadata: { ownerReferences: [{ ...owner, controller: true }] } });
    world.say(3, 'Unknown');
    const joining = [{ uid: 'uid-of-m-3', createdAt: expect.any(String) }];
    expect((await survey()).sets).toMatchObject({
      cpms: { name: 'cluster', missing: 0, living: joining, unready: joining },
    });
    world.kube.drop(MACHINE_SETS, NAMESPACE, 'workers');
    world.say(1, 'Unknown');
    expect(Object.keys((await survey()).sets)).toEqual(['cpms']);
  });

  it('tells of Machines under way that it selects no more, and that are being deleted still', async () => {
    const { world } = check({ machines: 2 });
    const labels = { set: 'others' };
    world.add(3, { deleting: true, metadata: { labels } });
    world.add(4, { metadata: { labels } });
    world.add(5, { deleting: true, metadata: { labels } });
    const set = refOf(aMachineSet({ name: 'workers' }));
    const underway = [1, 3, 4].map((n) => ({ uid: `uid-of-m-${n}`, set }));
    const seen = await world.run((on) => on.surveyHealth({ ref: world.ref, clusterUid: CLUSTER_UID, underway }));
    expect(seen).toMatchObject({ leaving: ['uid-of-m-3'], well: ['uid-of-m-1'] });
    expect(
      await world.run((on) => on.surveyHealth({ ref: world.ref, clusterUid: CLUSTER_UID, underway: [] })),
    ).toMatchObject({
      well: [],
    });
    world.say(1, 'Unknown');
    expect(
      await world.run((on) => on.surveyHealth({ ref: world.ref, clusterUid: CLUSTER_UID, underway })),
    ).toMatchObject({
      well: [],
    });
  });

  it.each([
    ['which another set is to have by now', { old: 2, other: 1, all: 3 }, 1],
    ['which no set is to have yet', { old: 2, other: 0, all: 3 }, 1],
    ['where it has as many as it shall', { old: 2, other: 0, all: 2 }, 0],
    ['beside what comes in place of others', { old: 2, other: 2, all: 3 }, 2],
  ])('counts what a deployment lacks together, %s', async (_words, { old, other, all }, missing) => {
    const { world, survey } = check({ machines: 2 });
    const deployment = aMachineDeployment({ name: 'pool', spec: { replicas: all } });
    const ownerReferences = [controllerReference(refOf(deployment))];
    world.kube.put(
      deployment,
      aMachineSet({ name: 'workers', replicas: old, metadata: { ownerReferences } }),
      aMachineSet({ name: 'newer', replicas: other, metadata: { ownerReferences } }),
      aMachineSet({ name: 'strange', replicas: 7 }),
    );
    world.say(1, 'Unknown');
    expect(Object.values((await survey()).sets)).toMatchObject([
      { name: 'workers', deployment: deployment.metadata.uid, missing, unready: [{ uid: 'uid-of-m-1' }] },
    ]);
  });

  it.each([
    [{ replicas: 3 }, '1', true],
    [{ replicas: 3 }, '3', undefined],
  ] as const)(
    'goes by the sizes of its MachineDeployment where a set has one: %j of at least %s',
    async (spec, least, may) => {
      const { world, survey } = check({ machines: 2 });
      const size = 'machine.openshift.io/cluster-api-autoscaler-node-group-';
      const annotations = { [`${size}min-size`]: least, [`${size}max-size`]: '5' };
      const deployment = aMachineDeployment({ name: 'pool', metadata: { annotations }, spec });
      const ownerReferences = [controllerReference(refOf(deployment))];
      // What of a rollout is in an old set is no word on how many there are to be.
      world.kube.put(deployment, aMachineSet({ name: 'workers', replicas: 1, metadata: { ownerReferences } }));
      world.add(
        3,
        { status: { phase: 'Failed', errorReason: 'InsufficientResources', errorMessage: 'no room' } },
        null,
      );
      expect(Object.values((await survey()).sets)[0]?.mayBeScaledDown).toBe(may);
    },
  );

  it.each([
    ['ResourceExhausted', true],
    ['CreateError', undefined],
  ] as const)('tells whether %s is a lack of room', async (errorReason, lacksRoom) => {
    const { world, survey } = check({ machines: 0 });
    world.add(1, { status: { phase: 'Failed', errorReason, errorMessage: 'no' } }, null);
    expect((await survey()).suspects[0]?.lacksRoom).toBe(lacksRoom);
  });

  it('goes by its own rules where it has some, and by conditions of the Machine', async () => {
    const rule = { type: 'KernelDeadlock', status: 'True', timeout: '1m' } as const;
    const { world, survey } = check({
      spec: {
        unhealthyConditions: [rule],
        unhealthyMachineConditions: [{ type: 'Burnt', status: 'True', timeout: '0s' }],
      },
    });
    world.say(1, 'Unknown');
    world.say(2, 'True', { type: 'KernelDeadlock' });
    world.edit(3, ({ status, ...machine }) => ({
      ...machine,
      status: {
        ...status,
        conditions: [{ type: 'Burnt', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    }));
    const seen = await survey();
    expect(seen.suspects.map(({ name }) => name)).toEqual(['m-2', 'm-3']);
    expect(keysOf(seen, 'm-2')).toEqual(['node KernelDeadlock=True 60000']);
    expect(keysOf(seen, 'm-3')).toEqual(['machine Burnt=True 0']);
  });

  it("goes by the cluster's rules where it has none; those that cannot be read leave the last ones in force", async () => {
    const { world, look } = check({ machines: 1 });
    world.say(1, 'True', { type: 'NetworkUnavailable' });
    expect(await look()).toMatchObject({ suspects: [], clusterRules: [{ type: 'Ready' }] });
    world.writeRules('items: [{name: NetworkUnavailable, timeout: 5m, status: True}]');
    const seen = await look();
    expect(seen).toMatchObject({ suspects: [{ name: 'm-1' }], clusterRules: [{ type: 'NetworkUnavailable' }] });
    world.writeRules('items: nonsense');
    const known = seen.found === true ? seen.clusterRules : undefined;
    expect(await look(known)).toMatchObject({
      suspects: [{ name: 'm-1' }],
      clusterRules: known,
      rulesProblem: expect.stringContaining('node-unhealthy-conditions'),
    });
    world.onRequest = before({ resource: CONFIG_MAPS }, () => {
      throw new KubeError(403, 'Forbidden', 'denied');
    });
    expect(await look(known)).toMatchObject({
      clusterRules: known,
      rulesProblem: expect.stringContaining('permission'),
    });
  });

  it('tells of zones of which all Nodes are bad, and whether another is well', async () => {
    const { world, survey } = check({ machines: 0 });
    for (let n = 1; n <= 3; n += 1) {
      world.add(n, {}, { metadata: { labels: ZONES } });
      world.say(n, 'Unknown');
    }
    expect((await survey()).lostZones).toEqual([{ zone: 'a', nodes: 3, cause: 'node Ready', isAlone: false }]);
    world.putNode(aNode({ name: 'elsewhere', metadata: { labels: { ...ZONES, 'topology.kubernetes.io/zone': 'b' } } }));
    expect((await survey()).lostZones).toMatchObject([{ zone: 'a', isAlone: true }]);
    world.putNode(aNode({ name: 'n-4', metadata: { labels: ZONES } }));
    expect((await survey()).lostZones).toEqual([]);
  });

  it('passes over the claim of a check that is gone', async () => {
    const { world, survey } = check({ machines: 1 });
    world.kube.put(aMachineHealthCheck('other'));
    world.annotate(1, { [REMEDIATED_BY_ANNOTATION]: 'other uid-of-other' });
    expect((await survey()).suspects).toMatchObject([{ claim: { name: 'other', uid: 'uid-of-other' } }]);
    world.annotate(1, { [REMEDIATED_BY_ANNOTATION]: 'other uid-of-an-older-one' });
    expect((await survey()).suspects).toEqual([]);
  });

  it('says what is paused, itself or its Cluster', async () => {
    const { world, survey } = check();
    world.say(1, 'Unknown');
    world.say(2, 'Unknown');
    world.annotate(1, { [PAUSED_ANNOTATION]: '' });
    expect((await survey()).suspects.map(({ pausedBy }) => pausedBy)).toEqual(['it', undefined]);
    world.kube.put(aCluster({ paused: true }));
    const paused = await survey();
    expect(paused.suspects.map(({ pausedBy }) => pausedBy)).toEqual(['it', expect.stringContaining('Cluster')]);
    // Its sets make no machines meanwhile: no slot waits for one.
    expect(Object.values(paused.sets)).toMatchObject([{ isHeld: true }]);
  });

  it('says that the check is gone, or malformed', async () => {
    const { world, look } = check();
    world.change({ maxUnhealthy: 'abc' });
    expect(await look()).toMatchObject({ found: 'malformed', message: expect.stringContaining('maxUnhealthy') });
    world.lose();
    expect(await look()).toEqual({ found: false });
  });
});

describe('a step for a Machine', () => {
  it('is not taken where another check has it in hand, also while it is being deleted for that', async () => {
    const { world, remediate } = check();
    world.say(1, 'False');
    const annotations = { [REMEDIATED_BY_ANNOTATION]: writeHealthClaim({ name: 'another', uid: 'uid-of-another' }) };
    const machine = world.machine(1);
    if (machine === undefined) throw new Error('there is none');
    const metadata = {
      ...machine.metadata,
      annotations,
      finalizers: ['held'],
      deletionTimestamp: '2026-01-01T00:00:00Z',
    };
    world.kube.put(aMachineHealthCheck('another'));
    world.kube.put({ ...machine, metadata });
    expect(await remediate(1)).toEqual({ outcome: 'notNow', message: 'another remediates it' });
  });

  it('deletes it as it is, says who does so and why, and how long its drain may last', async () => {
    const { world, remediate } = check();
    world.say(1, 'False');
    expect(await remediate(1)).toMatchObject({ outcome: 'done' });
    expect(world.deleted).toEqual([1]);
    const { metadata, spec } = world.machine(1) ?? {};
    expect(spec?.drain).toMatchObject({ timeout: '600s', onTimeout: 'Wait' });
    expect(metadata?.annotations?.[REMEDIATED_BY_ANNOTATION]).toBe('check uid-of-check');
    expect(metadata?.annotations?.[CAUSE_ANNOTATION]).toMatch(/^\S+Z MachineHealthCheck default\/check: it is ill$/);
    expect(world.events).toMatchObject([{ reason: 'MachineDeleted', message: expect.stringContaining('it is ill') }]);
    world.requests.length = 0;
    expect(await remediate(1)).toMatchObject({ outcome: 'done' });
    expect(world.requests.filter(({ verb }) => verb !== 'get')).toEqual([]);
  });

  it('lets the drain end by force where its Node cannot answer, and no more when it does', async () => {
    const { world, remediate } = check();
    world.say(1, 'Unknown');
    await remediate(1);
    expect(world.machine(1)?.spec.drain?.onTimeout).toBe('Force');
    world.say(1, 'True');
    await remediate(1);
    expect(world.machine(1)?.spec.drain?.onTimeout).toBe('Wait');
  });

  it('tells a drain no other end where the API server was away: a Node that was not heard then may answer', async () => {
    const { world, remediate } = check();
    world.say(1, 'False');
    await remediate(1);
    world.say(1, 'Unknown');
    const now = world.clock.timeOfDay();
    world.workflows.outages = [{ from: iso(now - 20_000), until: iso(now - 5000) }];
    expect(await remediate(1)).toMatchObject({ outcome: 'notNow', message: expect.stringContaining('was away') });
    expect(world.machine(1)?.spec.drain?.onTimeout).toBe('Wait');
    world.workflows.outages = [];
    await remediate(1);
    expect(world.machine(1)?.spec.drain?.onTimeout).toBe('Force');
  });

  it('changes how a drain ends that it has said itself, whatever its step says by now', async () => {
    const { world, remediate } = check();
    world.say(1, 'Unknown');
    await remediate(1);
    world.say(1, 'True');
    await remediate(1, { ...REPLACE, drainTimeoutMs: 1_200_000 });
    expect(world.machine(1)?.spec.drain).toEqual({ timeout: '1200s', onTimeout: 'Wait' });
  });

  it('leaves how a drain ends where a person has said that, also where it says the same', async () => {
    const { world, remediate } = check();
    const spec = { drain: { timeout: '600s', onTimeout: 'Wait' } };
    await world.kube.others.mergePatch(MACHINES, 'default', 'm-1', { spec }, { fieldManager: 'kubectl-edit' });
    world.say(1, 'Unknown');
    await remediate(1);
    expect([world.machine(1)?.spec.drain, world.deleted]).toEqual([spec.drain, [1]]);
  });

  it('takes off how its drain ends when it lets a Machine go that stays', async () => {
    const { world, remediate, release } = check();
    world.say(1, 'Unknown');
    world.onRequest = before({ verb: 'delete', resource: MACHINES }, () => {
      throw new KubeError(403, 'Forbidden', 'a webhook says no');
    });
    await remediate(1);
    expect(world.machine(1)?.spec.drain).toMatchObject({ onTimeout: 'Force' });
    await release(1);
    expect(world.machine(1)?.spec.drain ?? {}).toEqual({});
  });

  it('counts a Node that has told nothing of its Ready as one that cannot answer', async () => {
    const { world, remediate } = check();
    await world.kube.others.mergePatch(
      NODES,
      undefined,
      'n-1',
      { status: { conditions: [] } },
      { subresource: 'status' },
    );
    world.annotate(1, { 'machine.openshift.io/remediate': 'its disk is slow' });
    await remediate(1, REPLACE, ['wished']);
    expect(world.machine(1)?.spec.drain?.onTimeout).toBe('Force');
  });

  it("leaves the drain's time-out of the Machine as it is", async () => {
    const { world, remediate } = check();
    world.edit(
      1,
      (machine) => ({ ...machine, spec: { ...machine.spec, drain: { timeout: '1h', onTimeout: 'Wait' } } }) as never,
    );
    world.say(1, 'Unknown');
    await remediate(1);
    expect(world.machine(1)?.spec.drain).toEqual({ timeout: '1h', onTimeout: 'Wait' });
    expect(world.deleted).toEqual([1]);
  });

  it.each<[string, (world: HealthWorld) => void, string]>([
    ['it is well again', (world) => world.say(1, 'True'), 'healthy again'],
    [
      'somebody wants it left alone',
      (world) => world.annotate(1, { 'machine.openshift.io/skip-remediation': '' }),
      'left alone',
    ],
    ['it is paused', (world) => world.annotate(1, { [PAUSED_ANNOTATION]: '' }), 'paused'],
    [
      'another check has it in hand',
      (world) => {
        world.kube.put(aMachineHealthCheck('other'));
        world.annotate(1, { [REMEDIATED_BY_ANNOTATION]: 'other uid-of-other' });
      },
      'other',
    ],
    [
      'another program has',
      (world) => world.annotate(1, { 'host.metal3.io/external-remediation': '' }),
      'another program',
    ],
    ['its Cluster is paused', (world) => world.kube.put(aCluster({ paused: true })), 'Cluster'],
    ['its check is paused', (world) => world.changeMeta({ annotations: { [PAUSED_ANNOTATION]: '' } }), 'paused'],
    ['its check is malformed', (world) => world.change({ maxUnhealthy: 'abc' }), 'malformed'],
    [
      'its check is being deleted',
      (world) => world.changeMeta({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/keep'] }),
      'being deleted',
    ],
    ['its check is gone', (world) => world.lose(), 'gone'],
    [
      'nobody controls it',
      (world) =>
        world.edit(1, ({ metadata, ...machine }) => ({ ...machine, metadata: { ...metadata, ownerReferences: [] } })),
      'no controller',
    ],
  ])('is not taken where by now %s', async (_words, change, message) => {
    const { world, remediate } = check();
    world.say(1, 'Unknown');
    change(world);
    expect(await remediate(1)).toEqual({ outcome: 'notNow', message: expect.stringContaining(message) });
    expect(world.deleted).toEqual([]);
  });

  it('is not taken where the check was edited since that was decided', async () => {
    const { world, remediate, survey } = check();
    world.say(1, 'Unknown');
    const { generation } = await survey();
    world.change({ maxUnhealthy: 0 });
    expect(await remediate(1, REPLACE, [NOT_READY], undefined, generation)).toEqual({
      outcome: 'notNow',
      message: expect.stringContaining('was edited'),
    });
    expect(world.deleted).toEqual([]);
    const now = (await survey()).generation;
    expect(await remediate(1, REPLACE, [NOT_READY], undefined, now)).toMatchObject({ outcome: 'done' });
  });

  it('is taken where the check that had it in hand is gone', async () => {
    const { world, remediate } = check();
    world.say(1, 'Unknown');
    world.annotate(1, { [REMEDIATED_BY_ANNOTATION]: 'other uid' });
    expect(await remediate(1)).toMatchObject({ outcome: 'done' });
    expect(world.machine(1)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toBe('check uid-of-check');
  });

  it('is not taken where the Machine changes in that very moment', async () => {
    const { world, remediate } = check();
    world.say(1, 'Unknown');
    world.onRequest = before({ verb: 'mergePatch', resource: MACHINES }, () => world.annotate(1, { some: 'thing' }));
    expect(await remediate(1)).toMatchObject({ outcome: 'notNow' });
    expect(world.deleted).toEqual([]);
  });

  it.each<RemediationStep>([
    { action: 'Reboot', drainTimeoutMs: 600_000, maxReboots: 2 },
    { action: 'Annotate', key: 'remedy.example', value: 'please' },
  ])('is not taken for a Machine that another check has deleted meanwhile: $action', async (step) => {
    const { world, remediate } = check();
    const claim = writeHealthClaim({ name: 'another', uid: 'uid-of-another' });
    world.add(7, { deleting: true, metadata: { annotations: { [REMEDIATED_BY_ANNOTATION]: claim } } });
    world.say(7, 'Unknown');
    expect(await remediate(7, step)).toMatchObject({ outcome: 'notNow', message: 'it is being deleted' });
    expect(world.annotationsOf(7)).toEqual({ [REMEDIATED_BY_ANNOTATION]: claim });
  });

  it('is not taken where the API server was away since that was decided', async () => {
    const { world, remediate } = check();
    world.say(1, 'Unknown');
    const now = world.clock.timeOfDay();
    world.workflows.outages = [{ from: iso(now - 20_000), until: iso(now - 5000) }];
    expect(await remediate(1)).toMatchObject({ outcome: 'notNow', message: expect.stringContaining('was away') });
    expect(world.machine(1)?.metadata.deletionTimestamp).toBeUndefined();
    world.workflows.outages = [{ from: iso(now - 120_000), until: iso(now - 60_000) }];
    expect(await remediate(1)).toMatchObject({ outcome: 'done' });
  });

  it('is not taken where all machines were looked at long ago, unless it was begun by then', async () => {
    const { world, remediate, survey } = check();
    world.say(1, 'Unknown');
    const now = world.clock.timeOfDay();
    expect((await survey()).seenAt).toBe(now);
    // Its requests take some time as well.
    const seenAgo = (ms: number) => remediate(1, REPLACE, [NOT_READY], world.clock.timeOfDay() - ms);
    expect(await seenAgo(30_001)).toEqual({ outcome: 'notNow', message: expect.stringContaining('30 s ago') });
    expect(world.machine(1)?.metadata.deletionTimestamp).toBeUndefined();
    expect(await seenAgo(28_000)).toMatchObject({ outcome: 'done' });
    expect(await seenAgo(60_000)).toMatchObject({ outcome: 'done' });
  });

  it('says that the Machine is gone, and what the API server refuses', async () => {
    const { world, remediate } = check();
    world.say(1, 'Unknown');
    world.onRequest = before({ verb: 'delete' }, () => {
      throw new KubeError(403, 'Forbidden', 'a webhook says no');
    });
    expect(await remediate(1)).toEqual({ outcome: 'refused', message: expect.stringContaining('a webhook says no') });
    expect(world.events).toMatchObject([{ type: 'Warning', reason: 'MachineDeletionFailed' }]);
    world.endMachine(1);
    expect(await remediate(1)).toEqual({ outcome: 'gone' });
  });

  it('annotates it for another program, and lets go of it when that is over', async () => {
    const { world, remediate, release, survey } = check();
    world.say(1, 'Unknown');
    const step = { action: 'Annotate', key: 'example.com/remedy', value: 'reboot' } as const;
    expect(await remediate(1, step)).toEqual({ outcome: 'done' });
    expect(world.machine(1)?.metadata.annotations).toMatchObject({ 'example.com/remedy': 'reboot' });
    world.say(1, 'True');
    expect(await survey()).toMatchObject({ healthy: 2, suspects: [{ name: 'm-1', causes: [] }] });
    await release(1);
    expect(world.machine(1)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toBeUndefined();
    expect(await survey()).toMatchObject({ healthy: 3 });
  });

  it('ends a reboot that is wanted when another step comes', async () => {
    const { world, remediate } = check();
    world.say(1, 'Unknown');
    const wish = writeRebootWish({ id: '2026-01-01T00:00:00Z', causes: [] });
    const wanted = () => world.machine(1)?.metadata.annotations?.[REBOOT_ANNOTATION];
    world.annotate(1, { [REBOOT_ANNOTATION]: wish });
    expect(wanted()).toBe(wish);
    await remediate(1, { action: 'Annotate', key: 'example.com/remedy', value: 'reboot' });
    expect(wanted()).toBeUndefined();
  });

  it('goes on with what it annotated for another program itself, and takes that off in the end', async () => {
    const { world, remediate, release } = check();
    world.say(1, 'Unknown');
    const step = { action: 'Annotate', key: 'host.metal3.io/external-remediation', value: '' } as const;
    expect(await remediate(1, step)).toEqual({ outcome: 'done' });
    expect(await remediate(1, step)).toEqual({ outcome: 'done' });
    expect(world.events.map(({ reason }) => reason)).toContain('ExternalAnnotationAdded');
    expect(await remediate(1)).toMatchObject({ outcome: 'done' });
    expect(world.deleted).toEqual([1]);
    world.say(2, 'Unknown');
    await remediate(2, { action: 'Annotate', key: 'example.com/remedy', value: 'reboot' });
    await release(2);
    expect(world.machine(2)?.metadata.annotations?.['example.com/remedy']).toBeUndefined();
  });

  it('annotates one that nobody controls, and deletes it not', async () => {
    const { world, remediate } = check();
    world.say(1, 'Unknown');
    world.edit(1, ({ metadata, ...machine }) => ({ ...machine, metadata: { ...metadata, ownerReferences: [] } }));
    expect(await remediate(1, { action: 'Annotate', key: 'example.com/remedy', value: '' })).toEqual({
      outcome: 'done',
    });
    expect(await remediate(1)).toMatchObject({ outcome: 'notNow' });
  });

  it('tells what others wrote in a few words, however many they wrote', async () => {
    const { world, survey } = check();
    world.annotate(1, { 'machine.openshift.io/remediate': 'x'.repeat(100_000) });
    world.say(2, 'Unknown', { reason: 'y'.repeat(100_000) });
    const seen = await survey();
    expect(JSON.stringify(seen).length).toBeLessThan(5000);
  });

  it('finds its claim on a Machine that it does not select any more; that of a check which does not counts for nobody', async () => {
    const { world, survey } = check();
    world.annotate(1, { [REMEDIATED_BY_ANNOTATION]: 'check uid-of-check' });
    world.annotate(2, { [REMEDIATED_BY_ANNOTATION]: 'other uid-of-other' });
    world.kube.put(aMachineHealthCheck('other', { selector: { matchLabels: { set: 'others' } } }));
    expect((await survey()).suspects.map(({ name }) => name)).toEqual(['m-1']);
    world.change({ selector: { matchLabels: { set: 'others' } } });
    expect(await survey()).toMatchObject({ suspects: [], claimed: [{ name: 'm-1', uid: 'uid-of-m-1' }] });
  });

  it('takes a wish off by all its names, unless another check has the Machine in hand', async () => {
    const { world, fulfil } = check();
    const wish = { 'machine.openshift.io/remediate': 'disk', 'cluster.x-k8s.io/remediate-machine': '' };
    world.annotate(1, { ...wish, [REMEDIATED_BY_ANNOTATION]: 'check uid-of-check' });
    world.annotate(2, { ...wish, [REMEDIATED_BY_ANNOTATION]: 'other uid' });
    await fulfil(1);
    await fulfil(2);
    expect(world.machine(1)?.metadata.annotations).toEqual({ [REMEDIATED_BY_ANNOTATION]: 'check uid-of-check' });
    expect(world.machine(2)?.metadata.annotations).toMatchObject(wish);
    world.requests.length = 0;
    await fulfil(1);
    expect(world.requests.filter(({ verb }) => verb !== 'get')).toEqual([]);
  });

  it('tells which of its own annotations for other programs a Machine bears', async () => {
    const { world, survey, remediate } = check({
      spec: { remediation: { steps: [{ action: 'Annotate', key: 'example.com/remedy', value: 'reboot' }] } },
    });
    world.say(1, 'Unknown');
    expect((await survey()).suspects[0]).not.toHaveProperty('marks');
    await remediate(1, { action: 'Annotate', key: 'example.com/remedy', value: 'reboot' });
    expect((await survey()).suspects[0]).toMatchObject({ marks: ['example.com/remedy'] });
    world.annotate(1, { 'example.com/remedy': 'done' });
    expect((await survey()).suspects[0]).not.toHaveProperty('marks');
  });

  it('takes back what each step had asked other programs for, whatever its steps are by then', async () => {
    const { world, remediate, release } = check();
    world.say(1, 'Unknown');
    await remediate(1, { action: 'Annotate', key: 'example.com/first', value: 'reboot' });
    await remediate(1, { action: 'Annotate', key: 'example.com/second', value: 'inspect' });
    world.annotate(1, { 'example.com/second': 'theirs by now', 'example.com/other': 'reboot' });
    await release(1);
    expect(world.machine(1)?.metadata.annotations).toEqual({
      'example.com/second': 'theirs by now',
      'example.com/other': 'reboot',
    });
  });

  it('takes back what a check that is gone had asked for, where it has the Machine after it', async () => {
    const { world, remediate, release } = check();
    world.say(1, 'Unknown');
    world.annotate(1, {
      [REMEDIATED_BY_ANNOTATION]: 'gone uid-of-gone',
      [ASKED_OF_OTHERS_ANNOTATION]: JSON.stringify({ annotations: { 'example.com/theirs': 'x' }, templates: [] }),
      'example.com/theirs': 'x',
    });
    await remediate(1, { action: 'Annotate', key: 'example.com/remedy', value: 'reboot' });
    await release(1);
    expect(world.machine(1)?.metadata.annotations).toBeUndefined();
  });

  it('leaves what somebody else had annotated before as it is', async () => {
    const { world, remediate, release } = check();
    world.say(1, 'Unknown');
    world.annotate(1, { 'example.com/remedy': 'reboot' });
    await remediate(1, { action: 'Annotate', key: 'example.com/remedy', value: 'reboot' });
    await release(1);
    expect(world.machine(1)?.metadata.annotations).toEqual({ 'example.com/remedy': 'reboot' });
  });

  it('sees to a Machine that a check which is gone had left to another program; not to what others leave to one', async () => {
    const { world, survey, remediate } = check();
    const external = { 'host.metal3.io/external-remediation': '' };
    const asked = JSON.stringify({ annotations: external, templates: [] });
    const dead = { [REMEDIATED_BY_ANNOTATION]: 'gone uid-of-gone' };
    world.annotate(1, { ...dead, ...external, [ASKED_OF_OTHERS_ANNOTATION]: asked });
    world.annotate(2, { ...dead, ...external });
    expect((await survey()).suspects).toMatchObject([{ name: 'm-2', isExternal: true }]);
    for (const n of [1, 2]) world.say(n, 'Unknown');
    expect(await remediate(1)).toMatchObject({ outcome: 'done' });
    expect(await remediate(2)).toEqual({ outcome: 'notNow', message: 'another program remediates it' });
  });

  it('lets go of no Machine that another check has', async () => {
    const { world, release } = check();
    world.annotate(1, { [REMEDIATED_BY_ANNOTATION]: 'other uid' });
    await release(1);
    expect(world.machine(1)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toBe('other uid');
    expect(world.machine(1)?.metadata.namespace).toBe(NAMESPACE);
  });
});

describe('a remediation by a template', () => {
  const RESOURCE = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1', namespaced: true };
  const REMEDIATIONS: Resource = { ...RESOURCE, kind: 'Metal3Remediation', plural: 'metal3remediations' };
  const TEMPLATES: Resource = { ...RESOURCE, kind: 'Metal3RemediationTemplate', plural: 'metal3remediationtemplates' };
  const template = { apiVersion: RESOURCE.apiVersion, kind: TEMPLATES.kind, name: 'reboot' };
  const STEP: RemediationStep = { action: 'Template', template };
  const CLAIM = { [REMEDIATED_BY_ANNOTATION]: 'check uid-of-check' };

  /** @param content of the template; undefined: there is none */
  function external(content: object | undefined = { spec: { strategy: { type: 'Reboot' } } }) {
    const all = check({ spec: { remediationTemplate: template } });
    const { world } = all;
    for (const resource of [REMEDIATIONS, TEMPLATES]) world.kube.serve(resource);
    const { apiVersion, kind, name } = template;
    const metadata = { namespace: NAMESPACE, name };
    world.kube.put({ apiVersion, kind, metadata, spec: { template: content } } as never);
    world.say(1, 'Unknown');
    return {
      ...all,
      made: () => world.kube.all(REMEDIATIONS),
      release: () => all.release(1),
    };
  }

  it('makes one object with the name of the Machine, which belongs to it, of what the template says', async () => {
    const { world, remediate, made, survey } = external({
      apiVersion: 'machine.openshift.io/v1beta1',
      kind: 'Machine',
      metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['stay'], name: 'another' },
      spec: { strategy: { type: 'Reboot', retryLimit: 1 } },
    });
    expect(await remediate(1, STEP)).toEqual({ outcome: 'done' });
    expect(await remediate(1, STEP)).toEqual({ outcome: 'done' });
    expect(made()).toMatchObject([
      {
        kind: 'Metal3Remediation',
        metadata: {
          name: 'm-1',
          labels: { a: 'b' },
          annotations: {
            c: 'd',
            'machine.openshift.io/cloned-from-name': 'reboot',
            'machine.openshift.io/cloned-from-groupkind': 'Metal3RemediationTemplate.infrastructure.cluster.x-k8s.io',
          },
          ownerReferences: [
            { apiVersion: 'machine.openshift.io/v1beta1', kind: 'Machine', name: 'm-1', uid: 'uid-of-m-1' },
          ],
        },
        spec: { strategy: { type: 'Reboot', retryLimit: 1 } },
      },
    ]);
    expect(made()[0]?.metadata).not.toHaveProperty('finalizers');
    expect(world.machine(1)?.metadata.annotations).toMatchObject(CLAIM);
    expect(world.events.map(({ reason }) => reason)).toContain('ExternalRemediationRequestCreated');
    expect((await survey()).suspects).toMatchObject([{ name: 'm-1', marks: ['requested'] }]);
    expect(world.deleted).toEqual([]);
  });

  it('says in the look that the template is not there, cannot be read or says nothing, and makes nothing of it', async () => {
    const { world, remediate, survey, made } = external();
    expect(await survey()).not.toHaveProperty('templateProblem');
    world.kube.drop(TEMPLATES, NAMESPACE, 'reboot');
    const missing = `there is no Metal3RemediationTemplate ${NAMESPACE}/reboot`;
    expect(await survey()).toMatchObject({ templateProblem: missing });
    expect(await remediate(1, STEP)).toEqual({ outcome: 'refused', message: missing });
    expect(world.events.at(-1)).toMatchObject({
      type: 'Warning',
      reason: 'ExternalRemediationRequestCreationFailed',
      message: expect.stringContaining(missing),
    });
    world.onRequest = before({ resource: TEMPLATES }, () => {
      throw new KubeError(403, 'Forbidden', 'denied');
    });
    expect((await survey()).templateProblem).toMatch(/permission to get metal3remediationtemplates\.infrastructure/);
    expect(made()).toEqual([]);
    const empty = check({ spec: { remediationTemplate: template } });
    expect((await empty.survey()).templateProblem).toBe(
      'the API server has no Metal3RemediationTemplate of infrastructure.cluster.x-k8s.io/v1beta1',
    );
  });

  it('goes on where the definitions that were there are gone, and says so', async () => {
    const { world, remediate, release, survey } = external();
    await remediate(1, STEP);
    for (const resource of [TEMPLATES, REMEDIATIONS]) world.kube.withdraw(resource);
    const seen = await survey();
    expect(seen.templateProblem).toBe(`the API server has no ${TEMPLATES.kind} of ${RESOURCE.apiVersion}`);
    expect(seen.suspects[0]).not.toHaveProperty('marks');
    world.kube.restore(TEMPLATES);
    const message = `the API server has no ${REMEDIATIONS.kind} of ${RESOURCE.apiVersion}`;
    expect(await remediate(1, STEP)).toEqual({ outcome: 'refused', message });
    await release();
    expect(world.machine(1)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toBeUndefined();
  });

  it('leaves an object of that name alone which is of another Machine, and says so', async () => {
    const { world, remediate, release, made } = external();
    const { apiVersion, kind } = REMEDIATIONS;
    world.kube.put({ apiVersion, kind, metadata: { namespace: NAMESPACE, name: 'm-1' } });
    const message = 'there is a Metal3Remediation m-1 which is not of this Machine';
    expect(await remediate(1, STEP)).toEqual({ outcome: 'refused', message });
    await release();
    expect(made()).toHaveLength(1);
  });

  it('goes on looking where it may not read what it asked for: that may be there', async () => {
    const { world, remediate, survey } = external();
    await remediate(1, STEP);
    world.onRequest = before({ verb: 'get', resource: REMEDIATIONS }, () => {
      throw new KubeError(403, 'Forbidden', 'no remediations for you');
    });
    expect((await survey()).suspects).toMatchObject([{ name: 'm-1', marks: ['requested'] }]);
  });

  it('says what the API server refuses', async () => {
    const { world, remediate } = external();
    world.onRequest = before({ resource: REMEDIATIONS }, () => {
      throw new KubeError(403, 'Forbidden', 'no remediations for you');
    });
    expect(await remediate(1, STEP)).toMatchObject({ outcome: 'refused', message: 'no remediations for you' });
  });

  it('is not made while the one of before is being deleted', async () => {
    const { world, remediate, made } = external();
    await remediate(1, STEP);
    const [before] = made();
    if (before === undefined) throw new Error('none was made');
    world.kube.put({
      ...before,
      metadata: { ...before.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/keep'] },
    });
    expect(await remediate(1, STEP)).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('of before is being deleted still'),
    });
  });

  it('is not begun for a Machine that is being deleted', async () => {
    const { world, remediate, made } = external();
    world.add(7, { deleting: true });
    expect(await remediate(7, STEP)).toMatchObject({ outcome: 'notNow' });
    expect(made()).toEqual([]);
  });

  it('deletes the object also where the check has another template by then', async () => {
    const { world, remediate, release, made } = external();
    await remediate(1, STEP);
    world.change({ remediationTemplate: { ...template, name: 'another' } });
    world.say(1, 'True');
    await release();
    expect(made()).toEqual([]);
    expect(world.machine(1)?.metadata.annotations).toBeUndefined();
  });

  it('deletes the object when the Machine is let go of, once; also where its worker died in between', async () => {
    const { world, remediate, release, made, survey } = external();
    await remediate(1, STEP);
    world.say(1, 'True');
    world.onRequest = before({ verb: 'mergePatch', resource: MACHINES }, () => {
      throw new KubeError(503, 'Unavailable', 'away');
    });
    await expect(release()).rejects.toThrow();
    expect(made()).toEqual([]);
    world.onRequest = (_request, carryOut) => carryOut();
    expect((await survey()).suspects[0]).not.toHaveProperty('marks');
    await release();
    expect(world.machine(1)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toBeUndefined();
    expect(await survey()).toMatchObject({ healthy: 3 });
  });
});

describe('the outages of the API server', () => {
  const OUTAGE = { from: '2026-01-01T00:00:00.000Z', until: '2026-01-01T00:01:00.000Z' };

  it('are asked for where a machine is not well', async () => {
    const { world, survey } = check();
    world.workflows.outages = [OUTAGE];
    expect(await survey()).toMatchObject({ outages: [] });
    expect(world.workflows.askedForOutages).toBe(0);
    world.say(1, 'Unknown');
    expect(await survey()).toMatchObject({ outages: [OUTAGE] });
  });

  it('are asked for where one was not well before: for how long is still counted', async () => {
    const { world } = check();
    world.workflows.outages = [OUTAGE];
    const request = { ref: world.ref, clusterUid: CLUSTER_UID, underway: [], sightedAt: 0 } as const;
    expect(await world.run((activities) => activities.surveyHealth(request))).toMatchObject({ outages: [OUTAGE] });
  });

  it.each([
    ['nobody knows them', new Error('workflow not found'), 0],
    ['nobody answers', 'never', 2000],
  ] as const)('are those that were known before where %s, and the look is not held up', async (_words, outages, ms) => {
    const { world, survey } = check();
    world.workflows.outages = outages;
    world.say(1, 'Unknown');
    const before = world.clock.now();
    expect(await survey()).toMatchObject({ healthy: 2, outages: [] });
    const took = world.clock.now() - before;
    expect(took).toBeGreaterThanOrEqual(ms);
    expect(took).toBeLessThan(ms + 200);
    const request = { ref: world.ref, clusterUid: CLUSTER_UID, underway: [], lastOutages: [OUTAGE] } as const;
    const again = await world.run((activities) => activities.surveyHealth(request));
    expect(again).toMatchObject({ outages: [OUTAGE] });
  });
});

it('the status of a check is not taken back by a worker that stood still since its look', async () => {
  const { world, survey } = check();
  const { seen } = await survey();
  const status = {
    observedGeneration: 1,
    expectedMachines: 3,
    currentHealthy: 3,
    remediationsAllowed: 3,
    remediationsInFlight: 0,
    remediationsInFlightLimit: 2,
    unhealthyMachines: [],
    conditions: [],
  };
  const write = (currentHealthy: number) =>
    world.run((activities) =>
      activities.writeHealthStatus({
        ref: world.ref,
        clusterUid: CLUSTER_UID,
        status: { ...status, currentHealthy },
        events: [],
        ...given({ seen }),
      }),
    );
  await write(2);
  await survey();
  await expect(write(3)).rejects.toMatchObject({ type: OBJECT_CHANGED });
  expect((await survey()).status).toMatchObject({ currentHealthy: 2 });
});
