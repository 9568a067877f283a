/** The body of a launch call: frozen when the launch is resolved, sent as it is from then on. */

import { Ajv } from 'ajv';
import { compiledLater } from '../compiled-later.ts';
import { ProviderError } from '../provider-error.ts';
import type { Idempotency, InstanceOwner, LaunchRequest } from '../provider.ts';
import type { ProviderSpec } from './provider-spec.ts';
import { LAUNCH_TOKEN_TAG } from './provider-spec-schema.ts';
import { given } from '../given.ts';

/**
 * What {@link LaunchParameters.request} holds. The owner's tags are frozen too: the token belongs to them, and a
 * Machine's cluster label may change while the outcome of a call is unknown.
 */
interface FrozenRequest {
  readonly region: string;
  readonly image: string;
  readonly tags: Readonly<Record<string, string>>;
}

const isFrozenRequest = compiledLater(() =>
  new Ajv().compile<FrozenRequest>({
    type: 'object',
    required: ['region', 'image', 'tags'],
    additionalProperties: false,
    properties: {
      region: { type: 'string' },
      image: { type: 'string' },
      tags: { type: 'object', required: ['machineUid'], additionalProperties: { type: 'string' } },
    },
  }),
);

export function resolvedRequest(spec: ProviderSpec, owner: InstanceOwner): Readonly<Record<string, unknown>> {
  const tags = Object.fromEntries(spec.tags.map((tag) => [tag.name, tag.value]));
  const frozen: FrozenRequest = {
    region: spec.region,
    image: spec.image,
    tags: { ...tags, cluster: owner.clusterName, ...claimTagsOf(owner) },
  };
  return { ...frozen };
}

/** What tells whose an instance is, beside its cluster; also written on one that is adopted. */
export function claimTagsOf({ namespace, name, uid, clusterUid }: InstanceOwner): Readonly<Record<string, string>> {
  return { namespace, name, machineUid: uid, clusterUid };
}

/**
 * To a cloud without tokens the token goes as a tag, which tells later whose launch it was and of which attempt.
 * @throws ProviderError FailedPrecondition where the stored parameters were damaged or are another Machine's
 */
export function launchBody(
  { owner, token, parameters, userData }: LaunchRequest,
  idempotency: Idempotency,
): Readonly<Record<string, unknown>> {
  const { request, zone, instanceType } = parameters;
  const refuse = (why: string): never => {
    const message = `launch an instance for machine ${owner.namespace}/${owner.name}: the stored launch parameters ${why}`;
    throw new ProviderError('FailedPrecondition', message);
  };
  if (!isFrozenRequest(request)) return refuse('hold no request that this provider has resolved');
  const madeFor = request.tags['machineUid'];
  if (madeFor !== owner.uid) return refuse(`were resolved for the Machine ${madeFor}, not for ${owner.uid}`);
  const encoded = userData && Buffer.from(userData).toString('base64');
  const body = { zone, instanceType, ...request, ...given({ userData: encoded }) };
  if (idempotency === 'token') return { ...body, clientToken: token };
  return { ...body, tags: { ...request.tags, [LAUNCH_TOKEN_TAG]: token } };
}
