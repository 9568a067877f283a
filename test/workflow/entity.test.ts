import { expect, it } from '@jest/globals';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import type { EntityInput } from '../../workflows/entity.ts';
import { PACE_MS } from './looping-workflow.ts';
import { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const QUEUE = 'looping';
const INPUT: EntityInput<unknown> = {
  v: 1,
  ref: { apiVersion: 'v1', kind: 'Loop', namespace: 'default', name: 'l', uid: 'uid-of-l' },
  clusterUid: 'uid-of-the-cluster',
};

async function loopingWorker({ env }: Temporal): Promise<Worker> {
  const workflowsPath = fileURLToPath(new URL('./looping-workflow.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  return Worker.create({ connection: env.nativeConnection, taskQueue: QUEUE, workflowBundle });
}

it('a workflow that never rests goes on as a new run after a thousand passes, and loses nothing that was noted', async () => {
  const { client } = temporal.env;
  const worker = await loopingWorker(temporal);
  const options = { args: [INPUT], workflowId: 'looping', taskQueue: QUEUE, signal: 'note' };
  const handle = await client.workflow.signalWithStart('looping', options);
  await worker.runUntil(handle.result());
  const first = client.workflow.getHandle('looping', handle.signaledRunId, { followRuns: false });
  await expect(first.result()).rejects.toThrow('continued as new');
  expect(await handle.result()).toEqual({ passes: 1500, noted: 1 });
});

it('a workflow that rests between two passes does so where it goes on as a new run in between', async () => {
  const real = await Temporal.suggestingContinueAsNewAfter(20);
  try {
    const worker = await loopingWorker(real);
    const options = { args: [INPUT], workflowId: 'pacing', taskQueue: QUEUE };
    const handle = await real.client.workflow.start('pacing', options);
    const times = await worker.runUntil(handle.result() as Promise<number[]>);
    const { runId } = await real.client.workflow.getHandle('pacing').describe();
    expect(runId).not.toBe(handle.firstExecutionRunId);
    expect(times).toHaveLength(8);
    for (const [index, at] of times.slice(1).entries()) {
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(PACE_MS);
    }
  } finally {
    await real.endAll();
    await real.stop();
  }
}, 60_000);
