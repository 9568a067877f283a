import { installInto } from '../../k8s/install/install.ts';
import { resumeMachines } from '../../k8s/install/resume.ts';
import { registerSearchAttributes } from '../search-attributes.ts';
import { attempt } from './cli-error.ts';
import type { GlobalOptions } from './global-options.ts';
import { openKube } from './kube-access.ts';
import { withTemporal } from './temporal-access.ts';

/** `millwright install`: definitions and policies in Kubernetes, search attributes in Temporal. May be repeated. */
export async function install(options: GlobalOptions & { readonly takeOver?: boolean }): Promise<void> {
  const { kube } = openKube(options);
  await attempt('install into the cluster', () =>
    installInto(kube, { takeOver: options.takeOver ?? false, log: console.log }),
  );
  await withTemporal(options, async (connection, { address, namespace }) => {
    await attempt(`register search attributes in Temporal namespace ${namespace} at ${address}`, () =>
      registerSearchAttributes(connection, namespace),
    );
    console.log(`registered search attributes in Temporal namespace ${namespace}`);
  });
}

/** `millwright resume`: takes off the pause that `install --take-over` left on every object. */
export async function resume(options: GlobalOptions): Promise<void> {
  const { kube } = openKube(options);
  await attempt('resume the machines', () => resumeMachines(kube, { log: console.log }));
}
