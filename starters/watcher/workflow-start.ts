import type { SearchAttributePair } from '@temporalio/common';
import { describeRef } from '../../k8s/model/object-ref.ts';
import { MACHINE_CLUSTER, MACHINE_OWNER, MACHINE_PHASE, OBJECT_NAMESPACE } from '../../workflows/search-attributes.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { MachineSetFacts } from './machine-set-facts.ts';

/** How the workflow of an object is started. */
export interface WorkflowStart {
  readonly type: 'machine' | 'machineSet';
  readonly searchAttributes: SearchAttributePair[];
  readonly summary: string;
}

/** What is known of the object when its workflow starts, so that it can be found before its first pass. */
export function workflowStartOf(facts: MachineFacts | MachineSetFacts): WorkflowStart {
  const { ref, cluster } = facts;
  const placed = [
    { key: OBJECT_NAMESPACE, value: ref.namespace },
    ...(cluster === '' ? [] : [{ key: MACHINE_CLUSTER, value: cluster }]),
  ];
  const summary = describeRef(ref);
  if (!isMachine(facts)) return { type: 'machineSet', searchAttributes: placed, summary };
  const owner = facts.controller === undefined ? [] : [{ key: MACHINE_OWNER, value: facts.controller.name }];
  const phase = { key: MACHINE_PHASE, value: facts.phase ?? 'Provisioning' };
  return { type: 'machine', searchAttributes: [phase, ...placed, ...owner], summary };
}

function isMachine(facts: MachineFacts | MachineSetFacts): facts is MachineFacts {
  return 'instance' in facts;
}
