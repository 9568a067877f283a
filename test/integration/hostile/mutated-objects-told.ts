import {
  MACHINE_DEPLOYMENTS,
  MACHINE_HEALTH_CHECKS,
  MACHINE_SETS,
  MACHINES,
} from '../../../k8s/dialects/openshift/resources.ts';
import { EVENTS } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';

/** A stored object of which nothing can be relied on but its metadata. */
interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly managedFields?: readonly { readonly manager?: string; readonly subresource?: string }[];
  };
  readonly status?: unknown;
}

/**
 * The Machines, MachineSets, MachineDeployments and MachineHealthChecks of the namespace that neither went on nor were told why not,
 * each with its status: a Machine goes on as far as having an instance; it is told by what it waits for, a condition or an event; and
 * what stands in a status counts only once Millwright has written to it.
 */
export async function listUntold(namespace: string): Promise<string[]> {
  const { kube } = getStack();
  const [machines, sets, deployments, checks, events] = await Promise.all([
    kube.list<Stored>(MACHINES, { namespace }),
    kube.list<Stored>(MACHINE_SETS, { namespace }),
    kube.list<Stored>(MACHINE_DEPLOYMENTS, { namespace }),
    kube.list<Stored>(MACHINE_HEALTH_CHECKS, { namespace }),
    kube.list<{ readonly involvedObject: { readonly uid?: string } }>(EVENTS, { namespace }),
  ]);
  const withEvent = new Set(events.items.map(({ involvedObject }) => involvedObject.uid));
  const untold = (objects: readonly Stored[], isTold: (status: Readonly<Record<string, unknown>>) => boolean) =>
    objects
      .filter(
        (object) => !withEvent.has(object.metadata.uid) && !(isWritten(object) && isTold(fieldsOf(object.status))),
      )
      .map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status)}`);
  return [
    ...untold(machines.items, ({ phase, waiting, conditions }) => {
      const wentOn = ['Provisioned', 'Running', 'Failed'].includes(String(phase));
      return wentOn || waiting !== undefined || reasonsOf(conditions).some((reason) => reason !== 'InstanceNotCreated');
    }),
    ...[sets, deployments, checks].flatMap(({ items }) =>
      untold(items, ({ conditions }) => reasonsOf(conditions).length > 0),
    ),
  ];
}

function isWritten({ metadata }: Stored): boolean {
  return (metadata.managedFields ?? []).some(
    ({ manager, subresource }) => manager?.startsWith('millwright') === true && subresource === 'status',
  );
}

function reasonsOf(conditions: unknown): unknown[] {
  return Array.isArray(conditions) ? conditions.map((condition: unknown) => fieldsOf(condition)['reason']) : [];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
