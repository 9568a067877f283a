import { ApplicationFailure } from '@temporalio/common';
import { isNotFound, isPassing, isRefusal, KubeError } from '../k8s/kube-error.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { redact } from '../providers/redact.ts';
import type { CloudFailure } from '../workflows/machine/launch-record.ts';
import { FOREIGN_CLUSTER, KUBERNETES_REFUSED, OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { ActivityDeps } from './deps.ts';
import type { ObjectTarget } from '../workflows/object-target.ts';
import { given } from '../providers/given.ts';

/** A worker acts on the objects of its own cluster only. Another worker may be of the object's: the step is tried again. */
export function refuseForeign(deps: Pick<ActivityDeps, 'clusterUid'>, { clusterUid, ref }: ObjectTarget): void {
  refuseCluster(deps, clusterUid, `${ref.kind} ${ref.namespace}/${ref.name}`);
}

/** As {@link refuseForeign}, for `what` is no object. */
export function refuseCluster(deps: Pick<ActivityDeps, 'clusterUid'>, clusterUid: string, what: string): void {
  if (clusterUid === deps.clusterUid) return;
  throw ApplicationFailure.retryable(
    `this worker serves the cluster ${deps.clusterUid}, and ${what} is of ${clusterUid}`,
    FOREIGN_CLUSTER,
  );
}

/** Runs requests to the Kubernetes API: an object that is gone or is another one by now means "look again". */
export async function onObject<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof KubeError && (isNotFound(error) || error.status === 409)) throw objectChanged(error.message);
    throw error;
  }
}

/** The cloud says that it has no such instance. */
export function isNoInstance(error: unknown): boolean {
  return error instanceof ProviderError && error.code === 'NotFound';
}

/** The object is not what it was taken for: the workflow looks at it again. */
export function objectChanged(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, OBJECT_CHANGED);
}

/** The object is another version than the one that the workflow has decided by. */
export function changedSinceLook(ref: ObjectRef): ApplicationFailure {
  return objectChanged(`${describeRef(ref)} changed since it was looked at`);
}

/** Whether this is what {@link objectChanged} made. */
export function isObjectChanged(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === OBJECT_CHANGED;
}

/** Runs requests to the Kubernetes API: what passes by itself is answered, so that the workflow can say that it waits for it. */
export async function unlessPassing<T>(
  run: () => Promise<T>,
): Promise<T | { readonly outcome: 'failed'; readonly message: string }> {
  try {
    return await run();
  } catch (error) {
    if (!isPassing(error)) throw error;
    return { outcome: 'failed', message: error.message };
  }
}

/**
 * The activities, with every refusal of the Kubernetes API turned into a failure that the workflow is told at once, so that
 * it can say in its status what it waits for. Retried in silence it would keep the workflow from everything else.
 */
export function tellingRefusals<T extends object>(activities: T): T {
  const told = Object.entries(activities).map(([name, run]: [string, (request: unknown) => Promise<unknown>]) => [
    name,
    async (request: unknown) => {
      try {
        return await run(request);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        throw ApplicationFailure.nonRetryable(error.message, KUBERNETES_REFUSED, { reason: error.reason });
      }
    },
  ]);
  return Object.fromEntries(told) as T;
}

/** A provider's error as the workflow gets it; anything else is a defect and is thrown on. */
export function cloudFailureOf(error: unknown, secrets: readonly Uint8Array[] = []): CloudFailure {
  if (!(error instanceof ProviderError)) throw error;
  const { cloudCode, field, provesNoInstance, tokenTerminated, tokenMismatched } = error.details;
  const { retryAfterMs, outsideSpec, notSent, paced } = error.details;
  return {
    code: error.code,
    retryClass: error.retryClass,
    message: redact(error.message, secrets),
    provesNoInstance: provesNoInstance ?? false,
    tokenTerminated: tokenTerminated ?? false,
    ...given({
      tokenMismatched,
      cloudCode,
      field,
      outsideSpec: outsideSpec || undefined,
      retryAfterMs,
      notSent,
      paced,
    }),
  };
}
