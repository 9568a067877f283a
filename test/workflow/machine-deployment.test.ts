import { describe, expect, it } from '@jest/globals';
import { MACHINE_SETS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { PAUSED_ANNOTATION, PAUSED_BY_TAKE_OVER } from '../../k8s/model/paused-annotation.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { aMachineDeployment } from '../world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../world/builders/a-machine-set.ts';
import { before } from '../world/kubernetes/request.ts';
import { diesAfter, type ActivityPassage } from '../world/world.ts';
import type { RolloutWorld } from '../world/rollout-world.ts';
import { realMachineDeployment } from './real-machine-deployment.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const NEW_SET_AVAILABLE = 'NewReplicaSetAvailable';

/** A deployment of three machines that is rolled out. */
async function rolledOut(name: string, facts: Parameters<typeof realMachineDeployment>[2] = {}) {
  const real = await realMachineDeployment(temporal, name, facts);
  await real.rounds(() => real.world.condition('Progressing')?.reason === NEW_SET_AVAILABLE);
  return real;
}

const made = (at: number) => ({
  type: 'MachineCreation',
  status: 'True' as const,
  lastTransitionTime: new Date(at).toISOString(),
});

/** The worker dies when this is done for the first time, and no workflow hears of it. */
function losesTaskAfter(activity: string): ActivityPassage {
  let isDue = true;
  return async (name, run) => {
    const answer = await run();
    if (name === activity && isDue) {
      isDue = false;
      await temporal.loseTask();
    }
    return answer;
  };
}

/** Another template is released then, and its first Machine was launched just now. */
async function launchedNew(...given: Parameters<typeof rolledOut>) {
  const real = await rolledOut(...given);
  const { world, tell, runSets } = real;
  world.release('2');
  for (let n = 0; n < 4; n += 1) {
    await tell(() => {});
    await runSets();
  }
  await tell(() => world.tellNew({ phase: 'Provisioned', conditions: [made(temporal.clock.timeOfDay())] }));
  return real;
}

describe('a machine deployment', () => {
  it('has its machines made by a set of its template, and says when they are available', async () => {
    const { world } = await rolledOut('made');
    expect(world.sets).toHaveLength(1);
    expect(world.sets[0]).toMatchObject({
      metadata: {
        labels: { 'cluster.x-k8s.io/deployment-name': 'made' },
        annotations: { 'machinedeployment.clusters.x-k8s.io/revision': '1' },
        ownerReferences: [{ kind: 'MachineDeployment', name: 'made', controller: true }],
      },
      spec: { replicas: 3, maxMachines: 4 },
    });
    expect(world.status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 0,
      revision: 1,
      labelSelector: 'pool=made',
    });
    expect(world.condition('Available')).toMatchObject({ status: 'True', reason: 'MinimumReplicasAvailable' });
  });

  it('replaces them one by one when its template changes, and never has more than one besides', async () => {
    const { world, round } = await rolledOut('rolled');
    world.release('2');
    const seen: number[] = [];
    for (let n = 0; n < 25 && (world.versions['2'] !== 3 || world.machines.length > 3); n += 1) {
      await round();
      seen.push(world.machines.length);
    }
    expect(Math.max(...seen)).toBe(4);
    expect(world.versions).toEqual({ 2: 3 });
    for (let n = 0; n < 3; n += 1) await round();
    expect(world.condition('Progressing')).toMatchObject({ status: 'True', reason: NEW_SET_AVAILABLE });
    expect(world.status.revision).toBe(2);
  });

  it('has its machines follow how their Nodes look and how they go, and replaces none for that', async () => {
    const { world, round } = await rolledOut('settled');
    const before = world.machines.map(({ metadata }) => metadata.uid);
    world.settle({ metadata: { labels: { tier: 'gold' } }, drain: { timeout: '1h' } });
    for (let n = 0; n < 4; n += 1) await round();
    const followed = { metadata: { labels: { tier: 'gold' } }, drain: { timeout: '1h' } };
    expect(world.machines).toMatchObject([{ spec: followed }, { spec: followed }, { spec: followed }]);
    world.settle({ metadata: {}, drain: {} });
    for (let n = 0; n < 4; n += 1) await round();
    for (const { spec } of world.machines) expect(spec).toEqual({ providerSpec: spec.providerSpec });
    expect(world.machines.map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(world.sets).toHaveLength(1);
    expect(world.status.revision).toBe(1);
  });

  it('gives machines of an earlier template only how they go, not how the Nodes of the new one look', async () => {
    const { world, round, rounds } = await rolledOut('both');
    world.release('2');
    await rounds(() => world.versions['2'] === 1);
    world.settle({ metadata: { labels: { tier: 'gold' } }, drain: { timeout: '1m' } });
    await round();
    await round();
    const versionOf = (name: string) =>
      world.machines.filter((each) => (each.metadata.annotations?.['example.com/version'] ?? 'first') === name);
    expect(versionOf('2').length * versionOf('first').length).toBeGreaterThan(0);
    for (const { spec } of versionOf('first')) expect(spec).toMatchObject({ drain: { timeout: '1m' } });
    for (const { spec } of versionOf('first')) expect(spec).not.toHaveProperty('metadata');
    for (const { spec } of versionOf('2')) expect(spec).toMatchObject({ metadata: { labels: { tier: 'gold' } } });
  });

  it('says on its machines that it rolls, and which of them go, while it does', async () => {
    const { world, round, rounds } = await rolledOut('marked');
    const words = () =>
      world.machines.map(({ metadata }) => metadata.annotations?.['millwright.dev/rollout'] ?? 'none').sort();
    expect(words()).toEqual(['none', 'none', 'none']);
    world.release('2');
    await rounds(() => world.versions['2'] === 1);
    await round();
    expect(new Set(words())).toEqual(new Set(['outdated', 'rolling']));
    world.change({ paused: true });
    for (let n = 0; n < 3; n += 1) await round();
    expect(new Set(words())).toEqual(new Set(['none']));
    world.change({ paused: false });
    await rounds(() => words().includes('outdated'));
    await rounds(() => words().every((word) => word === 'none') && world.machines.length === 3, 40);
    expect(words()).toEqual(['none', 'none', 'none']);
    expect(world.versions).toEqual({ 2: 3 });
  });

  it('says why an old machine goes', async () => {
    const { world, tell, round, runSets } = await rolledOut('told');
    world.release('2');
    await round();
    await round();
    for (let n = 0; n < 6 && world.causes.length === 0; n += 1) {
      await tell(() => world.say('True'));
      await runSets();
    }
    expect(world.causes[0]).toMatch(/Z rollout: MachineDeployment \S+ replaces the machines of revision 1,/);
  });

  it('takes no old machine while new ones do not become Ready', async () => {
    const { world, tell, runSets } = await rolledOut('stuck');
    world.release('broken');
    for (let n = 0; n < 8; n += 1) {
      await tell(() => {});
      await runSets();
      world.endMachines();
    }
    expect(world.versions).toEqual({ first: 3, broken: 1 });
    expect(world.status).toMatchObject({ updatedReplicas: 1, availableReplicas: 3 });
    expect(world.condition('Progressing')?.message).toContain(
      '1 of 3 machines are of revision 2, of which 0 are available',
    );
  });

  const EAGER = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } } as never;
  it('stops before it takes more old ones when a new one fails, and goes on when it is told to', async () => {
    const { world, tell, runSets, rounds, handle } = await rolledOut('fails', { spec: EAGER });
    world.release('2');
    await tell(() => {});
    for (let n = 0; n < 4; n += 1) {
      await tell(() => {});
      await runSets();
      world.endMachines();
    }
    const left = world.versions['first'];
    expect(left).toBe(2);
    await tell(() =>
      world.tellNew({ phase: 'Failed', errorReason: 'JoinClusterTimeoutError', errorMessage: 'no Node' }),
    );
    await temporal.pass(3);
    expect(world.deployment?.spec.paused).toBe(true);
    expect(world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'NewMachinesFailed' });
    expect(world.condition('Progressing')?.message).toMatch(
      /Machine fails-.*: it failed: no Node.*The rollout is paused/,
    );
    expect(world.events.filter(({ reason }) => reason === 'RolloutStopped')).toHaveLength(1);
    for (let n = 0; n < 3; n += 1) {
      await tell(() => {});
      await runSets();
      world.endMachines();
    }
    expect(world.versions['first']).toBe(left);
    // What had failed counts no more.
    await tell(() => world.change({ paused: false }));
    await temporal.pass(5);
    expect(world.deployment?.spec.paused).toBe(false);
    await rounds(() => world.versions['2'] === 3 && world.machines.length === 3);
    expect(world.versions).toEqual({ 2: 3 });
    expect((await handle.describe()).status.name).toBe('RUNNING');
  });

  it('tells that it stopped, once, also where its worker dies, or the answer is lost, right after that', async () => {
    for (const isWorkerLost of [true, false]) {
      const { world, tell } = await launchedNew(isWorkerLost ? 'dies-stopping' : 'unheard');
      const lose = isWorkerLost ? losesTaskAfter('pauseRollout') : diesAfter('pauseRollout');
      world.onActivity = lose;
      await tell(() => world.tellNew({ phase: 'Failed', errorReason: 'CreateError', errorMessage: 'no Node' }));
      await temporal.pass(30);
      expect(world.deployment?.spec.paused).toBe(true);
      expect(world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'NewMachinesFailed' });
      const stops = world.events.filter(({ reason }) => reason === 'RolloutStopped').map(({ message }) => message);
      expect(stops).toEqual([
        expect.stringMatching(
          /^the rollout is paused before it takes more old machines: Machine .*: it failed: no Node$/,
        ),
      ]);
    }
  });

  it('stops when a new one is not available in time after its launch', async () => {
    const { world } = await launchedNew('late', { spec: { progressDeadlineSeconds: 60 } });
    await temporal.pass(40);
    expect(world.deployment?.spec.paused).toBe(false);
    await temporal.pass(40);
    expect(world.deployment?.spec.paused).toBe(true);
    expect(world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    expect(world.versions['first']).toBe(3);
  });

  it('that is rolled out stays so where a machine falls ill within its time, as in Kubernetes; the next rollout has its deadline', async () => {
    const { world, tell, runSets } = await rolledOut('whole', { spec: { progressDeadlineSeconds: 60 } });
    const launched = (isIt: (machine: (typeof world.machines)[number]) => boolean) => () => {
      const conditions = [made(temporal.clock.timeOfDay())];
      for (const machine of world.machines.filter(isIt)) {
        const { conditions: known = [] } = machine.status ?? {};
        world.kube.put({ ...machine, status: { ...machine.status, conditions: [...known, ...conditions] } } as never);
      }
    };
    await tell(launched(() => true));
    const [one] = world.machines;
    const isOne = ({ metadata }: (typeof world.machines)[number]) => metadata.name === one?.metadata.name;
    await tell(() => world.say('False', isOne));
    await tell(launched(isOne));
    await temporal.pass(100);
    expect(world.condition('Progressing')).toMatchObject({ status: 'True', reason: NEW_SET_AVAILABLE });
    expect(world.condition('Available')).toMatchObject({ status: 'False' });
    expect(world.workflows.inspected).toEqual([]);
    await tell(() => world.say('True'));
    world.release('2');
    for (let n = 0; n < 4; n += 1) {
      await tell(() => {});
      await runSets();
    }
    await tell(() => world.tellNew({ phase: 'Provisioned', conditions: [made(temporal.clock.timeOfDay())] }));
    await temporal.pass(80);
    expect(world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
  });

  it('takes no old one either while a late one looks at its instance', async () => {
    const rollingUpdate = { onFailure: 'Pause', failureThreshold: 1, maxSurge: 2, maxUnavailable: 0 } as const;
    const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
    const { world, tell } = await launchedNew('doubted', { spec: { progressDeadlineSeconds: 60, strategy } });
    const replicasOfOld = () => world.sets.find(({ status }) => status?.readyReplicas === 3)?.spec.replicas;
    expect([world.versions['2'], replicasOfOld()]).toEqual([2, 3]);
    await temporal.pass(61);
    expect(world.workflows.inspected).toHaveLength(2);
    const up = world.machines.find(({ status }) => status?.phase === 'Provisioned')?.metadata.name;
    await tell(() => world.say('True', ({ metadata }) => metadata.name === up));
    expect(world.status.availableReplicas).toBe(4);
    expect(world.deployment?.spec.paused).toBe(false);
    expect(replicasOfOld()).toBe(3);
    await temporal.pass(20);
    expect(world.deployment?.spec.paused).toBe(true);
    expect(replicasOfOld()).toBe(3);
  });

  it('is not stopped by a late one whose instance the cloud took back, which shows when that is looked at', async () => {
    const { world, tell } = await launchedNew('taken', { spec: { progressDeadlineSeconds: 60 } });
    await temporal.pass(64);
    expect(world.workflows.inspected).toHaveLength(1);
    const errorMessage = 'instance i-1 is gone: the cloud took it back';
    await tell(() => world.tellNew({ phase: 'Failed', errorReason: 'InsufficientResources', errorMessage }));
    await temporal.pass(60);
    expect(world.deployment?.spec.paused).toBe(false);
    expect(world.condition('Progressing')).toMatchObject({ reason: 'WaitingForCapacity' });
    expect(world.workflows.inspected).toHaveLength(1);
  });

  it('nor by one whose Node joined and does not become Ready, where the cloud took its instance back', async () => {
    const { world, tell } = await launchedNew('taken-joined', { spec: { progressDeadlineSeconds: 60 } });
    const isNew = ({ metadata }: (typeof world.machines)[number]) =>
      metadata.annotations?.['example.com/version'] === '2';
    const saysOfNew = (more: object) =>
      tell(() => {
        for (const machine of world.machines.filter(isNew)) {
          world.kube.put({ ...machine, status: { ...machine.status, ...more } } as never);
        }
      });
    await saysOfNew({ phase: 'Running', nodeRef: { kind: 'Node', name: 'n', uid: 'n' } });
    await temporal.pass(60);
    expect(world.workflows.inspected).toHaveLength(1);
    expect(world.deployment?.spec.paused).toBe(false);
    const lastTransitionTime = new Date(temporal.clock.timeOfDay()).toISOString();
    const gone = { type: 'InstanceExists', status: 'False', reason: 'InstanceTakenBack', message: '' };
    const failed = { phase: 'Failed', errorReason: 'UpdateError', errorMessage: 'the cloud took it back' };
    await saysOfNew({ ...failed, conditions: [{ ...gone, lastTransitionTime }] });
    await temporal.pass(60);
    expect(world.deployment?.spec.paused).toBe(false);
    expect(world.condition('Progressing')).toMatchObject({ reason: 'WaitingForCapacity' });
  });

  it('stops where fewer have failed than may, when nothing else can come up or fail for as long', async () => {
    const rollingUpdate = { onFailure: 'Pause', failureThreshold: 3, maxSurge: 1, maxUnavailable: 0 } as const;
    const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
    const { world, tell } = await launchedNew('stuck', { spec: { progressDeadlineSeconds: 60, strategy } });
    await temporal.pass(100);
    expect(world.deployment?.spec.paused).toBe(false);
    await temporal.pass(40);
    expect(world.deployment?.spec.paused).toBe(true);
    const message = expect.stringContaining(
      'there is no place for others to come up, or to fail. The rollout is paused',
    );
    expect(world.condition('Progressing')).toMatchObject({ reason: 'ProgressDeadlineExceeded', message });
    expect(world.versions).toEqual({ first: 3, 2: 1 });
    await tell(() => world.change({ paused: false }));
    await temporal.pass(200);
    expect(world.deployment?.spec.paused).toBe(false);
  });

  it('is not stopped for time that passed while nobody looked, also where its workflow was lost meanwhile', async () => {
    const { world, handle } = await launchedNew('lost', { spec: { progressDeadlineSeconds: 60 } });
    await handle.terminate('lost');
    await temporal.pass(300);
    await temporal.startObject('machineDeployment', world, world.ref);
    // A minute to catch up, and all of the time that a machine has.
    await temporal.pass(100);
    expect(world.deployment?.spec.paused).toBe(false);
    await temporal.pass(40);
    expect(world.deployment?.spec.paused).toBe(true);
    expect(world.condition('Progressing')).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
  });

  describe('of which something was refused, and which is', () => {
    async function surveysAfter(name: string, change: (world: RolloutWorld) => void): Promise<number> {
      const { world, tell } = await realMachineDeployment(temporal, name);
      world.onRequest = before({ verb: 'create', resource: MACHINE_SETS }, () => {
        throw new KubeError(403, 'Forbidden', 'no more sets');
      });
      await tell(() => {});
      expect(world.condition('ReplicaFailure')).toMatchObject({ status: 'True' });
      await tell(() => change(world));
      let surveys = 0;
      world.onActivity = (activity, run) => {
        if (activity === 'surveyRollout') surveys += 1;
        return run();
      };
      await temporal.pass(120);
      return surveys;
    }

    it('paused then, rests, and tells of no refusal any more', async () => {
      let paused: RolloutWorld | undefined;
      const surveys = await surveysAfter('refused-paused', (world) => {
        paused = world;
        world.changeMeta({ annotations: { [PAUSED_ANNOTATION]: '' } });
      });
      expect(surveys).toBeLessThan(3);
      expect(paused?.condition('ReplicaFailure')).toBeUndefined();
    });

    it('deleted in the foreground then, rests', async () => {
      const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] };
      expect(await surveysAfter('refused-deleted', (world) => world.changeMeta(metadata))).toBeLessThan(3);
    });
  });

  it('does not count against a new one the time in which it was paused', async () => {
    const { world, tell } = await launchedNew('paused', { spec: { progressDeadlineSeconds: 60 } });
    await temporal.pass(20);
    await tell(() => world.change({ paused: true }));
    await temporal.pass(300);
    await tell(() => world.change({ paused: false }));
    await temporal.pass(20);
    expect(world.deployment?.spec.paused).toBe(false);
    expect(world.condition('Progressing')).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' });
    await temporal.pass(40);
    expect(world.deployment?.spec.paused).toBe(true);
    expect(world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
  });

  it('does not stop where it is to continue, nor where the cloud has no room', async () => {
    const { world, tell, runSets } = await rolledOut('waits', { spec: { progressDeadlineSeconds: 60 } });
    world.release('2');
    for (let n = 0; n < 4; n += 1) {
      await tell(() => {});
      await runSets();
    }
    const since = new Date(temporal.clock.timeOfDay()).toISOString();
    const waiting = {
      step: 'Launch',
      reason: 'Full',
      retryClass: 'exhausted',
      message: 'no room in zone a',
      since,
    } as const;
    await tell(() => world.tellNew({ phase: 'Provisioning', waiting }));
    await temporal.pass(300);
    expect(world.deployment?.spec.paused).toBe(false);
    expect(world.condition('Progressing')).toMatchObject({ status: 'True', reason: 'WaitingForCapacity' });
    expect(world.condition('Progressing')?.message).toContain('no room in zone a');
    const rollingUpdate = { onFailure: 'Continue', failureThreshold: 1, maxSurge: 1, maxUnavailable: 0 } as const;
    await tell(() => world.change({ strategy: { type: 'RollingUpdate', rollingUpdate } }));
    await tell(() => world.tellNew({ phase: 'Failed', errorReason: 'InvalidConfiguration', errorMessage: 'no image' }));
    await temporal.pass(5);
    expect(world.deployment?.spec.paused).toBe(false);
    expect(world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'NewMachinesFailed' });
  });

  it('tells once of each machine that fails where it is to continue, whoever dies after that, and not while it is paused', async () => {
    const rollingUpdate = { onFailure: 'Continue', failureThreshold: 1, maxSurge: 2, maxUnavailable: 0 } as const;
    const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
    const { world, tell } = await launchedNew('goes-on', { spec: { progressDeadlineSeconds: 60, strategy } });
    const told = (reason: string) => world.events.filter((event) => event.reason === reason);
    const [first, second] = world.machines.filter(({ status }) => status?.nodeRef === undefined);
    const fails = (machine: typeof first) => {
      const status = { phase: 'Failed', errorReason: 'InvalidConfiguration', errorMessage: 'no image' } as const;
      world.kube.put({ ...machine, status } as never);
    };
    const goesOn =
      'The rollout goes on as far as maxSurge and maxUnavailable let it: a machine that failed keeps its place until somebody, or a health check, deletes it';
    world.onActivity = losesTaskAfter('reportEvent');
    await tell(() => fails(first));
    await temporal.pass(30);
    expect(told('NewMachinesFailed')).toMatchObject([
      { type: 'Warning', message: `Machine ${first?.metadata.name}: it failed: no image. ${goesOn}` },
    ]);
    await tell(() => world.change({ paused: true }));
    await tell(() => fails(second));
    expect(told('NewMachinesFailed')).toHaveLength(1);
    await tell(() => world.change({ paused: false }));
    expect(told('NewMachinesFailed')).toHaveLength(2);
    await tell(() => world.dropMachine(second?.metadata.name ?? ''));
    // It stands for so long that it would be stopped for it.
    await temporal.pass(300);
    expect(told('NewMachinesFailed')).toHaveLength(2);
    expect(told('RolloutStopped')).toEqual([]);
  });

  it('tells once of a late one where it is to continue', async () => {
    const rollingUpdate = { onFailure: 'Continue', failureThreshold: 1, maxSurge: 1, maxUnavailable: 0 } as const;
    const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
    const { world } = await launchedNew('late-goes-on', { spec: { progressDeadlineSeconds: 60, strategy } });
    await temporal.pass(300);
    const told = world.events.filter(({ reason }) => reason === 'ProgressDeadlineExceeded');
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /: it is not available 60 s after its launch: no Node has joined\. The rollout goes on as far as/,
      ),
    ]);
  });

  it('does not stop where the cloud takes a new machine back before it joined', async () => {
    const { world, tell, runSets } = await rolledOut('lent');
    world.release('2');
    for (let n = 0; n < 4; n += 1) {
      await tell(() => {});
      await runSets();
    }
    const taken = { phase: 'Failed', errorReason: 'InsufficientResources', errorMessage: 'it took it back' } as const;
    await tell(() => world.tellNew(taken));
    await temporal.pass(5);
    expect(world.deployment?.spec.paused).toBe(false);
    expect(world.condition('Progressing')).toMatchObject({ status: 'True', reason: 'WaitingForCapacity' });
    expect(world.condition('Progressing')?.message).toContain('it took it back');
  });

  it('stops where the instance of a new machine is gone that had joined, but not where the cloud took it back', async () => {
    const { world, tell } = await launchedNew('gone-later', { spec: { minReadySeconds: 600 } });
    const up = ({ metadata }: (typeof world.machines)[number]) => metadata.annotations?.['example.com/version'] === '2';
    await tell(() => world.say('True', up));
    const loses = (reason: string) =>
      tell(() => {
        const machine = world.machines.find(up);
        const lastTransitionTime = new Date(temporal.clock.timeOfDay()).toISOString();
        const gone = { type: 'InstanceExists', status: 'False', reason, message: 'i is gone', lastTransitionTime };
        const failed = { phase: 'Failed', errorReason: 'UpdateError', errorMessage: 'i is gone', conditions: [gone] };
        world.kube.put({ ...machine, status: { ...machine?.status, ...failed } } as never);
      });
    await loses('InstanceTakenBack');
    expect(world.deployment?.spec.paused).toBe(false);
    expect(world.condition('Progressing')).toMatchObject({ status: 'True', reason: 'WaitingForCapacity' });
    await loses('InstanceMissing');
    expect(world.deployment?.spec.paused).toBe(true);
    expect(world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'NewMachinesFailed' });
    expect(world.versions['first']).toBe(3);
  });

  it('replaces an unhealthy old machine from the new template while it moves, from its own while it is paused', async () => {
    const { world, round, rounds } = await rolledOut('ill');
    const ill = () =>
      world.machines.find(({ metadata }) => metadata.annotations?.['example.com/version'] === undefined);
    const remediate = async () => {
      const { name = '' } = ill()?.metadata ?? {};
      const status = { phase: 'Failed' as const, errorReason: 'UpdateError', errorMessage: 'instance i is gone' };
      world.kube.put({ ...ill(), status } as never);
      await round();
      if (world.kube.peek(MACHINES, 'default', name) !== undefined) world.kube.drop(MACHINES, 'default', name);
    };
    world.change({ paused: true });
    world.release('2');
    await remediate();
    await rounds(() => world.machines.length === 3);
    expect(world.versions).toEqual({ first: 3 });
    world.change({ paused: false });
    await rounds(() => world.versions['2'] === 1);
    await remediate();
    await rounds(() => world.versions['2'] === 3 && world.machines.length === 3, 40);
    expect(world.versions).toEqual({ 2: 3 });
    expect(world.deployment?.spec.paused).toBe(false);
    expect(world.condition('Progressing')).toMatchObject({ status: 'True' });
  });

  it('goes on with the second of two changes in a row, and leaves no machine of the first', async () => {
    const { world, round, rounds } = await rolledOut('twice');
    world.release('2');
    await rounds(() => (world.versions['2'] ?? 0) > 0);
    world.release('3');
    await rounds(() => world.versions['3'] === 3 && world.machines.length === 3);
    expect(world.versions).toEqual({ 3: 3 });
    await round();
    expect(world.status.revision).toBe(3);
  });

  it.each(['orderSets', 'surveyRollout'])(
    'shares a scale up in its midst in proportion, once, also where its worker dies after %s; then it goes on',
    async (activity) => {
      const { world, tell, runSets, rounds } = await launchedNew(`raised-${activity.toLowerCase()}`);
      expect(world.versions).toEqual({ first: 3, 2: 1 });
      world.onActivity = losesTaskAfter(activity);
      await tell(() => world.change({ replicas: 7 }));
      await temporal.pass(30);
      for (let n = 0; n < 3; n += 1) {
        await runSets();
        await tell(() => {});
      }
      expect(world.versions).toEqual({ first: 6, 2: 2 });
      await rounds(() => world.versions['2'] === 7 && world.machines.length === 7, 60);
      expect(world.versions).toEqual({ 2: 7 });
    },
  );

  it('goes back to the set of an earlier template, which becomes the newest revision', async () => {
    const { world, rounds } = await rolledOut('back');
    const { template } = world.deployment?.spec ?? {};
    const [first] = world.sets;
    world.release('2');
    await rounds(() => world.versions['2'] === 3 && world.machines.length === 3);
    if (template !== undefined) world.change({ template });
    await rounds(() => world.status.revision === 3 && world.versions['first'] === 3 && world.machines.length === 3);
    expect(world.sets).toHaveLength(2);
    const again = world.sets.find(({ metadata }) => metadata.uid === first?.metadata.uid);
    expect(again?.metadata.annotations).toMatchObject({ 'machinedeployment.clusters.x-k8s.io/revision': '3' });
  });

  it('stands still while it is paused, and is scaled all the same', async () => {
    const { world, round, rounds } = await rolledOut('paused');
    world.change({ paused: true });
    world.release('2');
    for (let n = 0; n < 4; n += 1) await round();
    expect(world.sets).toHaveLength(1);
    expect(world.condition('Paused')).toMatchObject({ status: 'True', reason: 'DeploymentPaused' });
    expect(world.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
    world.change({ replicas: 5 });
    await rounds(() => world.machines.length === 5);
    expect(world.versions).toEqual({ first: 5 });
    world.change({ paused: false });
    await rounds(() => world.versions['2'] === 5 && world.machines.length === 5, 40);
    expect(world.versions).toEqual({ 2: 5 });
    expect(world.events.map(({ message }) => message)).toContain('spec.replicas went from 3 to 5');
  });

  it('takes no old machine after a pause, even where its set was told to', async () => {
    const { world, round, tell, runSets } = await rolledOut('held');
    world.release('2');
    for (let n = 0; n < 8 && world.sets.every(({ spec }) => spec.replicas !== 2); n += 1) {
      await round();
      await tell(() => {});
    }
    expect(world.sets.map(({ spec }) => spec.replicas)).toEqual(expect.arrayContaining([1, 2]));
    world.change({ paused: true });
    // The set looks before its deployment has put back what it asked for.
    await runSets();
    expect(world.causes).toEqual([]);
    for (let n = 0; n < 3; n += 1) await round();
    expect(world.versions).toEqual({ first: 3, 2: 1 });
  });

  it('adopts a set whose template it selects; where that is another one, it starts paused', async () => {
    const { world, handle, round, runSets } = await realMachineDeployment(temporal, 'adopts', {
      spec: { replicas: 2 },
    });
    // Before its first look.
    const given = aMachineSet({ name: 'before', replicas: 2 });
    const labels = { pool: 'adopts', set: 'before' };
    const template = {
      ...given.spec.template,
      metadata: { labels: { ...given.spec.template.metadata?.labels, ...labels } },
    };
    const before = { ...given, spec: { ...given.spec, template } };
    world.kube.put(before);
    await round();
    await round();
    const adopted = world.sets.find(({ metadata }) => metadata.name === 'before');
    expect(adopted?.metadata.ownerReferences).toMatchObject([{ name: 'adopts', controller: true }]);
    expect(world.deployment?.spec.paused).toBe(true);
    expect(world.events.filter(({ reason }) => reason === 'RolloutStopped').map(({ message }) => message)).toEqual([
      'the rollout is paused before it adopts MachineSet before, whose machines it would replace: set spec.paused to false to have that',
    ]);
    const message =
      'the rollout was paused for the adoption of MachineSet before, whose machines it would replace: no machine is made or taken for another template until spec.paused is false';
    const why = { status: 'True', reason: 'PausedToAdopt', message };
    expect(world.condition('Paused')).toMatchObject(why);
    expect(world.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused', message });
    // Also a workflow that does not know of it says so.
    await handle.terminate('lost');
    const again = await temporal.startObject('machineDeployment', world, world.ref);
    await temporal.pass(5);
    expect(world.condition('Paused')).toMatchObject(why);
    world.change({ paused: false });
    for (let n = 0; n < 30 && world.condition('Progressing')?.reason !== NEW_SET_AVAILABLE; n += 1) {
      await temporal.signal(again, changedSignal);
      await temporal.pass(2);
      await runSets();
      world.say('True');
      world.endMachines();
    }
    expect(world.condition('Paused')).toBeUndefined();
    expect(world.machines.map(({ metadata }) => metadata.labels?.['set'])).toEqual([undefined, undefined]);
    // A pause of a person is one again.
    world.change({ paused: true });
    await temporal.signal(again, changedSignal);
    await temporal.pass(2);
    expect(world.condition('Paused')).toMatchObject({ reason: 'DeploymentPaused' });
  });

  it('adopts a set of its template as its first revision, and makes no other', async () => {
    const { world, rounds } = await realMachineDeployment(temporal, 'takes-over', { spec: { replicas: 2 } });
    const { template } = world.deployment?.spec ?? aMachineDeployment().spec;
    const selector = { matchLabels: { pool: 'takes-over' } };
    const before = aMachineSet({ name: 'before', replicas: 2, spec: { selector, template } });
    world.kube.put({ ...before });
    await rounds(() => world.condition('Progressing')?.reason === NEW_SET_AVAILABLE);
    expect(world.sets.map(({ metadata }) => metadata.name)).toEqual(['before']);
    expect(world.deployment?.status).toMatchObject({ revision: 1, updatedReplicas: 2 });
  });

  it('keeps no more empty sets than it is asked to', async () => {
    const { world, rounds, round } = await rolledOut('history', { spec: { replicas: 1, revisionHistoryLimit: 1 } });
    for (const version of ['2', '3', '4']) {
      world.release(version);
      await rounds(() => world.versions[version] === 1 && world.machines.length === 1);
    }
    await round();
    await round();
    const revisions = world.sets.map(
      ({ metadata }) => metadata.annotations?.['machinedeployment.clusters.x-k8s.io/revision'],
    );
    expect(new Set(revisions)).toEqual(new Set(['3', '4']));
  });

  it('takes all old machines first where it is to recreate', async () => {
    const { world, rounds } = await rolledOut('recreated', { spec: { strategy: { type: 'Recreate' } } });
    world.release('2');
    let most = 0;
    await rounds(() => {
      most = Math.max(most, world.machines.length);
      return world.versions['2'] === 3;
    });
    expect(most).toBe(3);
    expect(world.versions).toEqual({ 2: 3 });
  });

  it('says that a take-over has paused it, and what ends that', async () => {
    const { world, tell } = await realMachineDeployment(temporal, 'taken-over', {
      metadata: { annotations: { [PAUSED_ANNOTATION]: PAUSED_BY_TAKE_OVER } },
    });
    await tell(() => {});
    const message = `\`millwright install --take-over\` has set the annotation ${PAUSED_ANNOTATION}: nothing is done until \`millwright resume\` takes it off`;
    expect(world.condition('Paused')).toMatchObject({ status: 'True', reason: 'Paused', message });
    expect(world.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'Paused', message });
  });

  it('does nothing while its annotation pauses it, and ends with its object', async () => {
    const { world, tell, handle } = await realMachineDeployment(temporal, 'annotated', {
      metadata: { annotations: { [PAUSED_ANNOTATION]: '' } },
    });
    await tell(() => {});
    expect(world.sets).toEqual([]);
    expect(world.condition('Paused')).toMatchObject({ status: 'True', reason: 'Paused' });
    await tell(() => world.lose());
    await temporal.resultOf(handle);
  });

  it('makes one set, whoever dies after it was made', async () => {
    const { world, rounds } = await realMachineDeployment(temporal, 'dies');
    world.onActivity = diesAfter('createSet');
    await rounds(() => world.condition('Progressing')?.reason === NEW_SET_AVAILABLE);
    expect(world.sets).toHaveLength(1);
    expect(world.machines).toHaveLength(3);
  });

  it('says what is refused, and goes on when it is not any more', async () => {
    const { world, rounds, tell } = await realMachineDeployment(temporal, 'refused');
    let isRefused = true;
    world.onRequest = (request, carryOut) =>
      isRefused && request.verb === 'create' && request.resource === MACHINE_SETS
        ? Promise.reject(new KubeError(403, 'Forbidden', 'no more sets'))
        : carryOut();
    await tell(() => {});
    expect(world.condition('ReplicaFailure')).toMatchObject({ status: 'True', reason: 'FailedCreate' });
    expect(world.condition('ReplicaFailure')?.message).toContain('no more sets');
    isRefused = false;
    await temporal.pass(120);
    await rounds(() => world.machines.length === 3);
    expect(world.condition('ReplicaFailure')).toBeUndefined();
  });

  it('looks again where the template changes between its look and its order', async () => {
    const { world, rounds } = await rolledOut('raced');
    world.onRequest = before({ verb: 'mergePatch', nth: 1 }, () => world.release('3'));
    world.release('2');
    await rounds(() => world.versions['3'] === 3 && world.machines.length === 3);
    expect(world.versions).toEqual({ 3: 3 });
  });
});
