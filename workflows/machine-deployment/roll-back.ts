import type { MachineDeployment } from '../../k8s/model/machine-deployment.ts';
import type { NamedSet } from './machine-deployment-activities.ts';
import type { SeenSet } from './see-rollout.ts';

/** Where a rollout goes back to whose new Machines fail; or why it cannot, to complete "It is not rolled back: …". */
export type WayBack =
  | { readonly to: BackTo; readonly barred?: undefined }
  | { readonly to?: undefined; readonly barred: string };

/** The set of the template to go back to. */
export interface BackTo extends NamedSet {
  readonly revision: number;
}

/**
 * The set of the last template that was rolled out whole. A rollout goes there once: what fails there as well is not rolled back, nor is
 * a template that failed before and that somebody put in place again. All of that is in the objects, so whoever looks next knows it too.
 *
 * @param complete hash of that template
 * @returns undefined: it is not to go back
 */
export function findWayBack(
  { strategy, templateHash, rolledBack }: Pick<MachineDeployment, 'strategy' | 'templateHash' | 'rolledBack'>,
  mine: readonly SeenSet[],
  complete: string | undefined,
): WayBack | undefined {
  if (!strategy.rollsBack) return undefined;
  if (complete === undefined) return { barred: 'no template of it was rolled out whole so far' };
  if (complete === templateHash) return { barred: 'this is the template that it would go back to' };
  if (rolledBack?.from === templateHash)
    return { barred: 'it was before, and somebody put this template in place again' };
  const found = mine.find(({ set }) => set.templateHash === complete && set.deletedAt === undefined);
  if (found === undefined) return { barred: 'the MachineSet of the last template that was rolled out whole is gone' };
  const { set, resourceVersion } = found;
  return { to: { name: set.ref.name, uid: set.ref.uid, resourceVersion, revision: set.revision } };
}
