import { asyncLocalStorage } from '@temporalio/activity';
import type { Logger as TemporalLogger, LogLevel, LogMetadata } from '@temporalio/worker';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { objectOfWorkflow } from './object-of-workflow.ts';
import { given } from '../providers/given.ts';

/**
 * The log of a process: one JSON object a line.
 *
 * @param to where its lines go. @default standard output
 */
export function createLogger(component: 'worker' | 'watcher', level = 'info', to?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { component },
    // The SDK logs what failed as `error`.
    serializers: { error: pino.stdSerializers.err },
    mixin: describeActivity,
  };
  return to === undefined ? pino(options) : pino(options, to);
}

/** What a line that is written inside an activity concerns. */
function describeActivity(): object {
  const info = asyncLocalStorage.getStore()?.info;
  if (info?.workflowExecution === undefined) return {};
  const { workflowId, runId } = info.workflowExecution;
  return { ...describeWorkflow(workflowId, runId), activity: info.activityType };
}

/** The fields by which every line that concerns an object names it: the object, its workflow, the workflow's run. */
export function describeWorkflow(workflowId: string, runId?: string): object {
  const object = objectOfWorkflow(workflowId);
  return {
    ...given({ object }),
    workflowId,
    ...given({ runId }),
  };
}

/** What the SDK, its core and the workflows log, with the same fields as our own lines. */
export function temporalLogger(log: Logger): TemporalLogger {
  const write = (level: LogLevel, message: string, meta: LogMetadata = {}): void => {
    const ours = PINO_LEVELS[level];
    if (log.isLevelEnabled(ours)) log[ours](withOurFields(meta), message);
  };
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}

/**
 * Takes from the SDK's own logger what nobody wants to read. Where it hands on the lines of its core, it keeps every line of
 * every level for 100 ms, with the whole task that it is about, and asks only then.
 */
export function dropUnwanted(sdkLogger: TemporalLogger, log: Logger): void {
  const isWanted = (level: LogLevel) => log.isLevelEnabled(PINO_LEVELS[level]);
  const write = sdkLogger.log.bind(sdkLogger);
  sdkLogger.log = (level, message, meta) => (isWanted(level) ? write(level, message, meta) : undefined);
  if (!isWanted('TRACE')) sdkLogger.trace = () => undefined;
  if (!isWanted('DEBUG')) sdkLogger.debug = () => undefined;
}

const PINO_LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;

/** Workflows, activities and the core each have a name of their own for a run. */
function withOurFields(meta: LogMetadata): object {
  // The token helps nobody who reads, and is long.
  const { taskToken: _token, workflowRunId, run_id, workflow_id, activityType, ...rest } = meta;
  const workflowId = textOf(rest['workflowId']) ?? textOf(workflow_id);
  const runId = textOf(rest['runId']) ?? textOf(workflowRunId) ?? textOf(run_id);
  return {
    ...rest,
    ...given({ activity: activityType }),
    ...(workflowId === undefined ? {} : describeWorkflow(workflowId)),
    ...given({ runId }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
