import type { Connection } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import Long from 'long';
import { SEARCH_ATTRIBUTES } from '../../../workflows/search-attributes.ts';
import { timestampOf } from '../core/workflow-runtime.ts';
import type { SimulatedProcess } from '../process.ts';
import { encodeHistory, realHistory } from '../real-history.ts';
import type { Run, RunStatus } from './run.ts';
import type { StartRequest, TemporalServer } from './server.ts';
import { NotFound } from './tasks.ts';

type Requests = temporal.api.workflowservice.v1.WorkflowService;
type Started = temporal.api.workflowservice.v1.ISignalWithStartWorkflowExecutionRequest;

const { History } = proto.temporal.api.history.v1;
const { HistoryEventFilterType, WorkflowExecutionStatus, IndexedValueType } = proto.temporal.api.enums.v1;
const STATUS: Readonly<Record<RunStatus, temporal.api.enums.v1.WorkflowExecutionStatus>> = {
  RUNNING: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING,
  COMPLETED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED,
  FAILED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED,
  CONTINUED_AS_NEW: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW,
  TERMINATED: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED,
};

/** A connection that the SDK's own client takes: the requests that the product makes of it, over a process's network. */
export function connectTo(server: TemporalServer, process: SimulatedProcess): Connection {
  const call = <T>(what: string, carryOut: () => T | Promise<T>): Promise<T> =>
    process.call(`temporal ${what}`, async () => {
      try {
        return await carryOut();
      } catch (error) {
        throw error instanceof NotFound ? grpcError(5, error.message) : error;
      }
    });
  const workflowService = {
    describeNamespace: () => call('describeNamespace', () => ({ namespaceInfo: { id: server.namespaceId } })),
    countWorkflowExecutions: () => call('countWorkflowExecutions', () => ({})),
    startWorkflowExecution: (request: Started) =>
      call('startWorkflowExecution', () => ({ runId: server.start(startOf(request)).identity.runId })),
    signalWithStartWorkflowExecution: (request: Started) =>
      call('signalWithStartWorkflowExecution', () => {
        const signal = { signalName: request.signalName ?? '', input: request.signalInput?.payloads ?? [] };
        return { runId: server.signalWithStart(startOf(request), signal).identity.runId };
      }),
    signalWorkflowExecution: ({
      workflowExecution,
      signalName,
      input,
    }: Parameters<Requests['signalWorkflowExecution']>[0]) =>
      call('signalWorkflowExecution', () => {
        server.signal(workflowExecution?.workflowId ?? '', {
          signalName: signalName ?? '',
          input: input?.payloads ?? [],
        });
        return {};
      }),
    describeWorkflowExecution: ({ execution }: Parameters<Requests['describeWorkflowExecution']>[0]) =>
      call('describeWorkflowExecution', () => ({
        workflowExecutionInfo: infoOf(server.known(execution?.workflowId ?? '')),
      })),
    terminateWorkflowExecution: ({ workflowExecution }: Parameters<Requests['terminateWorkflowExecution']>[0]) =>
      call('terminateWorkflowExecution', () => {
        server.terminate(workflowExecution?.workflowId ?? '');
        return {};
      }),
    getWorkflowExecutionHistory: ({
      execution,
      historyEventFilterType,
    }: Parameters<Requests['getWorkflowExecutionHistory']>[0]) =>
      call('getWorkflowExecutionHistory', () => {
        const { workflowId, runId } = execution ?? {};
        const run = (runId && server.runs.get(runId)) || server.known(workflowId ?? '');
        const isEndOnly = historyEventFilterType === HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;
        if (isEndOnly && run.isRunning) throw new Error(`${workflowId} runs: its end is not waited for here`);
        // As it comes over the wire.
        const { events } = History.decode(encodeHistory(realHistory(run.history, run.identity)));
        return { history: { events: isEndOnly ? events.slice(-1) : events } };
      }),
    queryWorkflow: ({ execution, query }: Parameters<Requests['queryWorkflow']>[0]) =>
      call('queryWorkflow', async () => {
        const run = server.known(execution?.workflowId ?? '');
        return { queryResult: { payloads: [await server.query(run, query?.queryType ?? '')] } };
      }),
    listWorkflowExecutions: () =>
      call('listWorkflowExecutions', () => ({
        executions: server.listed().map(infoOf),
        nextPageToken: new Uint8Array(),
      })),
  };
  const operatorService = {
    listSearchAttributes: () =>
      call('listSearchAttributes', () => ({
        customAttributes: Object.fromEntries(
          SEARCH_ATTRIBUTES.map(({ name }) => [name, IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD]),
        ),
      })),
  };
  const connection = {
    workflowService,
    operatorService,
    plugins: [],
    withDeadline: <T>(_deadline: unknown, run: () => Promise<T>) => run(),
    close: async () => {},
  };
  return connection as unknown as Connection;
}

/** As gRPC's client throws it. */
export function grpcError(code: number, details: string): Error {
  return Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: { get: () => [] } });
}

function startOf(request: Started): StartRequest {
  return {
    workflowId: request.workflowId ?? '',
    workflowType: request.workflowType?.name ?? '',
    taskQueue: request.taskQueue?.name ?? '',
    input: request.input?.payloads ?? [],
    attributes: request.searchAttributes?.indexedFields ?? {},
  };
}

function infoOf({ identity, status, history, attributes }: Run): temporal.api.workflow.v1.IWorkflowExecutionInfo {
  const { workflowId, runId, workflowType, taskQueue } = identity;
  return {
    execution: { workflowId, runId },
    type: { name: workflowType },
    taskQueue,
    status: STATUS[status],
    historyLength: Long.fromNumber(history.length),
    startTime: timestampOf(history[0]?.at ?? 0),
    searchAttributes: { indexedFields: { ...attributes } },
  };
}
