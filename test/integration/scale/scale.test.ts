import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { USER_NAMES } from '../../../devstack/stack/credentials.ts';
import type { Ledger } from '../../../devstack/doubles/cloud/ledger.ts';
import { readWrites, type AuditedWrite } from '../../bench/audit-log.ts';
import { readLedger } from '../lifecycle/cloud.ts';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const NAMESPACE = 'scale';
/** A value that the API server accepted counts for this much longer after the next one, in milliseconds. */
const GRACE_MS = 1_000;
const { auditLog } = getStack();
let own: OwnNamespace;

beforeAll(async () => {
  own = await openNamespace(NAMESPACE);
}, 120_000);

afterAll(async () => {
  await own.end();
}, 180_000);

test('a set scaled 0 → 50 → 10 → 50 in quick succession never has more than it was asked for', async () => {
  const startedAt = Date.now();
  await own.createMachineSet('wide', { replicas: 0 });
  await own.untilMachineSet('wide', (s) => s.status?.observedGeneration === s.metadata.generation, 'it is seen');
  const asked = [0, 50, 10, 50];
  const count = async () => (await own.machines()).length;
  await own.patchMachineSet('wide', { spec: { replicas: 50 } });
  await until('machines are being made', count, (n) => n >= 20, { timeoutMs: 60_000, everyMs: 100 });
  await own.patchMachineSet('wide', { spec: { replicas: 10 } });
  await own.untilMachines(
    'ten are wanted still',
    (seen) => seen.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length <= 10,
    { everyMs: 100 },
  );
  await own.patchMachineSet('wide', { spec: { replicas: 50 } });
  const lastAskedAt = Date.now();
  await own.untilMachineSet('wide', (s) => s.status?.readyReplicas === 50, '50 are ready', { timeoutMs: 180_000 });

  const tookMs = Date.now() - lastAskedAt;
  const machines = await own.machines();
  expect(machines.filter(({ status }) => status?.phase === 'Running')).toHaveLength(50);
  expect(machines).toHaveLength(50);
  const writes = (await readWrites(auditLog, startedAt)).filter(({ namespace }) => namespace === NAMESPACE);
  const overshoots = findOvershoots(writes, asked);
  const ledger = await readLedger();
  const most = mostLive(ledger, startedAt);
  const creates = writes.filter(isMachineCreate).length;
  console.log(
    `${creates} machines made, ${creates - 50} deleted; at most ${most} live instances; 50 ready ${tookMs} ms after the last change`,
  );
  expect(creates).toBeGreaterThanOrEqual(60);
  expect(overshoots).toEqual([]);
  expect(most).toBeLessThanOrEqual(50);
}, 300_000);

const isMachineCreate = ({ verb, resource, user }: AuditedWrite) =>
  verb === 'create' && resource === 'machines' && user === USER_NAMES.worker;

/** Creations after which there were more Machines without deletionTimestamp than the set asked for then. */
function findOvershoots(writes: readonly AuditedWrite[], asked: readonly number[]): string[] {
  const accepted = writes
    .filter(({ verb, resource, user }) => user === USER_NAMES.admin && resource === 'machinesets' && verb !== 'delete')
    .map(({ answeredAt }, i) => ({ at: answeredAt, replicas: asked[i] ?? 0 }));
  expect(accepted).toHaveLength(asked.length);
  const overshoots: string[] = [];
  let active = 0;
  for (const write of writes) {
    if (write.verb === 'delete' && write.resource === 'machines') active -= 1;
    if (!isMachineCreate(write)) continue;
    active += 1;
    const at = write.answeredAt;
    const inForce = accepted.findLast((a) => a.at <= at - GRACE_MS)?.replicas ?? 0;
    const since = accepted.filter((a) => a.at > at - GRACE_MS && a.at <= at).map(({ replicas }) => replicas);
    const most = Math.max(inForce, ...since);
    if (active > most) overshoots.push(`${new Date(at).toISOString()}: ${active} of ${most} with ${write.name}`);
  }
  return overshoots;
}

/** Most instances at one time that lived and that nobody had asked to terminate. None drains meanwhile: there are no pods. */
function mostLive({ instances, calls }: Ledger, sinceMs: number): number {
  const askedToEnd = new Map<string, number>();
  for (const { action, ok, instance, at } of calls) {
    if (action !== 'terminate' || !ok || instance === null || askedToEnd.has(instance)) continue;
    askedToEnd.set(instance, Date.parse(at));
  }
  const changes = instances
    .filter(({ createdAt }) => Date.parse(createdAt) >= sinceMs)
    .flatMap(({ id, createdAt, endedAt }) => {
      const end = askedToEnd.get(id) ?? (endedAt === null ? undefined : Date.parse(endedAt));
      return [{ at: Date.parse(createdAt), by: 1 }, ...(end === undefined ? [] : [{ at: end, by: -1 }])];
    })
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let live = 0;
  let most = 0;
  for (const { by } of changes) {
    live += by;
    most = Math.max(most, live);
  }
  return most;
}
