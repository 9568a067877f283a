import { isConflict } from '../../../../k8s/kube-error.ts';
import { describeRef } from '../../../../k8s/model/object-ref.ts';
import { attempt, CliError } from '../../cli-error.ts';
import { findObject } from '../../access/find-object.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { openKube } from '../../access/kube-access.ts';

export interface ScaleOptions extends GlobalOptions {
  readonly replicas: number;
  /** Scale only where the set is set to this many now. */
  readonly currentReplicas?: number;
}

/** `millwright machineset scale NAME --replicas N`: by the scale subresource, as cluster-autoscaler does. */
export async function scaleMachineSet(named: string, options: ScaleOptions): Promise<void> {
  const { replicas, currentReplicas } = options;
  const access = openKube(options);
  const { kube } = access;
  const { kind, read } = await findObject(access, 'machineSet', named);
  const { ref, replicas: before } = read.machineSet;
  const { namespace, name, uid } = ref;
  const { resourceVersion } = read.meta;
  const what = describeRef(ref);
  if (currentReplicas !== undefined && before !== currentReplicas) {
    throw new CliError(
      `could not scale ${what}: it is set to ${before} machines, not to ${currentReplicas} as --current-replicas says; nothing was changed`,
    );
  }
  // What was read is what is scaled: with a precondition, in exactly that state.
  const precondition = currentReplicas === undefined ? { uid } : { uid, resourceVersion };
  await attempt(`scale ${what} to ${replicas} machines`, () =>
    kube
      .mergePatch(
        kind.resource,
        namespace,
        name,
        { metadata: precondition, spec: { replicas } },
        { subresource: 'scale' },
      )
      .catch((error: unknown) => {
        if (!isConflict(error)) throw error;
        throw new CliError(`could not scale ${what}: it changed meanwhile; nothing was changed, try again`, {
          cause: error,
        });
      }),
  );
  console.log(
    before === replicas ? `${what} is at ${replicas} already` : `${what} is scaled from ${before} to ${replicas}`,
  );
}
