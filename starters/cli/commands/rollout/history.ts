import { templateOfRevision } from '../../../../k8s/model/machine-set.ts';
import { stringify } from 'yaml';
import type { MachineSetReading } from '../../../../k8s/model/reading.ts';
import { CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { ageOf } from '../../output/age.ts';
import { renderTable } from '../../output/table.ts';
import { knownDeployment, findDeployment, nameOf, rolloutParts, setsOf, type RolloutParts } from './rollout-parts.ts';

/** `millwright rollout history NAME`. */
export function rolloutHistory(name: string, options: GlobalOptions & { readonly revision?: number }): Promise<void> {
  return printHistory(rolloutParts(options), name, options.revision);
}

/** The templates that a deployment had, the oldest first; or one of them in full. */
export async function printHistory(parts: RolloutParts, name: string, revision?: number): Promise<void> {
  const found = await findDeployment(parts, name);
  const sets = await setsOf(parts, found);
  if (revision === undefined) {
    const { templateHash } = knownDeployment(found, sets);
    parts.print(nameOf(found));
    parts.print(renderTable([HEAD, ...sets.map((set) => rowOf(set, templateHash, parts.clock.timeOfDay()))]));
    return;
  }
  const set = sets.find(({ machineSet }) => machineSet.revision === revision)?.machineSet;
  if (set === undefined) throw new CliError(`unable to find the revision ${revision} of ${nameOf(found)}`);
  const { labels, annotations, spec } = templateOfRevision(set);
  parts.print(`${nameOf(found)} with revision #${revision}`);
  parts.print(stringify({ template: { metadata: { labels, annotations }, spec } }).trimEnd());
}

const HEAD = ['REVISION', 'MACHINESET', 'MACHINES', 'AGE', ''];

function rowOf({ machineSet, status, meta }: MachineSetReading, templateHash: string, now: number): string[] {
  const isCurrent = machineSet.templateHash === templateHash;
  return [
    String(machineSet.revision),
    machineSet.ref.name,
    String(status.replicas ?? 0),
    ageOf(meta.createdAt, now),
    isCurrent ? 'the template as it is now' : '',
  ];
}
