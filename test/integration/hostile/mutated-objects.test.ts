import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { sample } from 'fast-check';
import pLimit from 'p-limit';
import { isNotFound, KubeError } from '../../../k8s/kube-error.ts';
import { MACHINES, MACHINE_SETS, type Resource } from '../../../k8s/resources.ts';
import { machineManifest, machineSetManifest } from '../lifecycle/manifests.ts';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';
import { mutate, mutationsOf } from './mutated-objects.ts';
import { withoutSchemas } from './without-schemas.ts';

/** Objects of each round, four Machines to one MachineSet. */
const OBJECTS = 500;
/** From its creation until a healthy machine runs: while these are taken up, all at once, and afterwards. */
const MOST_MS_AT_ONCE = 30_000;
const MOST_MS_AFTERWARDS = 8000;
const SEED = Number(process.env['MILLWRIGHT_FUZZ_SEED'] ?? Date.now() % 100_000);
const { kube, temporal } = getStack();

describe.each([
  { round: 'with-schemas', what: 'that the API server checks against their schemas' },
  { round: 'without-schemas', what: 'that an API server without our schemas let in' },
])(`five hundred objects $what, randomly broken (seed ${SEED})`, ({ round }) => {
  const namespace = `mutated-${round}`;
  let own: OwnNamespace;
  let restore: () => Promise<void> = async () => {};

  beforeAll(async () => {
    own = await openNamespace(namespace);
    if (round === 'without-schemas') restore = await withoutSchemas();
  }, 120_000);
  afterAll(async () => {
    // Nothing of it is healthy enough to be taken down one by one: the objects go with their finalizers.
    await Promise.all([own.worker.end(), own.watcher.end()]);
    await dropAll(namespace);
    await restore();
  }, 120_000);

  it('end neither watcher nor worker, block no workflow, and delay no healthy machine', async () => {
    const { accepted, refused } = await createBroken(namespace);
    const atOnceMs = await timeUp(own, 'healthy-at-once');
    const afterwardsMs = await timeUp(own, 'healthy-afterwards');
    console.log(
      `${round}: ${accepted} accepted, ${refused} refused; a healthy machine ran after ${atOnceMs} ms, a later one after ${afterwardsMs} ms`,
    );

    expect(accepted).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    expect(isAlive(own.worker.pid)).toBe(true);
    expect(isAlive(own.watcher.pid)).toBe(true);
    expect(await blockedWorkflows(namespace)).toEqual([]);
    expect(atOnceMs).toBeLessThanOrEqual(MOST_MS_AT_ONCE);
    expect(afterwardsMs).toBeLessThanOrEqual(MOST_MS_AFTERWARDS);
  }, 300_000);
});

/** Milliseconds from the creation of a healthy machine until it runs. */
async function timeUp(own: OwnNamespace, name: string): Promise<number> {
  const startedAt = Date.now();
  await own.createMachine(name);
  await own.untilPhase(name, 'Running', { timeoutMs: 120_000, everyMs: 100 });
  return Date.now() - startedAt;
}

async function createBroken(namespace: string): Promise<{ accepted: number; refused: number }> {
  const limit = pLimit(16);
  let accepted = 0;
  let refused = 0;
  const create = async (resource: Resource, object: object) => {
    try {
      await kube.create(resource, namespace, object);
      accepted += 1;
    } catch (error) {
      // Only what the API server itself found wrong with the object counts as refused.
      if (!(error instanceof KubeError) || ![400, 403, 422].includes(error.status)) throw error;
      refused += 1;
    }
  };
  const sets = OBJECTS / 5;
  const ofMachines = sample(mutationsOf('Machine'), { numRuns: OBJECTS - sets, seed: SEED });
  const ofSets = sample(mutationsOf('MachineSet'), { numRuns: sets, seed: SEED });
  await Promise.all([
    ...ofMachines.map((mutations, i) =>
      limit(() => create(MACHINES, mutate(machineManifest(namespace, `machine-${i}`), mutations))),
    ),
    ...ofSets.map((mutations, i) =>
      limit(() => create(MACHINE_SETS, mutate(machineSetManifest(namespace, `set-${i}`, { replicas: 1 }), mutations))),
    ),
  ]);
  return { accepted, refused };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Workflows of the namespace whose task fails over and over: a defect that no change of the object mends. */
async function blockedWorkflows(namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  const blocked: string[] = [];
  const query = `TaskQueue = '${namespace}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    if ((raw.pendingWorkflowTask?.attempt ?? 0) > 1) blocked.push(workflowId);
  }
  await connection.close();
  return blocked;
}

async function dropAll(namespace: string): Promise<void> {
  const limit = pLimit(16);
  for (const resource of [MACHINE_SETS, MACHINES]) {
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
