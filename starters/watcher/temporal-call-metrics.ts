import type { WorkflowClientInterceptor } from '@temporalio/client';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../providers/clock.ts';

/**
 * Counts the signals, starts and looks that go to Temporal. The SDK counts the calls of workers only; the names, the labels and the
 * operations are its own, so that one query shows both.
 *
 * @param namespace Temporal's
 */
export function createTemporalCallMetrics(
  registry: Registry,
  namespace: string,
  clock: Pick<Clock, 'now'>,
): WorkflowClientInterceptor {
  const registers = [registry];
  const requests = new Counter({
    name: 'temporal_request_total',
    help: 'Requests to Temporal, failed ones included.',
    labelNames: ['namespace', 'operation'],
    registers,
  });
  const failures = new Counter({
    name: 'temporal_request_failure_total',
    help: 'Requests to Temporal that failed.',
    labelNames: ['namespace', 'operation', 'status_code'],
    registers,
  });
  const latency = new Histogram({
    name: 'temporal_request_latency_seconds',
    help: 'How long requests to Temporal took, failed ones included.',
    labelNames: ['namespace', 'operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });

  async function counted<T>(operation: string, call: () => Promise<T>): Promise<T> {
    const labels = { namespace, operation };
    const startedAt = clock.now();
    requests.inc(labels);
    try {
      return await call();
    } catch (error) {
      failures.inc({ ...labels, status_code: statusOf(error) });
      throw error;
    } finally {
      latency.observe(labels, (clock.now() - startedAt) / 1000);
    }
  }

  return {
    start: (input, next) => counted('StartWorkflowExecution', () => next(input)),
    describe: (input, next) => counted('DescribeWorkflowExecution', () => next(input)),
    signal: (input, next) => counted('SignalWorkflowExecution', () => next(input)),
    signalWithStart: (input, next) => counted('SignalWithStartWorkflowExecution', () => next(input)),
  };
}

/** gRPC's status codes, as the SDK's core writes them. */
const STATUS_NAMES: readonly string[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

function statusOf(error: unknown): string {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'number') return STATUS_NAMES[code] ?? 'UNKNOWN';
  // The client wraps what gRPC says, and says what is missing by a class.
  if (error instanceof Error && error.name.endsWith('NotFoundError')) return 'NOT_FOUND';
  return cause === undefined ? 'UNKNOWN' : statusOf(cause);
}
