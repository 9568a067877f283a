import type { SearchAttributePair } from '@temporalio/common';
import { describeRef } from '../../k8s/model/object-ref.ts';
import { asDetails, workflowsLink } from '../../workflows/markdown.ts';
import { MACHINE_CLUSTER, MACHINE_OWNER, MACHINE_PHASE, OBJECT_NAMESPACE } from '../../workflows/search-attributes.ts';
import { asSummary } from '../../workflows/summary.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { MachineSetFacts } from './machine-set-facts.ts';

/** How the workflow of an object is started. */
export interface WorkflowStart {
  readonly type: 'machine' | 'machineSet';
  readonly searchAttributes: SearchAttributePair[];
  /** One line for the Temporal UI: which object this is. */
  readonly summary: string;
  /** Markdown for the Temporal UI: what the workflow is for, and where to read on. */
  readonly details: string;
}

/** What is known of the object when its workflow starts, so that it can be found before its first pass. */
export function workflowStartOf(facts: MachineFacts | MachineSetFacts): WorkflowStart {
  const { ref, cluster } = facts;
  const placed = [
    { key: OBJECT_NAMESPACE, value: ref.namespace },
    ...(cluster === '' ? [] : [{ key: MACHINE_CLUSTER, value: cluster }]),
  ];
  const what = `${describeRef(ref)}${cluster === '' ? '' : ` of cluster ${cluster}`}`;
  if (!isMachine(facts)) {
    const details = asDetails([`Keeps as many machines as the MachineSet asks for. ${CURRENT}`]);
    return { type: 'machineSet', searchAttributes: placed, summary: asSummary(what), details };
  }
  const set = facts.controller?.name;
  const owner = set === undefined ? [] : [{ key: MACHINE_OWNER, value: set }];
  const phase = { key: MACHINE_PHASE, value: facts.phase ?? 'Provisioning' };
  const siblings =
    set === undefined
      ? undefined
      : workflowsLink(`All machines of MachineSet ${set}`, `${MACHINE_OWNER.name} = "${set}"`);
  const details = asDetails([`The whole life of one machine, until its object is gone. ${CURRENT}`, siblings]);
  return { type: 'machine', searchAttributes: [phase, ...placed, ...owner], summary: asSummary(what), details };
}

const CURRENT = 'Where it stands, and why, is under Current Details.';

function isMachine(facts: MachineFacts | MachineSetFacts): facts is MachineFacts {
  return 'instance' in facts;
}
