import { readFileSync } from 'node:fs';
import v8 from 'node:v8';
import { TypedSearchAttributes } from '@temporalio/common';
import proto, { type coresdk } from '@temporalio/proto';
import type { WorkflowBundleOption } from '@temporalio/worker';
import Long from 'long';
import { makeSandboxesPlain } from '../../../workers/plain-sandbox.ts';
import { bundleWorkflows } from '../../../workers/workflow-bundle.ts';
import { given } from '../../../providers/given.ts';

// As workers/workflow-thread.ts.
v8.promiseHooks.createHook = () => () => {};
makeSandboxesPlain();
const { parseWorkflowCode } = await import('@temporalio/worker/lib/worker.js');
const { ReusableVMWorkflowCreator } = await import('@temporalio/worker/lib/workflow/reusable-vm.js');

export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type VmCommand = coresdk.workflow_commands.IWorkflowCommand;
export type Completion = coresdk.workflow_completion.IWorkflowActivationCompletion;

export interface WorkflowIdentity {
  readonly workflowId: string;
  readonly runId: string;
  readonly firstRunId: string;
  readonly continuedFrom: string | undefined;
  readonly workflowType: string;
  readonly taskQueue: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** What an activation says beside its jobs. */
export interface Moment {
  /** Workflow time, in milliseconds since the epoch. */
  readonly time: number;
  readonly isReplaying: boolean;
  readonly historyLength: number;
  readonly suggestsContinueAsNew: boolean;
  readonly flags: readonly number[];
}

export const NAMESPACE = 'millwright';
const TASK_TIMEOUT_MS = 10_000;

/** The SDK's own runtime of workflows, in this thread: it runs the bundle that a worker runs. */
export class WorkflowRuntime {
  readonly #creator: InstanceType<typeof ReusableVMWorkflowCreator>;

  private constructor(creator: InstanceType<typeof ReusableVMWorkflowCreator>) {
    this.#creator = creator;
  }

  /** @param bundle of workflows. @default the one that MILLWRIGHT_WORKFLOW_BUNDLE names, else the product's are bundled */
  static async create(bundle?: WorkflowBundleOption): Promise<WorkflowRuntime> {
    const given = process.env['MILLWRIGHT_WORKFLOW_BUNDLE'];
    const from = bundle ?? (given === undefined ? await bundleWorkflows() : { codePath: given });
    const code = 'code' in from ? from.code : readFileSync(from.codePath, 'utf8');
    const creator = await ReusableVMWorkflowCreator.create(
      parseWorkflowCode(code),
      // None. Its type knows numbers only.
      undefined as unknown as number,
      // Any: one that is not there fails where it is run.
      new Set(['default']),
    );
    return new WorkflowRuntime(creator);
  }

  /** A workflow that has not begun. */
  async createWorkflow(identity: WorkflowIdentity, moment: Moment): Promise<RunningWorkflow> {
    const { workflowId, runId, firstRunId, workflowType, taskQueue, continuedFrom, startedAt } = identity;
    const workflow = await this.#creator.createWorkflow({
      info: {
        workflowId,
        runId,
        workflowType,
        searchAttributes: {},
        typedSearchAttributes: new TypedSearchAttributes(),
        taskQueue,
        namespace: NAMESPACE,
        firstExecutionRunId: firstRunId,
        ...given({ continuedFromExecutionRunId: continuedFrom }),
        startTime: new Date(startedAt),
        runStartTime: new Date(moment.time),
        taskTimeoutMs: TASK_TIMEOUT_MS,
        attempt: 1,
        historyLength: moment.historyLength,
        historySize: 0,
        continueAsNewSuggested: moment.suggestsContinueAsNew,
        targetWorkerDeploymentVersionChanged: false,
        suggestedContinueAsNewReasons: [],
        currentBuildId: '',
        unsafe: {
          now: () => moment.time,
          isReplaying: moment.isReplaying,
          isReplayingHistoryEvents: moment.isReplaying,
          random: () => 0,
        },
        priority: {},
      } as never,
      randomnessSeed: seedOf(runId).toBytes(),
      now: moment.time,
      showStackTraceSources: false,
      failureExceptionTypeNames: [],
    });
    return new RunningWorkflow(runId, workflow);
  }
}

type VmWorkflow = Awaited<ReturnType<InstanceType<typeof ReusableVMWorkflowCreator>['createWorkflow']>>;

/** A workflow in memory. */
export class RunningWorkflow {
  readonly #runId: string;
  readonly #workflow: VmWorkflow;

  constructor(runId: string, workflow: VmWorkflow) {
    this.#runId = runId;
    this.#workflow = workflow;
  }

  /** Has it take up what happened; answers what it asks for. */
  async activate(jobs: Job[], moment: Moment): Promise<Completion> {
    const completion = await this.#workflow.activate(
      proto.coresdk.workflow_activation.WorkflowActivation.create({
        runId: this.#runId,
        timestamp: timestampOf(moment.time),
        isReplaying: moment.isReplaying,
        historyLength: moment.historyLength,
        historySizeBytes: Long.fromNumber(0),
        continueAsNewSuggested: moment.suggestsContinueAsNew,
        availableInternalFlags: [...moment.flags],
        jobs: jobs.map((job) => proto.coresdk.workflow_activation.WorkflowActivationJob.create(job)),
      }),
    );
    // Its log lines: nobody reads them here.
    await this.#workflow.getAndResetSinkCalls();
    return completion;
  }

  async dispose(): Promise<void> {
    await this.#workflow.dispose();
  }
}

/** What a run's chance begins with: the same for each worker that replays it. */
export function seedOf(runId: string): Long {
  return Long.fromString(runId.replaceAll('-', '').slice(0, 15), true, 16);
}

export function timestampOf(ms: number): { seconds: Long; nanos: number } {
  const seconds = Math.floor(ms / 1000);
  return { seconds: Long.fromNumber(seconds), nanos: Math.round((ms - seconds * 1000) * 1e6) };
}
