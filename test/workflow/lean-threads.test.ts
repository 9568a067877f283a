import { afterEach, describe, expect, it } from '@jest/globals';
import { runWorkflowsDebuggable, runWorkflowsLean } from '../../workers/workflow-threads.ts';
import { provisioned } from './machine-stages.ts';
import { Temporal } from './temporal.ts';

let temporal: Temporal;
afterEach(async () => {
  runWorkflowsDebuggable();
  await temporal.endAll();
  await temporal.stop();
});

/** A machine's workflow that waits, and the call stack that the UI would show of it. */
async function waitingMachine(name: string): Promise<{ readonly phase: string | undefined; readonly stack: string }> {
  temporal = await Temporal.skippingTime();
  const { world, handle } = await provisioned(temporal, name);
  return { phase: world.status.phase, stack: await handle.query<string>('__stack_trace') };
}

describe('the threads that run workflows', () => {
  it('take no call stacks where they are lean, and the workflows go on as ever', async () => {
    runWorkflowsLean();
    expect(await waitingMachine('lean')).toEqual({ phase: 'Provisioned', stack: '' });
  }, 60_000);

  it('take them where they are debuggable', async () => {
    runWorkflowsDebuggable();
    const { phase, stack } = await waitingMachine('debuggable');
    expect(phase).toBe('Provisioned');
    expect(stack).toContain('machine');
  }, 60_000);
});
