import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { bundledWorkflows } from '../workflow/bundled-workflows.ts';
import { readHistory } from './history-file.ts';
import { STORIES } from './stories.ts';
import { bundleWithSwappedSteps } from './swapped-workflows.ts';

const folder = join(import.meta.dirname, '..', 'histories');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
});

/** What went wrong with each history, by its file; empty: all replay. */
async function replay(workflowBundle: WorkflowBundleOption, names: readonly string[]): Promise<Map<string, Error>> {
  const histories = names.map((name) => ({
    workflowId: name,
    history: readHistory(join(folder, name)),
  }));
  const problems = new Map<string, Error>();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    if (error !== undefined) problems.set(workflowId, error);
  }
  return problems;
}

describe('the recorded histories', () => {
  it('hold every path', () => {
    const paths = files.map((name) => name.replace(/\.json$/, ''));
    expect(paths.sort()).toEqual(Object.keys(STORIES).sort());
  });

  it('replay with the workflows as they are now', async () => {
    const problems = await replay(await bundledWorkflows(), files);
    expect([...problems].map(([name, { message }]) => `${name}: ${message}`)).toEqual([]);
  }, 60_000);

  it('do not replay when two steps of a deletion change places', async () => {
    const swapped = await bundleWithSwappedSteps('workflows/machine/machine.ts', '  terminated,', '  released,');
    const problems = await replay(swapped, files);
    // The unsettled one came to no instance that would have to be ended.
    const ended = ['deleted-late', 'deleted-soon', 'deleted', 'drained'].map((name) => `machine-${name}.json`);
    expect([...problems.keys()].sort()).toEqual(ended);
    for (const error of problems.values()) expect(error).toBeInstanceOf(DeterminismViolationError);
  }, 60_000);
});
