import { setTimeout as delay } from 'node:timers/promises';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { envDetectorSync, Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { Logger } from 'pino';
import type { Tracing } from './tracing.ts';

/** How long the last traces may take to be sent, in milliseconds. */
const END_MS = 3000;

/** Loads OpenTelemetry. Only to be imported where there is somewhere to send traces to. */
export function openTracing(serviceName: string, log: Logger): Tracing {
  // An endpoint that is away is told, and keeps nobody from working.
  const warn = (message: string, ...rest: unknown[]): void => log.warn({ rest }, `OpenTelemetry: ${message}`);
  const ignore = (): void => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);

  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
  const resource = new Resource({ 'service.name': serviceName }).merge(envDetectorSync.detect());
  const processor = new BatchSpanProcessor(new OTLPTraceExporter());
  const provider = new NodeTracerProvider({ resource, spanProcessors: [processor] });
  provider.register();
  return {
    client: [new OpenTelemetryWorkflowClientInterceptor()],
    activity: [
      (context) => ({
        inbound: new OpenTelemetryActivityInboundInterceptor(context),
        outbound: new OpenTelemetryActivityOutboundInterceptor(context),
      }),
    ],
    sinks: { exporter: makeWorkflowExporter(processor, resource) },
    async end() {
      const late = delay(END_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer')));
      await Promise.race([provider.shutdown(), late]).catch((error: unknown) =>
        log.warn({ error }, 'the last traces could not be sent'),
      );
    },
  };
}
