import type { PreparedLaunch } from '../../../k8s/model/machine.ts';
import { tokenOf } from '../../../k8s/launch-token.ts';
import type { ObjectRef } from '../../../k8s/model/object-ref.ts';
import { MADE_AT } from './metadata.ts';

export interface LaunchFacts extends Partial<Omit<PreparedLaunch, 'parameters'>> {
  /** Laid over the parameters. */
  readonly parameters?: Partial<PreparedLaunch['parameters']>;
}

/** A launch as it is frozen for a Machine. */
export function aLaunch(
  { namespace, name, uid }: Pick<ObjectRef, 'namespace' | 'name' | 'uid'>,
  { attempt = 1, parameters, ...more }: LaunchFacts = {},
): PreparedLaunch {
  const tags = { cluster: 'c1', namespace, name, machineUid: uid };
  return {
    attempt,
    token: tokenOf(uid, attempt),
    preparedAt: MADE_AT,
    specHash: 'h',
    parameters: {
      provider: 'simulated',
      credentials: { namespace, region: 'sim-1' },
      zone: 'zone-a',
      instanceType: 'sim.small',
      request: { region: 'sim-1', image: 'image-default', tags },
      ...parameters,
    },
    idempotency: 'token',
    ...more,
  };
}
