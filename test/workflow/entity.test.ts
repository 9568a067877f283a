import { expect, it } from '@jest/globals';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import type { EntityInput } from '../../workflows/entity.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const QUEUE = 'looping';
const INPUT: EntityInput<unknown> = {
  v: 1,
  ref: { apiVersion: 'v1', kind: 'Loop', namespace: 'default', name: 'l', uid: 'uid-of-l' },
  clusterUid: 'uid-of-the-cluster',
};

it('a workflow that never rests goes on as a new run after a thousand passes, and loses nothing that was noted', async () => {
  const workflowsPath = fileURLToPath(new URL('./looping-workflow.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  const { nativeConnection, client } = temporal.env;
  const worker = await Worker.create({ connection: nativeConnection, taskQueue: QUEUE, workflowBundle });
  const options = { args: [INPUT], workflowId: 'looping', taskQueue: QUEUE, signal: 'note' };
  const handle = await client.workflow.signalWithStart('looping', options);
  await worker.runUntil(handle.result());
  const first = client.workflow.getHandle('looping', handle.signaledRunId, { followRuns: false });
  await expect(first.result()).rejects.toThrow('continued as new');
  expect(await handle.result()).toEqual({ passes: 1500, noted: 1 });
});
