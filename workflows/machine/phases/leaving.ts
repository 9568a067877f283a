import { DONE, type Answer, type Phase } from '../answer.ts';
import { beginDeletion } from '../begin-deletion.ts';
import { deletingCondition } from '../deletion-conditions.ts';
import type { Pass } from '../pass.ts';
import { followNode } from '../tell-readiness.ts';

/** The machine is to go, which can still be aborted: what comes before its end comes while the Machine is there. */
export function leaving(pass: Pass): Answer {
  const { preparation } = pass.status;
  const condition = deletingCondition(pass.seen.machine);
  pass.setCondition(condition);
  beginDeletion(pass);
  // Until it goes its set counts it: it is no less there than another one, nor more.
  followNode(pass);
  // Where nothing holds it by now, it is completed again in this pass.
  pass.set({ phase: 'Deleting', preparation: 'started' });
  if (preparation === undefined || preparation === 'aborted' || preparation === 'aborting')
    pass.tell({ type: 'Normal', reason: 'Delete', message: condition.message });
  return DONE;
}

/** The phase, for a Machine that has not been deleted only: afterwards nobody can abort anything. */
export function whileAbortable(phase: Phase): Phase {
  return (pass) => (pass.seen.machine.deletedAt === undefined ? phase(pass) : DONE);
}
