import { beforeAll, describe, expect, it } from '@jest/globals';
import proto from '@temporalio/proto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { DefaultLogger, Runtime, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { bundledWorkflows } from '../workflow/bundled-workflows.ts';
import { isRecordedUnderLoad, readHistory } from './history-file.ts';
import { STORIES } from './stories.ts';
import { bundleWithSwappedSteps } from './swapped-workflows.ts';

const { EventType } = proto.temporal.api.enums.v1;

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

  it('were made by a computer that had the time: no workflow task timed out', () => {
    expect(files.filter((name) => isRecordedUnderLoad(readHistory(join(folder, name))))).toEqual([]);
    const [started, scheduled] = readHistory(join(folder, 'machine-up.json')).events ?? [];
    const late = { ...scheduled, eventType: EventType.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT };
    expect(isRecordedUnderLoad({ events: [started ?? {}, late] })).toBe(true);
  });

  it('replay with the workflows as they are now', async () => {
    const problems = await replay(await bundledWorkflows(), files);
    expect([...problems].map(([name, { message }]) => `${name}: ${message}`)).toEqual([]);
  }, 60_000);

  it('do not replay when two steps of a deletion change places', async () => {
    const swapped = await bundleWithSwappedSteps(
      'workflows/machine/machine.ts',
      '  withNodeToldInTrouble(terminated),',
      '  released,',
    );
    const problems = await replay(swapped, files);
    // The unsettled one came to no instance that would have to be ended.
    const ended = ['deleted-late', 'deleted-soon', 'deleted', 'drained'].map((name) => `machine-${name}.json`);
    expect([...problems.keys()].sort()).toEqual(ended);
    for (const error of problems.values()) expect(error).toBeInstanceOf(DeterminismViolationError);
  }, 60_000);
});
