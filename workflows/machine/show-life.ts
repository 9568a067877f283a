import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { FoundMachine } from './machine-activities.ts';
import type { MachineStatus } from '../../k8s/model/machine.ts';
import {
  MACHINE_INSTANCE,
  MACHINE_NODE,
  MACHINE_OWNER,
  MACHINE_PHASE,
  MACHINE_PROVIDER,
  MACHINE_REASON,
} from '../search-attributes.ts';
import { describeLife } from './describe-life.ts';
import type { Pass } from './pass.ts';
import type { PassEnd } from './run-phases.ts';

/** Search attributes and details for the Temporal UI; the attributes only where they changed: each upsert is an event. */
export function show(pass: Pass, next: PassEnd): void {
  setCurrentDetails(describeLife(pass, next));
  const { status, seen } = pass;
  // What an earlier run showed is still there after continue-as-new.
  const { typedSearchAttributes: shown } = workflowInfo();
  const changed = factsOf(status, seen).filter(({ key, value }) => (shown.get(key) ?? null) !== value);
  if (changed.length > 0) upsertSearchAttributes(changed);
}

/** A workflow that has ended is not listed among the machines that run, nor among those that wait. */
export function showEnd(): void {
  const { typedSearchAttributes: shown } = workflowInfo();
  if (shown.get(MACHINE_PHASE) === 'Deleting' && shown.get(MACHINE_REASON) === undefined) return;
  upsertSearchAttributes([
    { key: MACHINE_PHASE, value: 'Deleting' },
    { key: MACHINE_REASON, value: null },
  ]);
}

function factsOf(status: MachineStatus, seen: FoundMachine) {
  return [
    { key: MACHINE_PHASE, value: status.phase ?? null },
    // Known from the start, unless a set adopts it or lets it go.
    { key: MACHINE_OWNER, value: seen.machine.owner ?? null },
    { key: MACHINE_INSTANCE, value: status.instance?.id ?? null },
    { key: MACHINE_NODE, value: status.nodeRef?.name ?? null },
    { key: MACHINE_PROVIDER, value: seen.provider ?? null },
    { key: MACHINE_REASON, value: status.error?.reason ?? status.waiting?.reason ?? null },
  ];
}
