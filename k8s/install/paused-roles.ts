import type { Role } from '../dialects/kind.ts';
import type { ApiRegistry } from '../dialects/registry.ts';

/**
 * Whose objects a take-over pauses, in the order in which they are resumed: who decides on the objects of others comes after
 * these, so that nobody decides on what does not move yet.
 */
export const PAUSED_ROLES = [
  'machine',
  'machineSet',
  'machineDeployment',
  'machineHealthCheck',
] as const satisfies readonly Role[];

export type PausedRole = (typeof PAUSED_ROLES)[number];

/** Their kinds, in the plural: `Machines, MachineSets`. */
export function namesOfPaused(apis: ApiRegistry, roles: readonly PausedRole[] = PAUSED_ROLES): string {
  const kinds = roles.flatMap((role) => apis.kinds(role)).map(({ resource }) => `${resource.kind}s`);
  return [...new Set(kinds)].join(', ');
}
