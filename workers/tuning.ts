import type { WorkerOptions } from '@temporalio/worker';
import { HEARTBEAT_INTERVAL } from '../activities/heartbeat.ts';
import type { WorkerRole } from './worker-role.ts';

type Tuning = Pick<
  WorkerOptions,
  | 'maxCachedWorkflows'
  | 'maxConcurrentWorkflowTaskExecutions'
  | 'maxConcurrentWorkflowTaskPolls'
  | 'nonStickyToStickyPollRatio'
  | 'stickyQueueScheduleToStartTimeout'
  | 'maxConcurrentLocalActivityExecutions'
  | 'maxConcurrentActivityTaskExecutions'
  | 'maxConcurrentActivityTaskPolls'
  | 'enableNonLocalActivities'
  | 'maxHeartbeatThrottleInterval'
>;

/** Workflows kept in memory. */
const CACHED_WORKFLOWS = 2000;
/** Workflow tasks under way. */
const WORKFLOW_TASKS = 200;
/** Polls for workflow tasks. */
const WORKFLOW_POLLS = 20;
/** The share of these for tasks of workflows that are not in memory. */
const POLLS_FOR_NEW = 0.5;
/** How long a task waits for the worker that has its workflow in memory, before any worker may take it; milliseconds. */
const STICKY_WAIT_MS = 3000;
/** Local activities under way. */
const LOCAL_ACTIVITIES = 1000;
/** Activities under way. */
const ACTIVITIES = 200;
/** Polls for activities. */
const ACTIVITY_POLLS = 10;

/**
 * How much of each a worker does at once, and why.
 *
 * - **Cache.** A machine that wakes and is not in memory is replayed: a request for its history, some 30 events, a few
 *   milliseconds. One that is in memory costs memory all the time. 2,000 took 1.25 GB (`npm run bench --
 *   --scenario idle --machines 2000`; docs/performance.md): a worker with 2 GB has room for them. Who has more machines has a second
 *   worker, which Temporal shares them with, or pays with replays of those that wake seldom.
 * - **Workflow tasks.** They wait more than they work: a task that runs a local activity lasts as long as that, and a look at
 *   an instance waits for others to share its call, and up to 2 s for the cloud's answer. The SDK's 40 would let 40 machines look and everybody else
 *   stand in line. One thread runs the workflows, so more of them at once take no more CPU.
 * - **Polls for workflow tasks.** Each is a long poll that Temporal holds open (1,200 a namespace and frontend by default), and
 *   answers at once while there is work; an answer takes some 100 ms of a busy server. Of 10, the SDK keeps 2 for workflows
 *   that are not in memory: 50 new machines stood in line for 3 s while two cores had time to spare. 10 of 20 do not.
 * - **Sticky wait.** A task of a workflow that is in a worker's memory waits for that worker, in a queue of its own. After a worker
 *   was killed, such tasks wait in vain for this long: with the SDK's 10 s most machines that were coming up ran 10 s late. A
 *   worker that is only busy takes its tasks within this time, or the machine is replayed, by itself or another.
 * - **Local activities.** They wait as well: for the API server, and for others to share a describe with. One machine runs
 *   one at a time, so this is the number of machines that are on their way at once.
 * - **Activities.** Each is one call to a cloud, with a time limit of a minute; the cloud's throttling says when there are too
 *   many. Twice the SDK's 100. A credential whose cloud hangs has 32 calls of a kind under way at most
 *   (providers/guarded-provider.ts), so those of others always find room.
 * - **Heartbeats.** A call to a cloud that takes longer than a second or two tells every third of `--heartbeat` that its worker lives.
 *   The SDK would pass on one in four fifths of it: a pause of a second would count as a death.
 */
export function tuningOf(role: WorkerRole): Tuning {
  return {
    maxConcurrentLocalActivityExecutions: LOCAL_ACTIVITIES,
    ...(role === 'activities'
      ? {}
      : {
          maxCachedWorkflows: CACHED_WORKFLOWS,
          maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
          maxConcurrentWorkflowTaskPolls: WORKFLOW_POLLS,
          nonStickyToStickyPollRatio: POLLS_FOR_NEW,
          stickyQueueScheduleToStartTimeout: STICKY_WAIT_MS,
        }),
    ...(role === 'workflows'
      ? { enableNonLocalActivities: false }
      : {
          maxConcurrentActivityTaskExecutions: ACTIVITIES,
          maxConcurrentActivityTaskPolls: ACTIVITY_POLLS,
          maxHeartbeatThrottleInterval: HEARTBEAT_INTERVAL,
        }),
  };
}
