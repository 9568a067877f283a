import { purposeOf } from '../../../k8s/model/drain.ts';
import { DONE, waitFor, type Answer, type Wait } from '../answer.ts';
import { forgetMaintenanceStart } from '../drain-start.ts';
import { emptyNode } from '../empty-node.ts';
import { drainAnew, isDrainDone, isDrainTimedOut, isOfEarlierNode } from '../emptying.ts';
import type { Pass } from '../pass.ts';
import { takeTurn } from '../turn.ts';

/** Keeps the Node of a machine in maintenance empty; the instance runs on, and no hook holds that. */
export async function maintained(pass: Pass): Promise<Answer> {
  const purpose = purposeOf(pass.seen.machine);
  if (purpose === 'reboot') leaveToReboot(pass);
  if (purpose !== 'maintenance') return DONE;
  const { seen, status, isResync } = pass;
  if (status.nodeRef === undefined) {
    const message = 'no Node has joined that could be drained';
    pass.setCondition({ type: 'Maintenance', status: 'False', reason: 'NodeNotJoined', message });
    pass.set({ maintenance: false });
    return DONE;
  }
  const isUncordoned = isOfEarlierNode(pass) || (seen.node !== undefined && seen.node.isCordoned !== true);
  const isDue = isDrainDone(pass) ? isUncordoned || isResync : isUncordoned && isDrainTimedOut(pass);
  if (isDue) {
    drainAnew(pass, 'maintenance');
    forgetMaintenanceStart(pass);
  }
  // One that is drained stays so, however the others are by now.
  const turn = isDrainDone(pass) ? DONE : await takeTurn(pass, 'drain');
  if (turn.outcome === 'wait') return awaitTurn(pass, turn.wait);
  const answer = await emptyNode(pass, 'maintenance');
  pass.set({ maintenance: isDrainDone(pass) });
  return wished(answer);
}

/** The maintenance is over, and the Node stays empty for a reboot. */
function leaveToReboot(pass: Pass): void {
  if (pass.status.maintenance !== undefined) pass.set({ maintenance: false });
  pass.clearCondition('Maintenance');
  forgetMaintenanceStart(pass);
}

function awaitTurn(pass: Pass, wait: Wait): Answer {
  const { message } = wait;
  pass.setCondition({ type: 'Maintenance', status: 'False', reason: 'ControlPlaneInTheWay', message });
  pass.set({ maintenance: false });
  return wished(waitFor(wait));
}

function wished(answer: Answer): Answer {
  return answer.outcome === 'wait' ? { ...answer, meanwhile: true, wished: true } : answer;
}
