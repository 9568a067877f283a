import { defineQuery } from '@temporalio/workflow';
import type { ConditionRule, UnhealthyMachine } from '../../k8s/model/machine-health-check.ts';

/** What a health check knows, and its status has no room for. */
export interface CheckSight {
  /** All of its machines that are not healthy, in the order of the status. */
  readonly unhealthy: readonly UnhealthyMachine[];
  /** The cluster's rules by which it goes: the last good ones. Absent: it has rules of its own. */
  readonly clusterRules?: readonly ConditionRule[];
}

/** As of its last look. */
export const checkSightQuery = defineQuery<CheckSight>('sight');
