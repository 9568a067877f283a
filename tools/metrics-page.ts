import { Registry } from 'prom-client';
import { APIS } from '../k8s/dialects/registry.ts';
import { systemClock } from '../providers/clock.ts';
import { createWorkerMetrics } from '../workers/worker-metrics.ts';
import { ObjectIndex } from '../starters/watcher/object-index.ts';
import { WatcherMetrics } from '../starters/watcher/watcher-metrics.ts';

/** Metrics of Node's and the process's own, which prom-client documents. */
const STANDARD = /^(process|nodejs)_/;

/** docs/reference/metrics.md, from the metrics themselves. */
export async function renderMetricsPage(): Promise<string> {
  const worker = createWorkerMetrics(() => []).registry;
  const watcher = new WatcherMetrics({
    registry: new Registry(),
    index: new ObjectIndex(),
    apis: APIS,
    temporalNamespace: 'default',
    checks: () => [],
    isActive: () => false,
    pendingSignals: () => 0,
    clock: systemClock,
  }).registry;
  return `<!-- Written by tools/write-metrics-page.ts; a test compares it with the metrics. -->

# Metrics

What \`/metrics\` of watcher and worker shows, in the text format of Prometheus. How to scrape it, and what to do about the alerts
that go by it, is in [Observe Millwright](../how-to/observe.md). A name that begins with \`mapi_\` means what the Machine API's
operator means by it, one with \`mcm_\` what Machine Controller Manager does, one with \`temporal_\` what Temporal's SDKs do.

## Watcher

${await renderTable(watcher)}

## Worker

${await renderTable(worker)}

Besides, all that the core of Temporal's SDK counts, as
[Temporal documents it](https://docs.temporal.io/references/sdk-metrics): durations in seconds and with \`_seconds\` at the end,
counters with \`_total\`. Those that the alerts and the dashboard go by:

| Metric | Labels | |
|---|---|---|
| \`temporal_num_pollers\` | poller_type | polls that are out: \`workflow_task\`, \`sticky_workflow_task\`, \`activity_task\` |
| \`temporal_sticky_cache_size\` | | workflows in the cache |
| \`temporal_worker_task_slots_available\`, \`_used\` | worker_type | what the worker can take besides, and what it does |
| \`temporal_workflow_task_schedule_to_start_latency_seconds\` | | how long workflow tasks waited for a worker |
| \`temporal_workflow_task_execution_latency_seconds\` | workflow_type | how long they took, local activities included |
| \`temporal_workflow_task_execution_failed_total\` | workflow_type, failure_reason | those that failed; the workflow stands still until one does not |
| \`temporal_activity_schedule_to_start_latency_seconds\` | | how long activities waited for a worker |
| \`temporal_activity_execution_latency_seconds\`, \`temporal_local_activity_execution_latency_seconds\` | activity_type | how long they took |
| \`temporal_request_total\`, \`temporal_request_latency_seconds\` | operation | requests to Temporal |

## Both

\`process_*\` and \`nodejs_*\`, as [prom-client](https://github.com/siimon/prom-client) has them: CPU, memory, event loop, garbage
collection.
`;
}

async function renderTable(registry: Registry): Promise<string> {
  const metrics = (await registry.getMetricsAsJSON()).filter(({ name }) => !STANDARD.test(name));
  const rows = metrics
    .map(({ name, help, type }) => `| \`${name}\` | ${type} | ${labelsOf(registry, name)} | ${help} |`)
    .sort();
  return ['| Metric | Type | Labels | |', '|---|---|---|---|', ...rows].join('\n');
}

/** prom-client keeps the label names where its types do not show them. */
function labelsOf(registry: Registry, name: string): string {
  const { labelNames = [] } = registry.getSingleMetric(name) as unknown as { readonly labelNames?: readonly string[] };
  return labelNames.filter((label) => label !== 'le').join(', ');
}
