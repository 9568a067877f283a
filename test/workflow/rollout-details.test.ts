import { expect, it } from '@jest/globals';
import { realMachineDeployment } from './real-machine-deployment.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** What the Temporal UI shows of a deployment that is rolled out. */
async function rolledOut(name: string, facts: Parameters<typeof realMachineDeployment>[2] = {}) {
  const real = await realMachineDeployment(temporal, name, facts);
  await real.rounds(() => real.world.condition('Progressing')?.reason === 'NewReplicaSetAvailable');
  await real.round();
  const details = async (): Promise<string> => {
    const metadata = await real.handle.query<{ readonly currentDetails: string }>('__temporal_workflow_metadata');
    return metadata.currentDetails;
  };
  return { ...real, details };
}

it('the details of a deployment say how far its rollout is, what it waits for, and what to do', async () => {
  const { world, round, rounds, tell, details } = await rolledOut('shown');
  expect(await details()).toContain('**3 of 3** machines are of revision 1, **3** of all are available');
  expect(await details()).toMatch(/Waits for.*nothing/);
  world.release('2');
  await rounds(() => world.versions['2'] === 1);
  await tell(() => {});
  const rolling = await details();
  expect(rolling).toMatch(/\*\*[01] of 3\*\* machines are of revision 2/);
  expect(rolling).toContain('at most 4 machines, those included that are being deleted; at least 3 available');
  expect(rolling).toMatch(/revision 2 \(the newest\): 1 of 1 machines/);
  expect(rolling).toMatch(/revision 1: 3 of 3 machines/);
  expect(rolling).toContain('kubectl describe machinedeployment -n default shown');
  await tell(() => world.change({ paused: true }));
  await round();
  expect(await details()).toMatch(/Waits for.*spec\.paused to be false/);
  expect(await details()).not.toContain('**What to do:** Nothing');
});

it('with OnDelete nothing is taken: somebody deletes a machine, and one of the new template comes in its place', async () => {
  const { world, rounds, round, details } = await rolledOut('on-delete', { spec: { strategy: { type: 'OnDelete' } } });
  world.release('2');
  for (let n = 0; n < 5; n += 1) await round();
  expect(world.versions).toEqual({ first: 3 });
  expect(await details()).toMatch(/Waits for.*somebody to delete machines of earlier revisions/);
  for (const left of [2, 1, 0]) {
    const [old] = world.machines.filter((one) => one.metadata.annotations?.['example.com/version'] === undefined);
    world.dropMachine(old?.metadata.name ?? '');
    await rounds(() => world.versions['2'] === 3 - left && world.machines.length === 3);
    expect(world.versions).toEqual(left === 0 ? { 2: 3 } : { first: left, 2: 3 - left });
  }
});
