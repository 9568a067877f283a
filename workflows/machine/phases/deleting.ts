import { conditionOf } from '../../../k8s/model/condition.ts';
import { becauseOf } from '../../../k8s/model/cause.ts';
import { isPrepared } from '../../../k8s/model/drain.ts';
import { given } from '../../../providers/given.ts';
import { followAbandoned, type Abandoned } from '../abandoned.ts';
import { DONE, waitFor, type Answer, type Phase } from '../answer.ts';
import { beginDeletion } from '../begin-deletion.ts';
import { ABORT_TOO_LATE, deletingCondition } from '../deletion-conditions.ts';
import { lookAtLeftover } from '../leftover.ts';
import type { Pass } from '../pass.ts';
import { followNode } from '../tell-readiness.ts';
import { writeStatus } from '../write-pass.ts';

/** The deletion begins, where it is ours to do: of an object that others hold after our finalizer went it is told who they are. */
export async function deleting(pass: Pass): Promise<Answer> {
  if (!pass.seen.machine.hasFinalizer) return heldByOthers(pass);
  beginDeletion(pass);
  followNode(pass);
  const { preparation } = pass.status;
  // What the API server refused of it comes in the deletion that is under way.
  if (preparation === 'failed') pass.set({ preparation: 'started' });
  // Somebody took it back in time, and somebody has deleted the Machine since.
  if (preparation === 'aborting') pass.set({ preparation: 'aborted' });
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

/** The phase, for a Machine that has been deleted only: its preparation comes without it. */
export function whereDeleted(phase: Phase): Phase {
  return (pass) => (pass.seen.machine.deletedAt === undefined ? DONE : phase(pass));
}

function sayDeleting(pass: Pass): void {
  const { conditions } = pass.status;
  const isLate = isPrepared(pass.status) && pass.seen.machine.delete !== true;
  if (!isLate) return pass.setCondition(deletingCondition(pass.seen.machine));
  const { reason, message } = ABORT_TOO_LATE;
  if (conditionOf(conditions, 'Deleting')?.reason !== reason) pass.tell(ABORT_TOO_LATE);
  pass.setCondition({ type: 'Deleting', status: 'True', reason, message });
}

async function heldByOthers(pass: Pass): Promise<Answer> {
  sayDeleting(pass);
  pass.set({ phase: 'Deleting' });
  const names = pass.seen.machine.otherFinalizers ?? [];
  const message = `nothing of Millwright keeps the Machine any more; it goes when these finalizers are taken off: ${names.join(', ')}`;
  pass.addToCondition('Deleting', message);
  const wait = { step: 'Finalizers', reason: 'HeldByFinalizers', message } as const;
  const look = lookToMake(pass);
  if (look === undefined) return waitFor(wait);
  // It may take long.
  pass.wait(wait);
  if (pass.isUnwritten) await writeStatus(pass);
  return waitFor({ ...wait, ...given({ until: await look() }) });
}

/** Where the instance may run still: looks at it, and answers when it is to be looked at again. */
function lookToMake(pass: Pass): (() => Promise<number | undefined>) | undefined {
  const { memory, status } = pass;
  const { abandoned } = memory;
  if (abandoned !== undefined) return () => followOn(pass, abandoned);
  const { instance } = status;
  const id = memory.instanceId ?? instance?.id;
  if (id === undefined || memory.provedGoneAt !== undefined || instance?.state === 'terminated') return undefined;
  return () => noteWhetherEnded(pass, id);
}

async function followOn({ target, nowMs }: Pass, abandoned: Abandoned): Promise<number | undefined> {
  const next = await followAbandoned(target, abandoned, nowMs, undefined);
  return typeof next === 'object' && 'at' in next ? next.at : undefined;
}

/** Ours may have been taken off by a task whose worker died before it was recorded, or by a workflow before this one: then the instance has ended. */
async function noteWhetherEnded(pass: Pass, id: string): Promise<undefined> {
  pass.noteInstance(id);
  const { cloud } = pass.memory;
  if (cloud === undefined || (await lookAtLeftover({ ...pass.target, id, cloud })).outcome !== 'gone') return;
  pass.memory.provedGoneAt = pass.rests;
  if (pass.status.instance?.id === id) pass.set({ instance: { id, state: 'terminated' } });
}
