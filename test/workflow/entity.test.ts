import { expect, it } from '@jest/globals';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LEAST_REST_MS, type EntityInput } from '../../workflows/entity.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { DUE_MS, LONG_REST_MS, PACE_MS } from './looping-workflow.ts';
import { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal(
  (started) => (temporal = started),
  () => Temporal.skippingTime(),
);

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
    const times = await worker.runUntil(tellUntilOver(real, 'pacing', handle.result() as Promise<number[]>));
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

it.each([
  ['nothing changes', false],
  ['it is told of a change', true],
])(
  'what is due does not wait for the end of a rest (%s meanwhile), and passes never follow one another at once',
  async (_what, isTold) => {
    const real = await Temporal.inRealTime();
    try {
      const worker = await loopingWorker(real);
      const workflowId = `due-${isTold}`;
      const handle = await real.client.workflow.start('due', { args: [INPUT], workflowId, taskQueue: QUEUE });
      const ended = handle.result() as Promise<number[]>;
      const [first = 0, second = 0, third = 0] = await worker.runUntil(
        isTold ? tellUntilOver(real, workflowId, ended) : ended,
      );
      expect(second - first).toBeGreaterThanOrEqual(DUE_MS);
      expect(second - first).toBeLessThan(LONG_REST_MS / 2);
      expect(third - second).toBeGreaterThanOrEqual(LEAST_REST_MS);
      expect(third - second).toBeLessThan(LONG_REST_MS / 2);
    } finally {
      await real.endAll();
      await real.stop();
    }
  },
  60_000,
);

/** Tells a workflow of changes, until it has ended. */
async function tellUntilOver<T>({ client }: Temporal, workflowId: string, ended: Promise<T>): Promise<T> {
  for (;;) {
    // It may end in this very moment.
    await client.workflow
      .getHandle(workflowId)
      .signal(changedSignal)
      .catch(() => undefined);
    const isOver = await Promise.race([ended.then(() => true), delay(PACE_MS / 10, false)]);
    if (isOver) return ended;
  }
}
