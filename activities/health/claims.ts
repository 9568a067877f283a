import type { StoredObject } from '../../k8s/dialects/kind.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { ActivityDeps } from '../deps.ts';
import type { SeenBody } from './see-health.ts';

/** The same Machines, without the claims of checks that are gone: those remediate nothing. */
export async function withoutDeadClaims<Body extends SeenBody>(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { namespace, uid: own }: ObjectRef,
  bodies: readonly Body[],
): Promise<Body[]> {
  const claimed = ({ read }: Body): string => read.health.claim?.uid ?? own;
  if (bodies.every((body) => claimed(body) === own)) return [...bodies];
  const lists = await Promise.all(
    apis.kinds('machineHealthCheck').map(({ resource }) => kube.list<StoredObject>(resource, { namespace })),
  );
  const living = new Set([own, ...lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.uid))]);
  return bodies.map((body) => {
    if (living.has(claimed(body))) return body;
    const { claim: _dead, ...health } = body.read.health;
    return { ...body, read: { ...body.read, health } };
  });
}
