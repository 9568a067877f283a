import type { StoredObject } from '../../../../k8s/dialects/kind.ts';
import { CLI_FIELD_MANAGER } from '../../../../k8s/model/field-managers.ts';
import { PROCEED_ANNOTATION } from '../../../../k8s/model/machine-health-check.ts';
import { describeRef } from '../../../../k8s/model/object-ref.ts';
import { PAUSED_ANNOTATION } from '../../../../k8s/model/paused-annotation.ts';
import type { MachineHealthCheckReading } from '../../../../k8s/model/reading.ts';
import { systemClock, type Clock } from '../../../../providers/clock.ts';
import { findObject } from '../../access/find-object.ts';
import { openKube, type KubeAccess } from '../../access/kube-access.ts';
import { readServerTime } from '../../access/server-time.ts';
import { attempt } from '../../cli-error.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';

/** What the command sees and acts through. */
export interface ProceedParts {
  readonly access: KubeAccess;
  readonly clock: Clock;
  readonly print: (line: string) => void;
}

/** `millwright healthcheck proceed NAME`. */
export function proceedHealthCheck(name: string, options: GlobalOptions): Promise<void> {
  return proceed({ access: openKube(options), clock: systemClock, print: console.log }, name);
}

/** Has a check remediate machines in spite of the storm that it suspects. */
export async function proceed({ access, clock, print }: ProceedParts, name: string): Promise<void> {
  const { kube } = access;
  const { kind, read } = await findObject(access, 'machineHealthCheck', name);
  const { ref } = read.meta;
  const storm = stormOf(read);
  if (storm === undefined) {
    print(`${describeRef(ref)} suspects no storm; nothing was changed`);
    return;
  }
  // It counts from a moment after the storm began, and the storm is told by another clock.
  const now = (await readServerTime(kube)) ?? clock.timeOfDay();
  const at = Math.max(now, Date.parse(storm.lastTransitionTime) + 1000);
  const annotations = { [PROCEED_ANNOTATION]: new Date(at).toISOString() };
  const options = { fieldManager: CLI_FIELD_MANAGER };
  await attempt(`have ${describeRef(ref)} go on`, () =>
    kube.mergePatch<StoredObject>(
      kind.resource,
      ref.namespace,
      ref.name,
      { metadata: { uid: ref.uid, annotations } },
      options,
    ),
  );
  print(
    [
      `${describeRef(ref)} goes on in spite of the storm (${storm.message})`,
      'it remediates one machine, then twice as many with each success, up to its maxInFlight',
      'what turns unhealthy from now on may be another storm, which holds again',
      ...othersOf(read),
    ].join('; '),
  );
}

function stormOf({ status }: MachineHealthCheckReading) {
  return status.conditions?.find(({ type, status: is }) => type === 'StormSuspected' && is === 'True');
}

/** What holds remediations up beside the storm. */
function othersOf({ machineHealthCheck: { paused }, status }: MachineHealthCheckReading): string[] {
  const tooMany = status.conditions?.find(({ type, status: is }) => type === 'RemediationAllowed' && is === 'False');
  return [
    ...(tooMany === undefined ? [] : [`RemediationAllowed is False still: ${tooMany.message}`]),
    ...(paused ? [`it is paused, so nothing happens before its annotation ${PAUSED_ANNOTATION} is removed`] : []),
  ];
}
