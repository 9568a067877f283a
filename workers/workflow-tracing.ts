/**
 * Traces of workflows, by the SDK's own interceptors. Part of the workflow bundle, so it runs in the sandbox.
 *
 * Those interceptors put promises of their own between a workflow and what it calls, and draw on its random numbers: with
 * them, the same history may lead to other commands. So it is the history that decides: a run whose start carries a trace
 * (its watcher traced) is traced on every worker, always; any other is on none, and nothing is put in its way. To turn traces
 * on or off changes no workflow that runs.
 */
import type {
  WorkflowInboundCallsInterceptor,
  WorkflowInterceptorsFactory,
  WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';

/** Header that the client's interceptor puts on what it starts. */
const TRACE_HEADER = '_tracer-data';

/** Loaded by runs that are traced: each workflow has modules of its own, and they weigh more than a machine does. */
async function loadTracing() {
  const { OpenTelemetryInboundInterceptor, OpenTelemetryInternalsInterceptor, OpenTelemetryOutboundInterceptor } =
    await import(/* webpackMode: "eager" */ '@temporalio/interceptors-opentelemetry/lib/workflow/index.js');
  return {
    inbound: new OpenTelemetryInboundInterceptor(),
    outbound: new OpenTelemetryOutboundInterceptor(),
    internals: new OpenTelemetryInternalsInterceptor(),
  };
}

/** What the bundler asks an interceptor module for. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let tracing: Awaited<ReturnType<typeof loadTracing>> | undefined;

  const inbound: WorkflowInboundCallsInterceptor = {
    execute(input, next) {
      if (input.headers[TRACE_HEADER] === undefined) return next(input);
      return loadTracing().then((loaded) => {
        tracing = loaded;
        return loaded.inbound.execute(input, next);
      });
    },
    handleSignal: (input, next) => tracing?.inbound.handleSignal(input, next) ?? next(input),
  };
  const outbound: WorkflowOutboundCallsInterceptor = {
    scheduleActivity: (input, next) => tracing?.outbound.scheduleActivity(input, next) ?? next(input),
    scheduleLocalActivity: (input, next) => tracing?.outbound.scheduleLocalActivity(input, next) ?? next(input),
    continueAsNew: (input, next) => tracing?.outbound.continueAsNew(input, next) ?? next(input),
    signalWorkflow: (input, next) => tracing?.outbound.signalWorkflow(input, next) ?? next(input),
    getLogAttributes: (input, next) => tracing?.outbound.getLogAttributes(input, next) ?? next(input),
  };
  return {
    inbound: [inbound],
    outbound: [outbound],
    internals: [
      { dispose: (input, next) => (tracing === undefined ? next(input) : void tracing.internals.dispose(input, next)) },
    ],
  };
};
