import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';

const NAME = 'split-roles';
let own: OwnNamespace;
let activities: MillwrightProcess;

beforeAll(async () => {
  own = await openNamespace(NAME, { workerArgs: ['--role', 'workflows'] });
  activities = await startMillwright('worker', { args: ['--task-queue', NAME, '--role', 'activities'] });
  await activities.ready;
}, 90_000);

afterAll(async () => {
  await own.end();
  await activities.end();
}, 90_000);

test('one worker decides and another launches, and a machine comes and goes', async () => {
  await own.createMachine('split');
  await own.untilPhase('split', 'Running');
  await own.removeMachine('split');

  const decides = await metricsOf(own.worker);
  expect(decides).toContain('temporal_workflow_task_execution_latency_seconds_count');
  expect(decides).toMatch(/temporal_local_activity_execution_latency_seconds_count\{activity_type="observeMachine"/);
  expect(decides).not.toContain('temporal_activity_execution_latency_seconds_count');
  expect(decides).not.toContain('service="launch"');
  expect(decides).toContain('mcm_cloud_api_requests_total{provider="simulated",service="terminate"} 1');

  const calls = await metricsOf(activities);
  expect(calls).toContain('mcm_cloud_api_requests_total{provider="simulated",service="launch"} 1');
  expect(calls).not.toContain('temporal_workflow_task_execution_latency_seconds_count');
}, 90_000);

test('each is ready by the pollers of its own role', async () => {
  const ready = async ({ url }: MillwrightProcess) => (await fetch(`${url}/readyz`)).text();
  expect(await ready(own.worker)).toMatch(
    /^\[\+\] worker: RUNNING\n\[\+\] workflow-pollers: POLLING\n\[\+\] temporal: /,
  );
  expect(await ready(activities)).toMatch(
    /^\[\+\] worker: RUNNING\n\[\+\] activity-pollers: POLLING\n\[\+\] temporal: /,
  );
});

async function metricsOf({ url }: MillwrightProcess): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}
