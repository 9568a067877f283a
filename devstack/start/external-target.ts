import { loadKubeConfig } from '../../k8s/kube-config.ts';
import { describeAccess, loadTemporalConnection } from '../../process/temporal-connection.ts';
import type { ExternalArguments } from './start-options.mjs';
import { given } from '../../providers/given.ts';

/** A cluster and a Temporal of one's own, in words and as flags of `millwright`. */
export interface ExternalTarget {
  /** One line each. */
  readonly lines: readonly string[];
  /** Flags of every `millwright` command. */
  readonly flags: readonly string[];
}

/** What the Kubernetes client takes where it finds no kubeconfig at all. */
const NO_KUBECONFIG = 'http://localhost:8080';

/** Reads the kubeconfig and the Temporal profile, and connects to nothing. Throws where either cannot be understood. */
export function readExternalTarget(external: ExternalArguments): ExternalTarget {
  const { kubeconfig, context, profile, temporalAddress, temporalNamespace } = external;
  const config = loadKubeConfig({
    ...given({ kubeconfig, context }),
  });
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('the kubeconfig has no current context: name one with --context');
  if (server === NO_KUBECONFIG) {
    throw new Error('there is no kubeconfig: set KUBECONFIG, make ~/.kube/config, or give --kubeconfig');
  }
  const temporal = loadTemporalConnection({ address: temporalAddress, namespace: temporalNamespace, profile });
  const user = config.getCurrentUser()?.name ?? 'nobody';
  return {
    lines: [
      `Kubernetes  ${server}, context ${config.getCurrentContext()}, as ${user}`,
      `Temporal    ${temporal.address}, namespace ${temporal.namespace}, ${describeAccess(temporal)}`,
    ],
    flags: Object.entries({
      kubeconfig,
      context,
      profile,
      'temporal-address': temporalAddress,
      'temporal-namespace': temporalNamespace,
    }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
  };
}
