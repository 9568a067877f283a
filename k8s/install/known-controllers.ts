import type { KubeClient } from '../client.ts';
import { DEPLOYMENTS, PODS } from '../resources.ts';
import { ControllerRunningError } from './install-errors.ts';

/** A controller that makes or deletes instances for the same objects. */
interface KnownController {
  /** Name of its Deployment; its pods' names begin with it. */
  readonly name: string;
  /** Whose it is, and how it is stopped for good. */
  readonly about: string;
}

const MACHINE_API = 'OpenShift Machine API';
const BY_VERSION_OPERATOR = 'the cluster-version-operator starts it again unless it is told not to (spec.overrides)';

/**
 * The controllers a take-over looks for. One that runs outside the cluster, as Machine Controller Manager does in a
 * Gardener seed, or under another name, cannot be seen: whoever takes over answers for those.
 */
const KNOWN_CONTROLLERS: readonly KnownController[] = [
  { name: 'machine-api-operator', about: `${MACHINE_API}; starts the others; ${BY_VERSION_OPERATOR}` },
  { name: 'machine-api-controllers', about: `${MACHINE_API}; started again by machine-api-operator` },
  { name: 'control-plane-machine-set-operator', about: `OpenShift; makes Machines; ${BY_VERSION_OPERATOR}` },
  { name: 'cluster-capi-operator', about: `OpenShift; hands Machines to Cluster API; ${BY_VERSION_OPERATOR}` },
  { name: 'machine-controller-manager', about: 'Gardener Machine Controller Manager' },
];

interface Deployment {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number };
}

interface Pod {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status?: { readonly phase?: string };
}

/** Rejects with {@link ControllerRunningError} where one of {@link KNOWN_CONTROLLERS} runs or is about to. */
export async function refuseWhileControllersRun(kube: KubeClient): Promise<void> {
  const [deployments, pods] = await Promise.all([kube.list<Deployment>(DEPLOYMENTS), kube.list<Pod>(PODS)]);
  const running = KNOWN_CONTROLLERS.flatMap(({ name, about }) => {
    const found = [
      ...deployments.items
        .filter(
          ({ metadata, spec, status }) =>
            metadata.name === name && (spec?.replicas !== 0 || (status?.replicas ?? 0) > 0),
        )
        .map(({ metadata }) => `Deployment ${metadata.namespace}/${metadata.name}`),
      ...pods.items
        .filter(({ metadata, status }) => isPodOf(name, metadata.name) && !isFinished(status?.phase))
        .map(({ metadata }) => `Pod ${metadata.namespace}/${metadata.name}`),
    ];
    return found.length === 0 ? [] : [`- ${found.join(', ')} (${about})`];
  });
  if (running.length === 0) return;
  throw new ControllerRunningError(
    [
      'a controller that acts on the same Machines runs, and two of them are two instances per machine:',
      ...running,
      'Nothing was changed. Scale it to 0, wait until its pods are gone, and try again.',
    ].join('\n'),
  );
}

/** A Deployment's pod is `<deployment>-<hash>-<suffix>`; `machine-controller-manager-…` is none of `machine-controller`. */
function isPodOf(deployment: string, pod: string): boolean {
  return pod.startsWith(`${deployment}-`) && pod.slice(deployment.length + 1).split('-').length <= 2;
}

function isFinished(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
