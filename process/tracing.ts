import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { OpenTelemetrySinks } from '@temporalio/interceptors-opentelemetry/lib/workflow/definitions.js';
import type { Logger } from 'pino';

/** What a process gives the SDK so that its calls, tasks and workflows are traced. */
export interface Tracing {
  readonly client: WorkflowClientInterceptor[];
  readonly activity: ActivityInterceptorsFactory[];
  /** Where the workflows' interceptors (workflow-tracing.ts) put their spans. */
  readonly sinks: InjectedSinks<OpenTelemetrySinks>;
  /** Sends what has not been sent, if it can, and ends. Never rejects. */
  end(): Promise<void>;
}

/**
 * Nothing is traced, and nothing of it is loaded. A workflow that began under a watcher with traces hands out spans all the
 * same: its history says so, and a history counts on every worker. They are dropped here.
 */
const NO_TRACING: Tracing = {
  client: [],
  activity: [],
  sinks: { exporter: { export: { fn() {} } } },
  async end() {},
};

/** Traces to the OTLP endpoint that OpenTelemetry's own variables name; they name its headers and time-outs as well. */
export async function startTracing(serviceName: string, log: Logger): Promise<Tracing> {
  const endpoint =
    process.env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  if (endpoint === '' || process.env['OTEL_SDK_DISABLED'] === 'true') return NO_TRACING;
  const { openTracing } = await import('./open-tracing.ts');
  log.info({ endpoint: withoutCredentials(endpoint) }, 'traces are sent');
  return openTracing(serviceName, log);
}

function withoutCredentials(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).origin : 'of OTEL_EXPORTER_OTLP_ENDPOINT';
}
