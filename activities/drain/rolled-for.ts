import { DRAIN_CONDITIONS, purposeOf } from '../../k8s/model/drain.ts';
import type { Machine } from '../../k8s/model/machine.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { MachineDeps } from '../deps.ts';

/** A drain, as a Deployment says that it was rolled for it: `<namespace>/<name>/<uid>/<start>`, the same at each try. */
export function nameDrain({ namespace, name, uid }: ObjectRef, startedAt: number): string {
  return [namespace, name, uid, new Date(startedAt).toISOString()].join('/');
}

/**
 * The Machine, by namespace and name, that a Deployment was rolled for, where it is another one than this and its drain lasts.
 *
 * @param recorded as {@link nameDrain} has it; what else somebody wrote there names no drain
 */
export type FindOtherDrain = (recorded: string | undefined, own: ObjectRef) => Promise<string | undefined>;

export function createFindOtherDrain({ apis, reader }: Pick<MachineDeps, 'apis' | 'reader'>): FindOtherDrain {
  return async (recorded, own) => {
    const [namespace, name, uid] = recorded?.split('/') ?? [];
    if (namespace === undefined || name === undefined || uid === undefined || uid === own.uid) return undefined;
    for (const { resource } of apis.kinds('machine')) {
      const { apiVersion, kind } = resource;
      const found = await reader.read({ apiVersion, kind, namespace, name, uid });
      if (found !== undefined) return isDrained(found.machine) ? `${namespace}/${name}` : undefined;
    }
    return undefined;
  };
}

/** Its Node is to be empty, and the drain that does it is not over. */
function isDrained(machine: Machine): boolean {
  const purpose = purposeOf(machine);
  if (purpose === undefined) return false;
  const type = DRAIN_CONDITIONS[purpose];
  return !machine.status.conditions.some((condition) => condition.type === type && condition.status === 'True');
}
