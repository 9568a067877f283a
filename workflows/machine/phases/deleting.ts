import { conditionOf } from '../../../k8s/model/condition.ts';
import { becauseOf } from '../../../k8s/model/cause.ts';
import { isPrepared } from '../../../k8s/model/drain.ts';
import { DONE, type Answer } from '../answer.ts';
import { beginDeletion } from '../begin-deletion.ts';
import { lookAtLeftover } from '../leftover.ts';
import type { Pass } from '../pass.ts';

/** The deletion begins, where it is ours to do: an object that others hold after our finalizer went is none of ours any more. */
export async function deleting(pass: Pass): Promise<Answer> {
  if (!pass.seen.machine.hasFinalizer) return heldByOthers(pass);
  beginDeletion(pass);
  // What the API server refused of it comes in the deletion that is under way.
  if (pass.status.preparation === 'failed') pass.set({ preparation: 'started' });
  sayDeleting(pass);
  if (pass.status.phase !== 'Deleting') {
    pass.set({ phase: 'Deleting' });
    pass.tell({
      type: 'Normal',
      reason: 'Delete',
      message: `the machine is being deleted${becauseOf(pass.seen.machine)}`,
    });
  }
  return DONE;
}

function sayDeleting(pass: Pass): void {
  const { conditions } = pass.status;
  const isLate = isPrepared(pass.status) && pass.seen.machine.delete !== true;
  const reason = isLate ? 'AbortTooLate' : 'DeletionUnderWay';
  const fact = 'the Machine has a deletionTimestamp, which nobody can take back';
  const message = isLate ? `${fact}: spec.delete was changed too late` : `${fact}${becauseOf(pass.seen.machine)}`;
  if (isLate && conditionOf(conditions, 'Deleting')?.reason !== 'AbortTooLate') {
    pass.tell({ type: 'Warning', reason: 'AbortTooLate', message });
  }
  pass.setCondition({ type: 'Deleting', status: 'True', reason, message });
}

/** Ours may have been taken off by a task whose worker died before it was recorded: then the instance has ended. */
async function heldByOthers({ memory, target }: Pass): Promise<Answer> {
  const { instanceId: id, cloud } = memory;
  if (id !== undefined && cloud !== undefined) {
    const outcome = await lookAtLeftover({ ...target, id, cloud });
    if (outcome === 'gone') delete memory.instanceId;
  }
  return { outcome: 'idle', why: 'the object is held by finalizers that are not ours' };
}
