import { describe, expect, it } from '@jest/globals';
import { MACHINE_DEPLOYMENTS } from '../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import type { MachineDeploymentObject } from '../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { aBudget } from '../world/builders/a-budget.ts';
import { aPod } from '../world/builders/a-pod.ts';
import { refused } from '../world/world-cloud.ts';
import { before, straight } from '../world/kubernetes/request.ts';
import { realMachineDeployment } from './real-machine-deployment.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';
import { given } from '../../providers/given.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const NEW_SET_AVAILABLE = 'NewReplicaSetAvailable';

/** A deployment of three machines that is rolled out. */
async function rolledOut(name: string, spec: Partial<MachineDeploymentObject['spec']> = {}) {
  const real = await realMachineDeployment(temporal, name, { spec });
  const { world, rounds } = real;
  const progress = () => world.condition('Progressing');
  const isDone = (version: string) => () =>
    progress()?.reason === NEW_SET_AVAILABLE && world.versions[version] === 3 && world.machines.length === 3;
  await rounds(isDone('first'));
  const dryRuns = () => world.cloud.asked('dryRun').length;
  const eventsOf = (reason: string) => world.events.filter((event) => event.reason === reason);
  return { ...real, progress, isDone, dryRuns, eventsOf };
}

describe('a rollout asks the cloud before it touches anything', () => {
  it('once, and goes on; the first machines of a deployment are not asked for', async () => {
    const { world, rounds, isDone, dryRuns } = await rolledOut('asked');
    expect(dryRuns()).toBe(0);
    world.release('2');
    await rounds(isDone('2'));
    expect(dryRuns()).toBe(1);
    expect(world.cloud.instances).toEqual([]);
  });

  it('once, also where the answer cannot be put on record for a while', async () => {
    const { world, tell, rounds, isDone, dryRuns } = await rolledOut('unwritten');
    world.onRequest = before({ subresource: 'status', resource: MACHINE_DEPLOYMENTS }, () => {
      throw new KubeError(403, 'Forbidden', 'no');
    });
    await tell(() => world.release('2'));
    for (let n = 0; n < 10; n += 1) await tell(() => {});
    expect(dryRuns()).toBe(1);
    world.onRequest = straight;
    await temporal.pass(60);
    await rounds(isDone('2'));
    expect(dryRuns()).toBe(1);
  });

  it('makes and takes nothing where a launch would not work, says why, and goes on when that is mended', async () => {
    const { world, tell, rounds, isDone, progress, dryRuns, eventsOf } = await rolledOut('refused');
    world.cloud.onRequest = refused('dryRun', new ProviderError('PermissionDenied', 'you may not launch'));
    await tell(() => world.release('2'));
    await temporal.pass(5);
    expect(progress()).toMatchObject({ status: 'False', reason: 'PreflightFailed' });
    expect(progress()?.message).toContain('you may not launch');
    expect(world.status.preflight).toMatchObject({ revision: 2, passed: false });
    await rounds(() => false, 4);
    expect(world.versions).toEqual({ first: 3 });
    expect(world.causes).toEqual([]);
    expect(eventsOf('PreflightFailed')).toHaveLength(1);
    expect(dryRuns()).toBe(1);
    // What it waits for is on record: it looks no more, and writes nothing.
    const asked = world.requests.length;
    await temporal.pass(60);
    expect(world.requests).toHaveLength(asked);
    // Nothing tells when it is mended.
    world.cloud.onRequest = straight;
    await temporal.pass(310);
    expect(dryRuns()).toBe(2);
    await rounds(isDone('2'));
    expect(world.versions).toEqual({ 2: 3 });
  });

  it('names what a template says that the cloud does not have, before it asks for more', async () => {
    const { world, tell, progress, rounds, isDone } = await rolledOut('wrong');
    const { template } = world.deployment?.spec ?? {};
    const value = { ...template?.spec.providerSpec?.value, image: 'nope' };
    const wrong = { ...template, spec: { providerSpec: { value } } } as MachineDeploymentObject['spec']['template'];
    await tell(() => world.change({ template: wrong }));
    await temporal.pass(5);
    expect(progress()?.reason).toBe('PreflightFailed');
    expect(progress()?.message).toContain('nope');
    // Another template is asked for at once.
    world.release('3');
    await tell(() => world.change({ template: { ...wrong, spec: template?.spec ?? wrong.spec } }));
    if (template !== undefined) world.change({ template });
    world.release('4');
    await rounds(isDone('4'));
    expect(world.versions).toEqual({ 4: 3 });
  });

  it('waits where the cloud is throttled or away, and says so', async () => {
    const { world, tell, rounds, isDone, progress, eventsOf } = await rolledOut('throttled');
    world.cloud.onRequest = refused('dryRun', new ProviderError('Throttled', 'slow down'));
    await tell(() => world.release('2'));
    await temporal.pass(60);
    expect(progress()).toMatchObject({ status: 'True', reason: 'PreflightPending' });
    expect(progress()?.message).toContain('slow down');
    expect(world.versions).toEqual({ first: 3 });
    expect(eventsOf('PreflightFailed')).toEqual([]);
    world.cloud.onRequest = straight;
    await temporal.pass(300);
    await rounds(isDone('2'));
    expect(world.versions).toEqual({ 2: 3 });
  });

  it('is asked again in time although the API server takes longer to take down what it said', async () => {
    const { world, tell, progress } = await rolledOut('slow-status');
    let asked = 0;
    world.cloud.onRequest = (request, carryOut) => {
      if (request.action === 'dryRun' && (asked += 1) === 1) throw new ProviderError('Throttled', 'slow down');
      return carryOut();
    };
    const slow = { verb: 'apply', resource: MACHINE_DEPLOYMENTS, subresource: 'status' } as const;
    world.onRequest = before(slow, () => temporal.clock.goAhead(7000));
    await tell(() => world.release('2'));
    await temporal.pass(60);
    expect(asked).toBeGreaterThan(1);
    expect(progress()?.reason).not.toBe('PreflightPending');
  });

  it('goes on where there is no room: that is waited for in the rollout', async () => {
    const { world, rounds, isDone } = await rolledOut('full');
    world.cloud.onRequest = refused('dryRun', new ProviderError('ResourceExhausted', 'no room'));
    world.release('2');
    await rounds(isDone('2'));
    expect(world.versions).toEqual({ 2: 3 });
  });

  it('warns of budgets that allow no eviction now, and goes on', async () => {
    const { world, rounds, isDone, eventsOf } = await rolledOut('budgets');
    const [machine] = world.machines;
    world.kube.put(aPod({ name: 'web-1', node: machine?.status?.nodeRef?.name ?? '', labels: { app: 'web' } }));
    world.kube.put({ ...aBudget('web'), status: { disruptionsAllowed: 0 } } as never);
    world.release('2');
    await rounds(isDone('2'));
    const [warning] = eventsOf('BudgetsBlockDrains');
    expect(warning?.message).toMatch(/allow no eviction now: default\/web, which keeps pod web-1 on Node/);
    expect(eventsOf('BudgetsBlockDrains')).toHaveLength(1);
  });

  it('warns of none where people delete the machines, each when that suits them', async () => {
    const { world, rounds, eventsOf, dryRuns } = await rolledOut('budgets-on-delete', {
      strategy: { type: 'OnDelete' },
    });
    const [machine] = world.machines;
    world.kube.put(aPod({ name: 'web-1', node: machine?.status?.nodeRef?.name ?? '', labels: { app: 'web' } }));
    world.kube.put({ ...aBudget('web'), status: { disruptionsAllowed: 0 } } as never);
    world.release('2');
    await rounds(() => world.sets.length === 2);
    expect([dryRuns(), eventsOf('BudgetsBlockDrains')]).toEqual([1, []]);
  });

  it('warns of them on the way back in mid-roll, too, of which the cloud is not asked', async () => {
    const { world, tell, rounds, isDone, dryRuns, eventsOf } = await rolledOut('budgets-back');
    const { template } = world.deployment?.spec ?? {};
    world.release('2');
    const isNew = ({ metadata }: (typeof world.machines)[number]) =>
      metadata.annotations?.['example.com/version'] === '2';
    await rounds(() => world.machines.some((machine) => isNew(machine) && machine.status?.nodeRef !== undefined));
    expect([dryRuns(), eventsOf('BudgetsBlockDrains').length]).toEqual([1, 0]);
    const node = world.machines.find(isNew)?.status?.nodeRef?.name ?? '';
    world.kube.put(aPod({ name: 'web-1', node, labels: { app: 'web' } }));
    world.kube.put({ ...aBudget('web'), status: { disruptionsAllowed: 0 } } as never);
    await tell(() => world.change(given({ template })));
    await rounds(isDone('first'), 40);
    expect(eventsOf('BudgetsBlockDrains').map(({ message }) => message)).toEqual([
      `PodDisruptionBudgets that allow no eviction now: default/web, which keeps pod web-1 on Node ${node}. Drains wait for them`,
    ]);
    expect(dryRuns()).toBe(1);
  });
});

describe('a deployment whose machines may not be replaced', () => {
  it('says so when the template changes, and makes and takes nothing', async () => {
    const { world, tell, rounds, progress, dryRuns, isDone } = await rolledOut('never', {
      strategy: { type: 'RollingUpdate', replace: 'Never' },
    });
    await tell(() => world.release('2'));
    await rounds(() => false, 4);
    expect(progress()).toMatchObject({ status: 'False', reason: 'ReplaceNotAllowed' });
    expect(world.sets).toHaveLength(1);
    expect(world.versions).toEqual({ first: 3 });
    expect(dryRuns()).toBe(0);
    // What goes is replaced by its own kind.
    const [one] = world.machines;
    if (one !== undefined) world.dropMachine(one.metadata.name);
    await rounds(() => false, 4);
    expect(world.versions).toEqual({ first: 3 });
    world.change({ strategy: { type: 'RollingUpdate', replace: 'Allowed' } });
    await rounds(isDone('2'));
    expect(world.versions).toEqual({ 2: 3 });
  });
});
