import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { until } from '../until.ts';
import { countSeries, promtool } from './evaluate-queries.ts';
import {
  ALERTS_FILE,
  ALERTS_TEST_FILE,
  groupingsOf,
  queriesOf,
  readAlerts,
  readPanels,
  selectorsOf,
} from './queries.ts';
import { scrape, together, type Scrape } from './scrape.ts';
import { bringUpTroubledFleet, endTroubles } from './troubled-fleet.ts';

let own: OwnNamespace;
/** Of worker and watcher together: one before the trouble, two after it, so that a rate has something to go by. */
const scrapes: Scrape[] = [];

beforeAll(async () => {
  own = await openNamespace('observed', { workerArgs: ['--log-level', 'debug'] });
  scrapes.push(await scrapeBoth());
  await bringUpTroubledFleet(own);
  const seen = await until('every trouble has been counted', scrapeBoth, isTroubled, {
    timeoutMs: 60_000,
    everyMs: 1000,
  });
  scrapes.push(seen, await scrapeBoth());
}, 180_000);

afterAll(async () => {
  await endTroubles();
  await own.end();
}, 120_000);

async function scrapeBoth(): Promise<Scrape> {
  const { worker, watcher } = own;
  return together(await scrape(worker.url, 'millwright-worker'), await scrape(watcher.url, 'millwright-watcher'));
}

function isTroubled(seen: Scrape): boolean {
  const names = [...seen.keys()];
  return [
    'mapi_instance_delete_failed',
    'temporal_workflow_task_execution_failed_total',
    'error_code="Throttled"',
  ].every((part) => names.some((name) => name.includes(part)));
}

/** What has a series only while a cloud hangs: one for each credential there ever was would be too many. */
const ONLY_IN_TROUBLE = 'millwright_cloud_not_answering';

/** Those of a query that select nothing in the scrapes. */
async function unknownSelectors(queries: readonly string[]): Promise<string[]> {
  const selectors = [...new Set(queries.flatMap(selectorsOf))];
  const found = await countSeries(selectors, scrapes);
  return selectors.filter((selector) => found.get(selector) === 0);
}

test('every query of the dashboard yields something in a scrape of a running worker and watcher', async () => {
  const queries = (await readPanels()).flatMap(queriesOf);
  expect(queries.length).toBeGreaterThan(30);
  const yielded = await countSeries(queries, scrapes);
  expect(queries.filter((query) => yielded.get(query) === 0)).toEqual([]);
}, 60_000);

test('every alert selects series that a running worker and watcher have, by labels that they have', async () => {
  const all = await readAlerts();
  const alerts = all.filter(({ expr }) => !expr.includes(ONLY_IN_TROUBLE));
  expect(alerts.length).toBe(all.length - 1);
  expect(await (await fetch(`${own.worker.url}/metrics`)).text()).toContain(`# TYPE ${ONLY_IN_TROUBLE} gauge\n`);
  expect(await unknownSelectors(alerts.map(({ expr }) => expr))).toEqual([]);
  const byLabel = alerts.flatMap(({ expr }) =>
    groupingsOf(expr).map((label) => `${selectorsOf(expr)[0]?.replace(/\{.*/, '')}{${label}!=""}`),
  );
  const found = await countSeries(byLabel, scrapes);
  expect(byLabel.filter((selector) => found.get(selector) === 0)).toEqual([]);
}, 60_000);

test('the rules are valid, and their unit tests pass', async () => {
  const checked = await promtool('check', 'rules', ALERTS_FILE);
  expect(checked).toMatchObject({ code: 0 });
  const tested = await promtool('test', 'rules', ALERTS_TEST_FILE);
  expect(tested).toMatchObject({ code: 0 });
  const cases = await readFile(ALERTS_TEST_FILE, 'utf8');
  for (const { alert } of await readAlerts()) expect(cases).toContain(`alertname: ${alert}\n`);
}, 60_000);

test('a query that selects nothing is told', async () => {
  expect(await unknownSelectors(['sum(mapi_no_such_metric)', 'mapi_machine_items'])).toEqual(['mapi_no_such_metric']);
});

test('both endpoints are what Prometheus reads, with help for every metric', async () => {
  for (const { url } of [own.worker, own.watcher]) {
    const text = await (await fetch(`${url}/metrics`)).text();
    const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const helps = [...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name);
    expect(types.length).toBeGreaterThan(20);
    expect(new Set(types).size).toBe(types.length);
    expect(types.filter((name) => !helps.includes(name))).toEqual([]);
  }
});

test('readiness names each check, and nothing else is served beside health and metrics', async () => {
  const ready = async ({ url }: { url: string }) => (await fetch(`${url}/readyz`)).text();
  expect(await ready(own.worker)).toMatch(
    /^\[\+\] worker: RUNNING\n\[\+\] workflow-pollers: POLLING\n\[\+\] activity-pollers: POLLING\n\[\+\] temporal: answered \d+ s ago\n$/,
  );
  expect(await ready(own.watcher)).toBe(
    '[+] process: runs\n[+] cluster: known\n[+] watch-caches: synced\n[+] lease: held\n[+] temporal: answers\n',
  );
  for (const { url } of [own.worker, own.watcher]) {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/profile/cpu?seconds=1`)).status).toBe(404);
    expect((await fetch(`${url}/profile/heap`)).status).toBe(404);
  }
});

test('the metrics count what happened', async () => {
  const last = scrapes.at(-1) ?? new Map<string, string>();
  const valueOf = (...parts: readonly string[]) =>
    [...last].filter(([name]) => parts.every((part) => name.includes(part))).map(([, value]) => Number(value));
  expect(valueOf('mapi_machine_items')).toEqual([8]);
  expect(valueOf('mapi_machineset_items')).toEqual([2]);
  expect(valueOf('mapi_machine_set_status_replicas_available', 'name="healthy"')).toEqual([2]);
  expect(valueOf('millwright_machines{phase="Deleting"')).toEqual([1]);
  expect(valueOf('millwright_machine_without_node', 'name="no-node"', 'phase="Provisioned"')).toEqual([1]);
  expect(valueOf('mapi_instance_create_failed', 'name="quota"', 'reason="ResourceExhausted"')[0]).toBeGreaterThan(0);
  expect(valueOf('mapi_instance_delete_failed', 'name="no-end"', 'namespace="observed"')[0]).toBeGreaterThan(0);
  // 2 of the set, no-node, throttled and no-end came to Running or Provisioned.
  expect(valueOf('mapi_machine_phase_transition_seconds_count{phase="Provisioned"')).toEqual([5]);
  const calls = valueOf('mcm_cloud_api_requests_total', 'service="launch"')[0] ?? 0;
  const failed = valueOf('mcm_cloud_api_requests_failed_total', 'service="launch"')[0] ?? 0;
  expect(calls - failed).toBe(5);
});

test('every line of the worker that concerns a workflow names the object, the workflow and the run', async () => {
  const lines = (await readFile(own.worker.log, 'utf8')).split('\n').filter((line) => line.includes('/observed/'));
  expect(lines.length).toBeGreaterThan(20);
  const kinds = new Set<string>();
  for (const line of lines) {
    const entry = JSON.parse(line) as Record<string, unknown>;
    expect(entry).toMatchObject({
      component: 'worker',
      workflowId: expect.stringMatching(/^machine(set|deployment|healthcheck)?\/observed\//),
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      object: { namespace: 'observed', name: expect.any(String), uid: expect.any(String) },
    });
    kinds.add((entry['object'] as { kind: string }).kind);
  }
  expect([...kinds].sort()).toEqual(['Machine', 'MachineDeployment', 'MachineHealthCheck', 'MachineSet']);
  expect(lines.some((line) => line.includes('launch was not answered with an instance'))).toBe(true);
});

test('the runbook has a section for each alert', async () => {
  const runbook = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'how-to', 'observe.md'), 'utf8');
  for (const { alert, annotations } of await readAlerts()) {
    expect(runbook).toContain(`\n### ${alert}\n`);
    expect(annotations['runbook']).toBe(`docs/how-to/observe.md#${alert.toLowerCase()}`);
  }
});
