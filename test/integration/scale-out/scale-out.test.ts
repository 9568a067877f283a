import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Ledger } from '../../../devstack/doubles/cloud/ledger.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { readWrites } from '../../bench/audit-log.ts';
import { isLive } from '../lifecycle/cloud.ts';
import { until } from '../until.ts';
import { scaleOut, type ScaledOut } from './scaled-out.ts';

const SET = 'wide';
const COUNT = 200;
/** So many stay until Temporal's databases are lost, and so many come while they are away. */
const LEFT = 10;
const ADDED = 5;
let out: ScaledOut;

beforeAll(async () => {
  out = await scaleOut();
}, 180_000);

afterAll(async () => {
  await out?.end();
}, 180_000);

test(`${COUNT} machines come up, each with one instance, though a worker and the active watcher are killed on the way`, async () => {
  const startedAt = Date.now();
  await out.createMachineSet(SET, COUNT);
  // On a quick computer most of them run a second after the first.
  await until('the first of them run', countRunning, (n) => n > 0, { timeoutMs: 180_000, everyMs: 50 });
  const firstWatcher = await out.activeWatcher();
  await out.killOneOfEach();
  const killedAt = Date.now();
  const running = await countRunning();
  await until('all of them run', countRunning, (n) => n === COUNT, { timeoutMs: 240_000 });
  const ranAt = Date.now();
  const machines = await out.machines();
  const workers = await Promise.all(machines.map((machine) => out.workersOf(machine)));
  const handedOver = workers.filter(({ size }) => size > 1).length;
  console.log(
    `${running} of ${COUNT} ran when one worker and one watcher were killed, ${seconds(killedAt - startedAt)} s after the ` +
      `beginning; all ran ${seconds(ranAt - killedAt)} s later; both workers had to do with ${handedOver} of them`,
  );

  // The kill came in the middle.
  expect(running).toBeLessThan(COUNT);
  expect(handedOver).toBeGreaterThan(0);
  expect(machines).toHaveLength(COUNT);
  expect(await out.activeWatcher()).not.toBe(firstWatcher);
  const ledger = await out.readLedger();
  expect(trespasses(machines, ledger)).toEqual([]);
  // Nothing was launched for a Machine that is not there any more.
  expect(ledger.instances).toHaveLength(COUNT);
  expect(await countCreations()).toBe(COUNT);
  expect(await out.countWorkflows('ExecutionStatus = "Running"')).toBe(COUNT + 1);
  expect(await out.countWorkflows('ExecutionStatus != "Running"')).toBe(0);
}, 480_000);

test(`and ${COUNT - LEFT} of them go`, async () => {
  const askedAt = Date.now();
  await out.scale(SET, LEFT);
  await until('they are gone', countPresent, (n) => n === LEFT, { timeoutMs: 240_000 });
  console.log(`${COUNT - LEFT} of ${COUNT} were gone after ${seconds(Date.now() - askedAt)} s`);
  const ledger = await out.readLedger();
  expect(ledger.instances.filter(isLive)).toHaveLength(LEFT);
  expect(trespasses(await out.machines(), ledger)).toEqual([]);
  await until(
    'the workflows of those that are gone have completed',
    () => out.countWorkflows('ExecutionStatus = "Completed"'),
    (n) => n === COUNT - LEFT,
    { timeoutMs: 20_000 },
  );
  expect(await out.countWorkflows('ExecutionStatus != "Running" AND ExecutionStatus != "Completed"')).toBe(0);
}, 300_000);

test('when Temporal loses its databases, those that are there keep their instance, and life goes on', async () => {
  const before = await out.machines();
  const lostAt = Date.now();
  const losing = out.loseTemporalsDatabases();
  await out.scale(SET, LEFT + ADDED);
  await losing;
  await until('those that came meanwhile run', countRunning, (n) => n === LEFT + ADDED, { timeoutMs: 60_000 });
  console.log(`${ADDED} more ran ${seconds(Date.now() - lostAt)} s after Temporal lost its databases`);

  const ledger = await out.readLedger();
  const machines = await out.machines();
  expect(trespasses(machines, ledger)).toEqual([]);
  expect(ledger.instances.filter(isLive)).toHaveLength(LEFT + ADDED);
  const idsOf = (of: readonly MachineObject[]) => of.map(({ metadata, spec }) => `${metadata.name} ${spec.providerID}`);
  expect(idsOf(machines)).toEqual(expect.arrayContaining(idsOf(before)));
  await until(
    'each has a workflow again',
    () => out.countWorkflows('ExecutionStatus = "Running"'),
    (n) => n === LEFT + ADDED + 1,
    { timeoutMs: 20_000 },
  );

  await out.scale(SET, 0);
  await until('all are gone', countPresent, (n) => n === 0, { timeoutMs: 60_000 });
  expect((await out.readLedger()).instances.filter(isLive)).toEqual([]);
  expect(out.unexpectedExits).toEqual([]);
}, 300_000);

async function countRunning(): Promise<number> {
  return out.followed.running();
}

async function countPresent(): Promise<number> {
  return out.followed.present();
}

/** What the ledger holds against "one launch and one instance for each machine": a sentence each. */
function trespasses(machines: readonly MachineObject[], { instances, calls }: Ledger): string[] {
  return machines.flatMap(({ metadata: { name, uid }, spec }) => {
    const launches = calls.filter(({ action, machine }) => action === 'launch' && machine === uid).length;
    const own = instances.filter(({ machine }) => machine === uid);
    const isRight = launches === 1 && own.length === 1 && spec.providerID?.endsWith(own[0]?.id ?? '?') === true;
    const list = own.map(({ id, state }) => `${id} ${state}`).join(', ');
    return isRight ? [] : [`${name}: ${launches} launches; instances in its life: ${list}`];
  });
}

/** Machines that the set made, by the API server's audit log. */
async function countCreations(): Promise<number> {
  const writes = await readWrites(out.auditLog, 0);
  return writes.filter(({ verb, resource }) => verb === 'create' && resource === 'machines').length;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
