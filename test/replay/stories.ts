import type { Workflow, WorkflowHandle } from '@temporalio/client';
import type { SimulatedBehaviour } from '../../devstack/doubles/cloud/json-front/behaviour.ts';
import { CLUSTER_LABEL } from '../../k8s/dialects/openshift/labels.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { REMEDIATED_BY_ANNOTATION, writeHealthClaim } from '../../k8s/model/health-claim.ts';
import { REBOOT_ANNOTATION, writeRebootWish } from '../../k8s/model/reboot.ts';
import { NODES } from '../../k8s/resources.ts';
import { changedSignal, inspectSignal } from '../../workflows/signals.ts';
import { apiServerAwaySignal } from '../../workflows/safety/messages.ts';
import { busyMachine, drainedMachine, nodeOf, relax } from '../workflow/drained-machine.ts';
import { looks, provisioned, runningMachine, silentLaunch } from '../workflow/machine-stages.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { realCluster } from '../workflow/real-cluster.ts';
import { realHealthCheck } from '../workflow/real-health-check.ts';
import { realMachineClass } from '../workflow/real-machine-class.ts';
import { realMachineDeployment } from '../workflow/real-machine-deployment.ts';
import { realMachineSet, type MachineSetSpec } from '../workflow/real-machine-set.ts';
import type { Temporal } from '../workflow/temporal.ts';
import { before } from '../world/kubernetes/request.ts';
import { MachineWorld } from '../world/machine-world.ts';
import { diesAfter, World } from '../world/world.ts';
import type { SetWorld } from '../world/set-world.ts';
import { aUserDataSecret } from '../world/builders/a-secret.ts';
import { aMachineHealthCheck } from '../world/builders/a-machine-health-check.ts';
import { aMachine } from '../world/builders/a-machine.ts';
import { MADE_AT, NAMESPACE, refOf } from '../world/builders/metadata.ts';

/** Plays one path of a workflow to its point of interest, and gives the workflow back. */
export type Story = (temporal: Temporal) => Promise<WorkflowHandle>;

/** Every path whose history is kept, by the name of its file. */
export const STORIES: Readonly<Record<string, Story>> = {
  async 'machine-up'(temporal) {
    const { handle } = await runningMachine(temporal, 'story');
    await temporal.pass(1);
    return handle;
  },

  async 'machine-failed'(temporal) {
    const { world, handle } = await provisioned(temporal, 'story');
    await temporal.until(() => world.status.phase === 'Failed', { within: 1300, step: 10 });
    return handle;
  },

  async 'machine-instance-gone'(temporal) {
    const { world, handle } = await runningMachine(temporal, 'story');
    world.cloud.vanish(world.instanceId);
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.phase === 'Failed', { within: 400, step: 5 });
    return handle;
  },

  async 'machine-retried'(temporal) {
    const world = new MachineWorld('story', temporal.clock);
    await world.setSpec({ userDataSecret: { name: 'user-data' } });
    world.cloud.fail(
      { action: 'launch', code: 'InsufficientInstanceCapacity', times: 1 },
      { action: 'launch', code: 'RequestLimitExceeded', times: 1 },
      { action: 'launch', answer: 'reset', times: 1 },
      { action: 'launch', code: 'IdempotentParameterMismatch', times: 1 },
      { action: 'launch', code: 'InvalidInstanceType', times: 1 },
    );
    world.onActivity = diesAfter('launchInstance', 3);
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'SecretMissing');
    world.kube.put(aUserDataSecret('user-data'));
    await temporal.until(() => world.status.waiting?.reason === 'InvalidConfiguration', { within: 1200, step: 10 });
    await world.setSpec({ instanceType: 'sim.large' });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned');
    return handle;
  },

  'machine-deleted': (temporal) => deletedMachine(temporal, { terminateMs: 5000 }),

  'machine-deleted-soon': (temporal) => deletedMachine(temporal, {}),

  'machine-deleted-late': (temporal) =>
    deletedMachine(temporal, { failures: [{ action: 'terminate', code: 'RequestLimitExceeded', times: 1 }] }),

  async 'machine-deleted-unsettled'(temporal) {
    const { world, handle } = await silentLaunch(temporal, 'story', 'nothing');
    return deleted(temporal, world, handle);
  },

  async 'machine-drained'(temporal) {
    const pods = [{ name: 'web-1', labels: { app: 'web' } }, { name: 'alone' }];
    const spec = {
      drain: { timeout: '1h', onTimeout: 'Force' },
      lifecycleHooks: { preTerminate: [{ name: 'CopyLogs', owner: 'log-copier' }] },
    };
    const { world, handle } = await drainedMachine(temporal, 'story', { pods, budgets: { web: 1 }, spec });
    await temporal.until(() => world.status.waiting?.reason === 'PodsBlocked');
    await relax(world, 'web', 0);
    await temporal.until(() => world.condition('Terminable') !== undefined, { within: 120 });
    await world.edit({ spec: { lifecycleHooks: null } });
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-rebooted'(temporal) {
    const { world, handle } = await busyMachine(temporal, 'story', { pods: [{ name: 'web-1' }] });
    const check = aMachineHealthCheck('check', {
      selector: { matchExpressions: [{ key: CLUSTER_LABEL, operator: 'Exists' }] },
      unhealthyConditions: [{ type: 'Sick', status: 'True', timeout: '60s' }],
      remediation: { steps: [{ action: 'Reboot' }] },
    });
    world.kube.put(check);
    const tell = async (bootID: string, sick: 'True' | 'False') => {
      const lastTransitionTime = new Date(world.clock.timeOfDay()).toISOString();
      const conditions = [
        { type: 'Ready', status: 'True', lastTransitionTime },
        { type: 'Sick', status: sick, lastTransitionTime },
      ];
      const status = { conditions, nodeInfo: { bootID } };
      await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { status }, { subresource: 'status' });
      await temporal.signal(handle, changedSignal);
    };
    const annotate = async (annotations: object) => {
      await world.edit({ metadata: { annotations } });
      await temporal.signal(handle, changedSignal);
    };
    await tell('boot-1', 'True');
    await annotate({
      [REMEDIATED_BY_ANNOTATION]: writeHealthClaim(refOf(check)),
      [REBOOT_ANNOTATION]: writeRebootWish({ id: world.kube.time, causes: ['node Sick=True 60000'] }),
    });
    await temporal.until(
      () => world.condition('Rebooted')?.reason === 'RebootSent' && world.cloud.calls('reboot').length > 0,
    );
    await tell('boot-2', 'False');
    await temporal.until(() => world.condition('Rebooted')?.status === 'True');
    await annotate({ [REMEDIATED_BY_ANNOTATION]: null, [REBOOT_ANNOTATION]: null });
    await temporal.until(() => world.events.some(({ reason }) => reason === 'RebootEnded'));
    return handle;
  },

  async 'machine-adopted'(temporal) {
    const world = new MachineWorld('story', temporal.clock, { known: {} });
    const { providerID } = await world.cloud.launch({ machineUid: world.ref.uid });
    await world.edit({ spec: { providerID } });
    world.nodeRegisters();
    const handle = await temporal.startMachine(world);
    await temporal.until(() => looks(world).length >= 1 && world.status.phase === 'Running');
    return handle;
  },

  'machine-set-up': async (temporal) => (await fullSet(temporal)).handle,

  async 'machine-set-scaled-down'(temporal) {
    const { world, handle } = await fullSet(temporal);
    world.change({ replicas: 1 });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.living.length === 1 && world.set?.status?.observedGeneration === 2);
    return handle;
  },

  async 'machine-set-adopted'(temporal) {
    const { world, handle } = await fullSet(temporal, { replicas: 2 }, (w) => {
      w.add('orphan', { ownerReferences: [] });
      w.add('strayed', { labels: { set: 'others' } });
    });
    await temporal.until(() => world.machine('orphan')?.metadata.ownerReferences?.[0]?.uid === world.ref.uid);
    return handle;
  },

  async 'machine-set-refused'(temporal) {
    const { handle } = await fullSet(temporal, {}, (w) => {
      w.onRequest = before({ verb: 'create', nth: 1 }, () => {
        throw new KubeError(403, 'Forbidden', 'exceeded quota');
      });
    });
    return handle;
  },

  async 'machine-set-deleted'(temporal) {
    const { world, handle } = await fullSet(temporal);
    world.changeSetMeta({ deletionTimestamp: MADE_AT, finalizers: ['foregroundDeletion'] });
    await temporal.signal(handle, changedSignal);
    await temporal.pass(2);
    world.loseSet();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-class-used'(temporal) {
    const { world, start } = realMachineClass(temporal, 'story');
    const handle = await start();
    await temporal.until(() => world.condition('Ready') !== undefined);
    const user = aMachine({ machineClass: 'story' });
    world.kube.put(user);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.machines === 1);
    world.change((stored) => ({ ...stored, metadata: { ...stored.metadata, deletionTimestamp: MADE_AT } }));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('InUse') !== undefined);
    world.kube.drop(MACHINES, NAMESPACE, user.metadata.name);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.stored === undefined);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-health-check-replaced'(temporal) {
    const { world, start } = realHealthCheck(temporal, 'story');
    const handle = await start();
    await temporal.until(() => world.status.expectedMachines === 3);
    world.say(2, 'Unknown', { reason: 'NodeStatusUnknown' });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.deleted.includes(2), { within: 360, step: 5 });
    world.endMachine(2);
    world.add(4);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.events.some(({ reason }) => reason === 'RemediationSucceeded'), { within: 60 });
    world.lose();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-deployment-rolled'(temporal) {
    const { world, handle, round, rounds, tell } = await realMachineDeployment(temporal, 'story', {
      spec: { replicas: 2 },
    });
    await rounds(() => world.condition('Progressing')?.reason === 'NewReplicaSetAvailable');
    world.release('2');
    await rounds(() => (world.versions['2'] ?? 0) > 0);
    await tell(() => world.change({ paused: true, replicas: 3 }));
    await round();
    await tell(() => world.change({ paused: false }));
    await rounds(() => world.versions['2'] === 3 && world.machines.length === 3);
    await tell(() => world.lose());
    await temporal.resultOf(handle);
    return handle;
  },

  async 'machine-deployment-by-steps'(temporal) {
    const steps = [{ machines: 1 }, { pause: { for: '10m' } }, { approval: {} }];
    const rollingUpdate = {
      maxSurge: 1,
      maxUnavailable: 0,
      onFailure: 'Rollback',
      failureThreshold: 1,
      steps,
    } as const;
    const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
    const { world, handle, rounds, tell } = await realMachineDeployment(temporal, 'story', {
      spec: { replicas: 2, strategy },
    });
    const isAt = (reason: string) => world.condition('Progressing')?.reason === reason;
    await rounds(() => isAt('NewReplicaSetAvailable'));
    world.release('2');
    await rounds(() => isAt('StepPaused'));
    await temporal.pass(700);
    const { templateHash } = world.status.step ?? {};
    await tell(() => world.changeMeta({ annotations: { 'millwright.dev/approved-step': `2-${templateHash}-3` } }));
    await rounds(() => isAt('NewReplicaSetAvailable'));
    world.release('3');
    await rounds(() => isAt('StepPaused'));
    await tell(() => world.fail(({ metadata }) => metadata.annotations?.['example.com/version'] === '3', 'it broke'));
    await rounds(() => isAt('NewReplicaSetAvailable'));
    await tell(() => world.lose());
    await temporal.resultOf(handle);
    return handle;
  },

  async 'cluster-counted'(temporal) {
    const { world, start } = realCluster(temporal, 'story');
    const handle = await start();
    await temporal.until(() => world.status.machines === 0);
    world.kube.put(aMachine({ cluster: 'story' }));
    // Within ten seconds of the first look, so that the second one is put off.
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.machines === 1);
    world.change((stored) => ({ ...stored, spec: { paused: true } }));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('Paused') !== undefined);
    world.lose();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    return handle;
  },

  async 'inventory-rounds'(temporal) {
    const world = new World(temporal.clock);
    await world.addLaunched({ name: 'there' });
    const { id } = await world.addLaunched({ name: 'gone' });
    world.cloud.vanish(id);
    let rounds = 0;
    world.onActivity = async (_name, run) => {
      const answer = await run();
      rounds += 1;
      return answer;
    };
    const handle = await temporal.startInventory(world);
    await temporal.until(() => rounds === 3, { within: 620, step: 10 });
    return handle;
  },

  async 'safety-told'(temporal) {
    const handle = await temporal.startSafety('story');
    const from = new Date(await temporal.now()).toISOString();
    await temporal.signal(handle, apiServerAwaySignal, { from });
    await temporal.pass(60);
    const until = new Date(await temporal.now()).toISOString();
    await temporal.signal(handle, apiServerAwaySignal, { from, until });
    await temporal.pass(1);
    return handle;
  },
};

async function deletedMachine(temporal: Temporal, behaviour: SimulatedBehaviour): Promise<WorkflowHandle> {
  const { world, handle } = await runningMachine(temporal, 'story');
  world.cloud.behave(behaviour);
  return deleted(temporal, world, handle);
}

async function deleted<T extends Workflow>(temporal: Temporal, world: MachineWorld, handle: WorkflowHandle<T>) {
  await world.delete();
  await temporal.signal(handle, changedSignal);
  await temporal.resultOf(handle);
  return handle;
}

async function fullSet(temporal: Temporal, spec: MachineSetSpec = {}, arrange: (world: SetWorld) => void = () => {}) {
  const { world, start } = realMachineSet(temporal, 'story', { replicas: 3, ...spec });
  arrange(world);
  const handle = await start();
  await temporal.until(() => world.set?.status?.replicas === world.set?.spec.replicas, { within: 60 });
  return { world, handle };
}
