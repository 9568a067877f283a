import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pLimit from 'p-limit';
import { awsEnvironment } from '../../../devstack/stack/processes/aws-environment.ts';
import { isNotFound } from '../../../k8s/kube-error.ts';
import {
  CLUSTERS,
  MACHINE_CLASSES,
  MACHINE_DEPLOYMENTS,
  MACHINE_HEALTH_CHECKS,
  MACHINE_SETS,
  MACHINES,
} from '../../../k8s/dialects/openshift/resources.ts';
import { STRAY_REJECTION } from '../../../process/stray-rejections.ts';
import { behave } from '../lifecycle/cloud.ts';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { watchSlowness } from '../slowness.ts';
import { getStack } from '../stack.ts';
import { createBroken } from './mutated-objects-created.ts';
import { listUntold } from './mutated-objects-told.ts';
import { withoutSchemas } from './without-schemas.ts';

/** From its creation until a healthy machine runs: while these are taken up, all at once, and afterwards. */
const MOST_MS_AT_ONCE = 30_000;
const MOST_MS_AFTERWARDS = 8000;
/** From then on until every one of them went on, or says why not. */
const MOST_MS_UNTIL_TOLD = 45_000;
/** Instances that the cloud has for them: enough that some get one, and few enough that the stack is not loaded by them. */
const CAPACITY = 24;
/** The same objects each time, so that a failure is the change's; other ones by MILLWRIGHT_FUZZ_SEED. */
const SEED = Number(process.env['MILLWRIGHT_FUZZ_SEED'] ?? 1);
/** Nobody listens there: whatever a broken spec asks of EC2 stays on this machine. */
const NOWHERE = 'http://127.0.0.1:1';
const AWS_NOWHERE = {
  ...awsEnvironment(NOWHERE),
  AWS_ENDPOINT_URL: NOWHERE,
  AWS_ACCESS_KEY_ID: 'AKIANOBODY',
  AWS_SECRET_ACCESS_KEY: 'nothing',
};
const { kube, temporal } = getStack();

describe.each([
  { round: 'with-schemas', what: 'that the API server checks against their schemas' },
  { round: 'without-schemas', what: 'that an API server without our schemas let in' },
])(`five hundred objects $what, randomly broken (seed ${SEED})`, ({ round }) => {
  const namespace = `mutated-${round}`;
  const instanceType = `sim.${namespace}`;
  let own: OwnNamespace;
  let restore: () => Promise<void> = async () => {};

  beforeAll(async () => {
    own = await openNamespace(namespace, { worker: { env: AWS_NOWHERE } });
    await behave(instanceType, { capacity: CAPACITY });
    if (round === 'without-schemas') restore = await withoutSchemas();
  }, 120_000);
  afterAll(async () => {
    // Nothing of it is healthy enough to be taken down one by one: the objects go with their finalizers.
    await Promise.all([own.worker.end(), own.watcher.end()]);
    await dropAll(namespace);
    await restore();
  }, 120_000);

  it('end neither watcher nor worker, block no workflow, delay no healthy machine, and each goes on or is told why not', async () => {
    const { accepted, refused, statuses } = await createBroken(namespace, instanceType, SEED);
    const slowness = watchSlowness();
    const atOnceMs = await timeUp(own, 'healthy-at-once');
    const afterwardsMs = await timeUp(own, 'healthy-afterwards');
    const startedAt = Date.now();
    const untold = await remaining(() => listUntold(namespace), MOST_MS_UNTIL_TOLD);
    console.log(
      [
        `${round}: ${accepted} accepted, ${refused} refused; of statuses ${statuses.accepted} and ${statuses.refused}`,
        `a healthy machine ran after ${atOnceMs} ms, a later one after ${afterwardsMs} ms`,
        `all but ${untold.length} had gone on, or were told, ${Date.now() - startedAt} ms later`,
      ].join('; '),
    );

    expect(accepted).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    // The schema of a status lets next to nothing of this in.
    expect(round === 'with-schemas' ? statuses.refused : statuses.accepted).toBeGreaterThan(0);
    expect(isAlive(own.worker.pid)).toBe(true);
    expect(isAlive(own.watcher.pid)).toBe(true);
    const logs = await Promise.all([own.worker.log, own.watcher.log].map((file) => readFile(file, 'utf8')));
    expect(logs.filter((log) => log.includes(STRAY_REJECTION))).toEqual([]);
    expect({ blocked: await blockedWorkflows(namespace), untold }).toEqual({ blocked: [], untold: [] });
    expect(atOnceMs).toBeLessThanOrEqual(MOST_MS_AT_ONCE * slowness());
    expect(afterwardsMs).toBeLessThanOrEqual(MOST_MS_AFTERWARDS * slowness());
  }, 300_000);
});

/** Milliseconds from the creation of a healthy machine until it runs. */
async function timeUp(own: OwnNamespace, name: string): Promise<number> {
  const startedAt = Date.now();
  await own.createMachine(name);
  await own.untilPhase(name, 'Running', { timeoutMs: 120_000, everyMs: 100 });
  return Date.now() - startedAt;
}

/** What is left of a list that shall become empty, at the end of the time. */
async function remaining(list: () => Promise<string[]>, timeoutMs: number): Promise<string[]> {
  const startedAt = Date.now();
  const slowness = watchSlowness();
  for (;;) {
    const left = await list();
    if (left.length === 0 || Date.now() - startedAt > timeoutMs * slowness()) return left;
    await delay(1000);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Workflows of the namespace that a defect ended, or whose task fails over and over: no change of the object mends them. */
async function blockedWorkflows(namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  const blocked: string[] = [];
  const query = `TaskQueue = '${namespace}' AND ExecutionStatus != 'Completed' AND ExecutionStatus != 'ContinuedAsNew'`;
  for await (const { workflowId, runId, status } of client.workflow.list({ query })) {
    const handle = client.workflow.getHandle(workflowId, runId);
    if (status.name !== 'RUNNING') {
      const why = await handle.result().catch((error: unknown) => reasonOf(error));
      blocked.push(`${workflowId}: ${status.name}: ${String(why)}`);
      continue;
    }
    const { raw } = await handle.describe();
    const attempt = raw.pendingWorkflowTask?.attempt ?? 0;
    if (attempt > 1) blocked.push(`${workflowId}: attempt ${attempt} of its task`);
  }
  await connection.close();
  return blocked;
}

/** With all its causes: the first says no more than that a workflow failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}

async function dropAll(namespace: string): Promise<void> {
  const limit = pLimit(16);
  for (const resource of [
    MACHINE_HEALTH_CHECKS,
    MACHINE_DEPLOYMENTS,
    MACHINE_SETS,
    MACHINES,
    MACHINE_CLASSES,
    CLUSTERS,
  ]) {
    const { items } = await kube.list<{ metadata: { name: string } }>(resource, { namespace });
    await Promise.all(
      items.map(({ metadata: { name } }) =>
        limit(async () => {
          try {
            await kube.mergePatch(resource, namespace, name, { metadata: { finalizers: [] } });
            await kube.delete(resource, namespace, name);
          } catch (error) {
            // Collected with its set.
            if (!isNotFound(error)) throw error;
          }
        }),
      ),
    );
  }
}
