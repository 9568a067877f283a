import { installInto } from '../../../../k8s/install/install.ts';
import { systemClock } from '../../../../providers/clock.ts';
import { registerSearchAttributes } from '../../../search-attributes.ts';
import { attempt } from '../../cli-error.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { openKube } from '../../access/kube-access.ts';
import { withTemporal } from '../../access/temporal-access.ts';

/** `millwright install`: definitions and policies in Kubernetes, search attributes in Temporal. May be repeated. */
export async function install(options: GlobalOptions & { readonly takeOver?: boolean }): Promise<void> {
  const { kube } = openKube(options);
  await attempt('install into the cluster', () =>
    installInto(kube, { takeOver: options.takeOver ?? false, log: console.log }),
  );
  await withTemporal(options, async (connection, { address, namespace }) => {
    await attempt(`register search attributes in Temporal namespace ${namespace} at ${address}`, () =>
      registerSearchAttributes(connection, namespace, { clock: systemClock }),
    );
    console.log(`registered search attributes in Temporal namespace ${namespace}`);
  });
}
