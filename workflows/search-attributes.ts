import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** Where each kind of machine can be found in the Temporal UI. All Keyword: an SQL store has room for ten. */
export const MACHINE_PHASE = defineSearchAttributeKey('MachinePhase', SearchAttributeType.KEYWORD);
export const MACHINE_CLUSTER = defineSearchAttributeKey('MachineCluster', SearchAttributeType.KEYWORD);
export const MACHINE_OWNER = defineSearchAttributeKey('MachineOwner', SearchAttributeType.KEYWORD);
export const MACHINE_PROVIDER = defineSearchAttributeKey('MachineProvider', SearchAttributeType.KEYWORD);
export const MACHINE_INSTANCE = defineSearchAttributeKey('MachineInstance', SearchAttributeType.KEYWORD);
export const MACHINE_NODE = defineSearchAttributeKey('MachineNode', SearchAttributeType.KEYWORD);
export const MACHINE_REASON = defineSearchAttributeKey('MachineReason', SearchAttributeType.KEYWORD);
export const OBJECT_NAMESPACE = defineSearchAttributeKey('ObjectNamespace', SearchAttributeType.KEYWORD);

/** All of them: what must be registered before the first workflow starts. */
export const SEARCH_ATTRIBUTES = [
  MACHINE_PHASE,
  MACHINE_CLUSTER,
  MACHINE_OWNER,
  MACHINE_PROVIDER,
  MACHINE_INSTANCE,
  MACHINE_NODE,
  MACHINE_REASON,
  OBJECT_NAMESPACE,
] as const;
