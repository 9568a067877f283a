import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { before } from '../world/kubernetes/request.ts';
import type { RolloutWorld } from '../world/rollout-world.ts';
import type { MachineDeploymentFacts } from '../world/builders/a-machine-deployment.ts';
import { realMachineDeployment } from './real-machine-deployment.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const rollingUpdate = { maxSurge: 1, maxUnavailable: 0, onFailure: 'Rollback', failureThreshold: 1 } as const;
const SPEC = { strategy: { type: 'RollingUpdate', rollingUpdate } } as const;
const ANNOTATION = 'millwright.dev/rolled-back-from';
const NEW_SET_AVAILABLE = 'NewReplicaSetAvailable';

const progress = (world: RolloutWorld) => world.condition('Progressing');
const eventsOf = (world: RolloutWorld, reason: string) => world.events.filter((event) => event.reason === reason);

/** A deployment of three machines that is rolled out, and one whose first new machine has come and is about to fail. */
async function failing(name: string, spec: MachineDeploymentFacts['spec'] = SPEC) {
  const real = await realMachineDeployment(temporal, name, { spec });
  const { world, rounds, tell, runSets } = real;
  await rounds(() => progress(world)?.reason === NEW_SET_AVAILABLE);
  const fail = async (version: string) => {
    world.release(version);
    for (let n = 0; n < 6 && (world.versions[version] ?? 0) === 0; n += 1) {
      await tell(() => {});
      await runSets();
      world.endMachines();
    }
    await tell(() => world.tellNew({ phase: 'Failed', errorReason: 'CreateError', errorMessage: 'no such image' }));
  };
  return { ...real, fail };
}

describe('a rollout that is to go back when new machines fail', () => {
  it('goes back to the last template that was rolled out whole, once, and says from what and why', async () => {
    const { world, fail, rounds, handle } = await failing('goes-back');
    expect(world.status.completeTemplateHash).toBe(world.sets[0]?.metadata.labels?.['machine-template-hash']);
    await fail('2');
    await temporal.pass(3);
    expect(world.deployment?.spec.template.metadata?.annotations).not.toHaveProperty(['example.com/version']);
    expect(world.deployment?.metadata.annotations?.[ANNOTATION]).toMatch(/^\w{10} 2 Machine goes-back-.*no such image/);
    await rounds(() => progress(world)?.reason === NEW_SET_AVAILABLE && world.machines.length === 3);
    expect(world.versions).toEqual({ first: 3 });
    expect(world.status.revision).toBe(3);
    expect(progress(world)?.message).toMatch(/it was rolled back from revision 2: Machine goes-back-.*no such image/);
    const details = await handle.query<{ readonly currentDetails: string }>('__temporal_workflow_metadata');
    expect(details.currentDetails).toMatch(/Rolled back.*from revision 2: Machine goes-back-.*no such image/);
    expect(eventsOf(world, 'RolledBack')).toHaveLength(1);
    expect(world.deployment?.spec.paused).toBe(false);
  });

  it('goes back also when the last old machine was taken before the new one failed', async () => {
    const strategy = {
      type: 'RollingUpdate',
      rollingUpdate: { ...rollingUpdate, maxSurge: 0, maxUnavailable: 1 },
    } as const;
    const { world, fail, rounds } = await failing('alone', { replicas: 1, strategy });
    await fail('2');
    expect(world.versions).toEqual({ 2: 1 });
    await temporal.pass(3);
    expect(world.deployment?.metadata.annotations?.[ANNOTATION]).toMatch(/^\w{10} 2 Machine alone-.*no such image/);
    await rounds(() => progress(world)?.reason === NEW_SET_AVAILABLE && world.machines.length === 1);
    expect(world.versions).toEqual({ first: 1 });
    expect(eventsOf(world, 'RolledBack')).toHaveLength(1);
  });

  it('brings the settings of that template back, whatever came with the one that failed', async () => {
    const { world, fail, rounds } = await failing('brings-back');
    world.settle({ drain: { timeout: '1h' }, deletionPolicy: 'graceful' });
    await rounds(() => world.machines.every(({ spec }) => spec.drain?.timeout === '1h'));
    const { spec } = world.template;
    world.settle({ drain: { timeout: '1m', onTimeout: 'Force' }, readinessGates: [{ conditionType: 'Tested' }] });
    await fail('2');
    await temporal.pass(3);
    expect(world.deployment?.metadata.annotations).toHaveProperty([ANNOTATION]);
    expect(world.template.spec).toEqual(spec);
    await rounds(() => progress(world)?.reason === NEW_SET_AVAILABLE && world.machines.length === 3);
    for (const machine of world.machines) {
      expect(machine.spec).toMatchObject({ drain: { timeout: '1h' }, deletionPolicy: 'graceful' });
      expect(machine.spec.readinessGates ?? []).toEqual([]);
    }
    const kept = world.sets.map(({ metadata }) => metadata.annotations?.['millwright.dev/revision-settings']);
    expect(kept.filter((text) => text !== undefined)).toHaveLength(1);
  });

  it('pauses where what it goes back to fails as well', async () => {
    const { world, fail, tell, runSets } = await failing('fails-twice');
    await fail('2');
    await temporal.pass(3);
    // One of the template that it goes back to is lost, and its replacement fails.
    const old = world.machines.find((each) => each.metadata.annotations?.['example.com/version'] === undefined);
    if (old !== undefined) world.dropMachine(old.metadata.name);
    for (let n = 0; n < 6 && world.deployment?.spec.paused !== true; n += 1) {
      await tell(() => {});
      await runSets();
      await tell(() => world.tellNew({ phase: 'Failed', errorReason: 'CreateError', errorMessage: 'no such image' }));
    }
    expect(world.deployment?.spec.paused).toBe(true);
    expect(progress(world)?.message).toContain('It is not rolled back: this is the template that it would go back to');
    expect(eventsOf(world, 'RolledBack')).toHaveLength(1);
  });

  it('pauses where somebody puts the template in place again that it was rolled back from', async () => {
    const { world, fail, rounds } = await failing('again');
    await fail('2');
    await rounds(() => progress(world)?.reason === NEW_SET_AVAILABLE && world.machines.length === 3);
    await fail('2');
    await temporal.pass(3);
    expect(world.deployment?.spec.paused).toBe(true);
    expect(progress(world)?.message).toContain('somebody put this template in place again');
    expect(eventsOf(world, 'RolledBack')).toHaveLength(1);
    expect(world.versions['first']).toBe(3);
  });

  it('leaves a template alone that somebody wrote meanwhile', async () => {
    const { world, fail, rounds } = await failing('raced');
    world.onRequest = before({ verb: 'jsonPatch', nth: 1 }, () => world.release('3'));
    await fail('2');
    await rounds(() => world.versions['3'] === 3 && world.machines.length === 3);
    expect(world.versions).toEqual({ 3: 3 });
    expect(world.deployment?.metadata.annotations ?? {}).not.toHaveProperty([ANNOTATION]);
    expect(eventsOf(world, 'RolledBack')).toEqual([]);
  });

  it('pauses where it may not write the template', async () => {
    const { world, fail } = await failing('refused');
    world.onRequest = (request, carryOut) =>
      request.verb === 'jsonPatch' ? Promise.reject(new KubeError(403, 'Forbidden', 'by policy')) : carryOut();
    await fail('2');
    await temporal.pass(3);
    expect(world.deployment?.spec.paused).toBe(true);
    expect(progress(world)).toMatchObject({ status: 'False', reason: 'NewMachinesFailed' });
    expect(progress(world)?.message).toMatch(/It is not rolled back: .*by policy.* The rollout is paused/);
    expect(world.versions['first']).toBe(3);
  });

  it('goes on with that, and does not begin anew, where Temporal has lost its workflow', async () => {
    const { world, fail, handle } = await failing('lost');
    await fail('2');
    await temporal.pass(3);
    await handle.terminate();
    const again = await temporal.startObject('machineDeployment', world, world.ref);
    for (let n = 0; n < 20 && world.versions['2'] !== undefined; n += 1) {
      await temporal.pass(2);
      await temporal.signal(again, changedSignal);
      await temporal.pass(2);
      let isOver = false;
      const running = world.runSets().finally(() => (isOver = true));
      await temporal.until(() => isOver, { step: 0.1 });
      await running;
      world.endMachines();
    }
    expect(world.versions).toEqual({ first: 3 });
    expect(world.deployment?.spec.paused).toBe(false);
    expect(eventsOf(world, 'RolledBack')).toHaveLength(1);
  });
});
