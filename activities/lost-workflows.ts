import pLimit from 'p-limit';
import type { Machine } from '../k8s/model/machine.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import { objectOfWorkflow } from '../process/object-of-workflow.ts';
import type { WorkflowRun } from '../process/workflow-run.ts';
import { workflowIdOf } from '../workflows/ids.ts';
import type { StartedObject } from '../workflows/workflow-start.ts';
import type { ActivityDeps } from './deps.ts';
import { listIfAllowed } from './read-machines.ts';
import { given } from '../providers/given.ts';
import { messageOf } from '../providers/message-of.ts';

/** The workflows of objects, as an inventory reaches them. */
export interface ObjectWorkflows {
  /** Ids of those that run on the worker's task queue, as Temporal lists them: seconds late. */
  listRunning(): Promise<ReadonlySet<string>>;
  /** Never late. */
  lookAt(ref: ObjectRef): Promise<WorkflowRun>;
  /** Starts one that does not run; one that does is told to look again. */
  start(object: StartedObject, taskQueue: string): Promise<void>;
  /** Tells one that runs to look at its object. */
  wake(workflowId: string): Promise<void>;
}

type Deps = Pick<ActivityDeps, 'kube' | 'apis' | 'clock' | 'log'> & { readonly workflows: ObjectWorkflows };

/** Most workflows that a round looks at one by one; of more, others come up in the next one. */
export const MOST_LOOKED_AT = 500;
const LOOKS_AT_ONCE = 8;

/**
 * Starts again what was terminated, cancelled or failed while its object is there and says nothing: no change of the object
 * would tell. Wakes what runs while its object is gone. Most rounds cost one list of what runs. It is late, and may be empty; so each workflow that it lacks is looked
 * at before it is started.
 *
 * @param machines all there are, paused and malformed ones too: their workflows only tell that they wait
 * @param problems told of what kept this from being done; nothing else of the inventory depends on it
 * @returns how many workflows were started
 */
export async function restartLostWorkflows(
  deps: Deps,
  machines: readonly Machine[],
  problems: string[],
): Promise<number> {
  try {
    const running = await deps.workflows.listRunning();
    const objects = [...machines.map(keptMachine), ...(await listOthers(deps, problems))];
    const lost = objects.filter(({ ref }) => !running.has(workflowIdOf(ref)));
    const limit = pLimit(LOOKS_AT_ONCE);
    // Of a list that is not whole nothing follows for who is not in it.
    if (problems.length === 0) await wakeThoseLeft(deps, running, objects);
    const answers = await Promise.allSettled(
      pickAtRandom(deps, lost, MOST_LOOKED_AT).map((object) => limit(() => startAgain(deps, object))),
    );
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) problems.push(`workflows that have ended: ${messageOf(failed.reason)}`);
    return answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
  } catch (error) {
    problems.push(`workflows that have ended: ${messageOf(error)}`);
    return 0;
  }
}

/** Where an object went while no watcher was there, nobody told its workflow, which has to say what it leaves behind. */
async function wakeThoseLeft(deps: Deps, running: ReadonlySet<string>, objects: readonly KeptObject[]): Promise<void> {
  const there = new Set(objects.map(({ ref }) => workflowIdOf(ref)));
  const left = [...running].filter((id) => !there.has(id) && objectOfWorkflow(id, deps.apis) !== undefined);
  for (const id of pickAtRandom(deps, left, MOST_LOOKED_AT)) await deps.workflows.wake(id);
}

/** An object whose workflow should run. */
interface KeptObject extends StartedObject {
  readonly isDeleting: boolean;
}

async function startAgain({ workflows, log }: Deps, object: KeptObject): Promise<boolean> {
  const { ref, isDeleting } = object;
  const run = await workflows.lookAt(ref);
  // Whether one that never ran is to run is the watchers' to say, who may watch one namespace only.
  if (run.state !== 'ended') return false;
  // It did its last step; what it left goes this moment, or is held by somebody else.
  if (run.how === 'COMPLETED' && isDeleting) return false;
  // Where it ran before: a watcher of one namespace may have a queue of its own.
  await workflows.start(object, run.taskQueue);
  log.warn({ object: ref, how: run.how }, `the workflow of ${describeRef(ref)} had ended: started again`);
  return true;
}

function keptMachine({ ref, clusterName, owner, status, deletedAt }: Machine): KeptObject {
  return {
    ref,
    role: 'machine',
    clusterName,
    isDeleting: deletedAt !== undefined,
    ...given({ owner, phase: status.phase }),
  };
}

/** A kind that the API server refuses to list keeps none of the others from being looked at. */
async function listOthers({ kube, apis }: Deps, problems: string[]): Promise<KeptObject[]> {
  const others = apis.all().filter(({ role }) => role !== 'machine');
  const lists = others.map(async ({ role, resource, read }) => {
    const items = await listIfAllowed(kube, resource, (refusal) => {
      // The classes and Clusters were asked for before.
      if (!problems.includes(refusal)) problems.push(refusal);
    });
    return items.map((item) => {
      const { meta, clusterName } = read(item);
      return { ref: meta.ref, role, clusterName, isDeleting: meta.deletedAt !== undefined };
    });
  });
  return (await Promise.all(lists)).flat();
}

/** Not always the same ones: those that nobody starts must not keep a round from the others. */
function pickAtRandom<T>({ clock }: Deps, items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return items
    .map((item) => ({ item, at: clock.random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ item }) => item);
}
