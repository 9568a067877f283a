import type { MachineDeployment } from './machine-deployment.ts';
import type { MachineSet } from './machine-set.ts';

/**
 * The deployment, with the hash of its template as its set of that template has it. Another release may have made the set, and have come to
 * another hash: for what is only read otherwise no Machine is replaced.
 *
 * @param sets of the deployment, in any order. Of several of the template it is the newest one
 */
export function asKnownToSets(deployment: MachineDeployment, sets: readonly MachineSet[]): MachineDeployment {
  const { templateHash: hash } = deployment;
  const isExact = (set: MachineSet): number => (set.templateHash === hash ? 1 : 0);
  const [newest] = sets
    .filter((set) => set.deletedAt === undefined && (set.templateHash === hash || set.templateHashNow === hash))
    .sort((a, b) => b.revision - a.revision || isExact(b) - isExact(a));
  return newest === undefined ? deployment : { ...deployment, templateHash: newest.templateHash };
}

/**
 * The set of a deployment's template. An adoption may bring others that have it, too: the newest revision is that of it, and of equals the
 * first. Machines of the others are replaced as those of another template.
 *
 * @param deployment as its sets know it
 */
export function setOfTemplate(
  sets: readonly MachineSet[],
  { templateHash }: Pick<MachineDeployment, 'templateHash'>,
): MachineSet | undefined {
  return sets
    .filter((set) => set.deletedAt === undefined && set.templateHash === templateHash)
    .sort((a, b) => b.revision - a.revision)[0];
}
