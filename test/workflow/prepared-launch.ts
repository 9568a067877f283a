import type { PreparedLaunch } from '../../k8s/model/machine.ts';

/** An attempt as it is frozen, for tests. */
export function preparedLaunch(
  attempt = 1,
  preparedAtMs = 0,
  idempotency: PreparedLaunch['idempotency'] = 'token',
): PreparedLaunch {
  return {
    attempt,
    token: `token-${attempt}`,
    preparedAt: new Date(preparedAtMs).toISOString(),
    specHash: 'spec-1',
    parameters: {
      provider: 'simulated',
      credentials: { namespace: 'default' },
      zone: 'zone-a',
      instanceType: 'small',
      request: {},
    },
    idempotency,
  };
}
