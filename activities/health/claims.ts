import type { StoredObject } from '../../k8s/dialects/kind.ts';
import {
  ASKED_OF_OTHERS_ANNOTATION,
  EXTERNAL_REMEDIATION_ANNOTATION,
  readAsked,
} from '../../k8s/model/health-claim.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { selects } from '../../k8s/selector.ts';
import type { ActivityDeps } from '../deps.ts';
import { given } from '../../providers/given.ts';
import type { SeenBody } from './see-health.ts';

/**
 * The same Machines, without the claims of checks that are gone, cannot be read or select them no more: those remediate nothing. Nor is
 * another program any more that such a check had asked.
 */
export async function withoutDeadClaims<Body extends SeenBody>(
  { kube, apis }: Pick<ActivityDeps, 'kube' | 'apis'>,
  { namespace, uid: own }: ObjectRef,
  bodies: readonly Body[],
): Promise<Body[]> {
  const claimed = ({ read }: Body): string => read.health.claim?.uid ?? own;
  if (bodies.every((body) => claimed(body) === own)) return [...bodies];
  const lists = await Promise.all(
    apis.kinds('machineHealthCheck').map(async ({ resource, read }) => {
      const { items } = await kube.list<StoredObject>(resource, { namespace });
      return items.map((item) => read(item).machineHealthCheck);
    }),
  );
  const checks = new Map(lists.flat().map((check) => [check.ref.uid, check]));
  const isLive = (body: Body): boolean => {
    const check = checks.get(claimed(body));
    return check !== undefined && check.malformed === undefined && selects(check.selector, body.read.meta.labels);
  };
  return bodies.map((body) => {
    if (claimed(body) === own || isLive(body)) return body;
    const { claim: _dead, external, ...health } = body.read.health;
    const asked = readAsked(body.read.meta.annotations[ASKED_OF_OTHERS_ANNOTATION]).annotations;
    const isTheirs = external === true && asked[EXTERNAL_REMEDIATION_ANNOTATION] === undefined;
    return { ...body, read: { ...body.read, health: { ...health, ...given({ external: isTheirs || undefined }) } } };
  });
}
