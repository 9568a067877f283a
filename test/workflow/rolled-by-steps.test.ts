import { describe, expect, it } from '@jest/globals';
import type { MachineDeploymentObject } from '../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { MACHINE_DEPLOYMENTS } from '../../k8s/dialects/openshift/resources.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { before } from '../world/kubernetes/request.ts';
import { realMachineDeployment } from './real-machine-deployment.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

type Rolling = NonNullable<NonNullable<MachineDeploymentObject['spec']['strategy']>['rollingUpdate']>;
type Steps = NonNullable<Rolling['steps']>;
const NEW_SET_AVAILABLE = 'NewReplicaSetAvailable';
const APPROVED = 'millwright.dev/approved-step';
const RESUMED = 'millwright.dev/resumed-step';

/** A deployment of four machines that is rolled out, and goes by these steps from then on. */
async function byStepsOf(name: string, steps: Steps, rolling: Partial<Rolling> = {}) {
  const rollingUpdate = {
    maxSurge: 1,
    maxUnavailable: 0,
    onFailure: 'Pause',
    failureThreshold: 1,
    steps,
    ...rolling,
  } as const;
  const strategy = { type: 'RollingUpdate', rollingUpdate } as const;
  const real = await realMachineDeployment(temporal, name, { spec: { replicas: 4, strategy } });
  const { world, rounds } = real;
  await rounds(() => world.condition('Progressing')?.reason === NEW_SET_AVAILABLE);
  const annotate = (key: string, step: number) => {
    const { templateHash, revision } = world.status.step ?? {};
    world.changeMeta({ annotations: { [key]: `${revision}-${templateHash}-${step}` } });
  };
  const holdsAt = (reason: string) => world.condition('Progressing')?.reason === reason;
  return { ...real, annotate, holdsAt };
}

describe('a rollout by steps', () => {
  it('makes the first machines of a deployment without them', async () => {
    const { world } = await byStepsOf('first', [{ approval: {} }]);
    expect(world.versions).toEqual({ first: 4 });
    expect(world.status.step).toBeUndefined();
  });

  it('replaces as many as a step says, waits for approval of that step, and then replaces the others', async () => {
    const { world, rounds, round, annotate, holdsAt } = await byStepsOf('approved', [
      { machines: 1 },
      { approval: {} },
    ]);
    world.release('2');
    await rounds(() => holdsAt('WaitingForApproval'));
    for (let n = 0; n < 3; n += 1) await round();
    expect(world.versions).toEqual({ first: 3, 2: 1 });
    expect(world.status.step).toMatchObject({ revision: 2, passed: 1 });
    expect(world.condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'WaitingForApproval' });
    // The word on another step is none on this one.
    annotate(APPROVED, 1);
    for (let n = 0; n < 3; n += 1) await round();
    expect(world.versions).toEqual({ first: 3, 2: 1 });
    annotate(APPROVED, 2);
    await rounds(() => holdsAt(NEW_SET_AVAILABLE));
    expect(world.versions).toEqual({ 2: 4 });
    expect(world.status.step).toBeUndefined();
    expect(world.events.filter(({ reason }) => reason === 'RolloutStep').map(({ message }) => message)).toEqual([
      'revision 2 is rolled out in 2 steps',
      'revision 2 has passed step 1 of 2',
      'revision 2 has passed step 2 of 2, by the word of somebody',
    ]);
  });

  it('ends a pause in time although that comes while the API server takes long to take down something else', async () => {
    const { world, rounds, handle, holdsAt } = await byStepsOf('slow-status', [
      { machines: 1 },
      { pause: { for: '2m' } },
      { approval: {} },
    ]);
    world.release('2');
    await rounds(() => holdsAt('StepPaused'));
    const end = Date.parse(world.status.step?.since ?? '') + 120_000;
    await temporal.pass((end - 2000 - temporal.clock.timeOfDay()) / 1000);
    const slow = { verb: 'apply', resource: MACHINE_DEPLOYMENTS, subresource: 'status', nth: 1 } as const;
    world.onRequest = before(slow, () => temporal.clock.goAhead(5000));
    const [old] = world.machines.filter(({ metadata }) => metadata.annotations?.['example.com/version'] !== '2');
    world.say('False', ({ metadata }) => metadata.name === old?.metadata.name);
    await temporal.signal(handle, changedSignal);
    await temporal.pass(20);
    expect(world.status.step).toMatchObject({ passed: 2 });
    expect(holdsAt('WaitingForApproval')).toBe(true);
  });

  it('touches nothing before the first step that says so', async () => {
    const { world, rounds, round, annotate, holdsAt } = await byStepsOf('asked-first', [
      { approval: {} },
      { machines: '50%' },
      { pause: {} },
    ]);
    world.release('2');
    await rounds(() => holdsAt('WaitingForApproval'));
    for (let n = 0; n < 2; n += 1) await round();
    expect(world.versions).toEqual({ first: 4 });
    annotate(APPROVED, 1);
    await rounds(() => holdsAt('StepPaused'));
    expect(world.versions).toEqual({ first: 2, 2: 2 });
    annotate(RESUMED, 3);
    await rounds(() => holdsAt(NEW_SET_AVAILABLE));
    expect(world.versions).toEqual({ 2: 4 });
  });

  it('pauses for as long as a step says, whoever loses its workflow meanwhile', async () => {
    const { world, rounds, holdsAt, handle, runSets } = await byStepsOf('timed', [
      { machines: 1 },
      { pause: { for: '1h' } },
    ]);
    world.release('2');
    await rounds(() => holdsAt('StepPaused'));
    const since = world.status.step?.since;
    await temporal.pass(1800);
    await handle.terminate();
    const again = await temporal.startObject('machineDeployment', world, world.ref);
    await temporal.pass(1700);
    expect(world.status.step).toMatchObject({ passed: 1, since });
    // Its own timer wakes it.
    await temporal.pass(200);
    expect(world.status.step).toMatchObject({ passed: 2 });
    for (let n = 0; n < 30 && !holdsAt(NEW_SET_AVAILABLE); n += 1) {
      await temporal.signal(again, changedSignal);
      await temporal.pass(2);
      await runSets();
      world.say('True');
      world.endMachines();
    }
    expect(world.versions).toEqual({ 2: 4 });
  });

  it('begins anew with another template, and an approval does not count for that', async () => {
    const { world, rounds, round, annotate, holdsAt } = await byStepsOf('anew', [{ machines: 1 }, { approval: {} }]);
    world.release('2');
    await rounds(() => holdsAt('WaitingForApproval'));
    annotate(APPROVED, 2);
    world.release('3');
    await rounds(() => holdsAt('WaitingForApproval') && world.status.revision === 3);
    for (let n = 0; n < 3; n += 1) await round();
    expect(world.versions['3']).toBe(1);
    expect(world.status.step).toMatchObject({ revision: 3, passed: 1 });
    annotate(APPROVED, 2);
    await rounds(() => holdsAt(NEW_SET_AVAILABLE));
    expect(world.versions).toEqual({ 3: 4 });
  });

  it('goes back to the template before without steps', async () => {
    const { world, rounds, holdsAt } = await byStepsOf('undone', [{ machines: 1 }, { approval: {} }]);
    const { template } = world.deployment?.spec ?? {};
    world.release('2');
    await rounds(() => holdsAt('WaitingForApproval'));
    if (template !== undefined) world.change({ template });
    await rounds(() => holdsAt(NEW_SET_AVAILABLE) && world.machines.length === 4);
    expect(world.versions).toEqual({ first: 4 });
  });

  it('replaces what goes meanwhile by its own kind, and is scaled', async () => {
    const { world, rounds, round, holdsAt } = await byStepsOf('held', [{ machines: 1 }, { approval: {} }]);
    world.release('2');
    await rounds(() => holdsAt('WaitingForApproval'));
    for (const version of [undefined, '2']) {
      const one = world.machines.find(({ metadata }) => metadata.annotations?.['example.com/version'] === version);
      if (one !== undefined) world.dropMachine(one.metadata.name);
      for (let n = 0; n < 4; n += 1) await round();
      expect(world.versions).toEqual({ first: 3, 2: 1 });
    }
    world.change({ replicas: 8 });
    for (let n = 0; n < 5; n += 1) await round();
    expect(world.machines).toHaveLength(8);
    expect(world.causes).toEqual([]);
  });

  it('takes no more old machines than the step lets, even where their set was told to', async () => {
    const { world, round, tell, runSets, rounds, holdsAt } = await byStepsOf('raced', [
      { machines: 2 },
      { approval: {} },
    ]);
    world.release('2');
    for (let n = 0; n < 12 && world.sets.every(({ spec }) => spec.replicas !== 3); n += 1) {
      await round();
      await tell(() => {});
    }
    expect(world.sets.map(({ spec }) => spec.replicas)).toContain(3);
    const { strategy } = world.deployment?.spec ?? {};
    const rollingUpdate = { ...strategy?.rollingUpdate, steps: [{ approval: {} }] } as Rolling;
    // The set looks before its deployment has put back what it asked for.
    world.change({ strategy: { type: 'RollingUpdate', rollingUpdate } });
    await runSets();
    expect(world.causes).toEqual([]);
    await rounds(() => holdsAt('WaitingForApproval'), 4);
    expect(world.versions['first']).toBe(4);
  });

  it('stops in a step for a machine that fails there', async () => {
    const { world, rounds, tell, holdsAt } = await byStepsOf('fails', [{ machines: 1 }, { pause: { for: '1h' } }]);
    world.release('2');
    await rounds(() => holdsAt('StepPaused'));
    await tell(() =>
      world.fail(({ metadata }) => metadata.annotations?.['example.com/version'] === '2', 'its kubelet broke'),
    );
    await temporal.pass(5);
    expect(world.deployment?.spec.paused).toBe(true);
    expect(world.condition('Progressing')?.message).toContain('its kubelet broke');
    await temporal.pass(4000);
    expect(world.status.step).toMatchObject({ passed: 1 });
    expect(world.versions['first']).toBe(3);
  });
});
