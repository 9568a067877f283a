import { conditionOf } from '../../../k8s/model/condition.ts';
import { DONE, type Answer } from '../answer.ts';
import type { Pass } from '../pass.ts';

const CONDITION = 'UpToDate';

/** A launched instance is never changed to follow its spec: that is said, and nothing is done. */
export function upToDate(pass: Pass): Answer {
  const launched = pass.status.launch?.specHash;
  if (launched === undefined || launched === pass.seen.machine.specHash) {
    pass.clearCondition(CONDITION);
    return DONE;
  }
  const message =
    'providerSpec, its MachineClass or its Cluster changed after the launch. The running instance is left as it is; a new machine has the new spec.';
  const isKnown = conditionOf(pass.status.conditions, CONDITION) !== undefined;
  if (!isKnown) pass.tell({ type: 'Warning', reason: 'UnsupportedChange', message });
  pass.setCondition({ type: CONDITION, status: 'False', reason: 'UnsupportedChange', message });
  return DONE;
}
