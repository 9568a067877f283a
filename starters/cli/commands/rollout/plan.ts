import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { heldByBudgets, nodesDrainedFor } from '../../../../activities/held-by-budgets.ts';
import { given } from '../../../../providers/given.ts';
import { listObjects, lookForObject } from '../../access/find-object.ts';
import { nameInFull } from '../../access/kinds-named.ts';
import { attempt, CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { isStructure, printStructure } from '../../output/print-structure.ts';
import { lookAtClasses } from './instance-types.ts';
import { planChange, type ChangePlan } from './plan-change.ts';
import { readWanted } from './read-wanted.ts';
import { renderPlan } from './render-plan.ts';
import { rolloutParts, setsBeside, type RolloutParts } from './rollout-parts.ts';
import { tryChange, tryCreation } from './try-change.ts';

export interface PlanOptions {
  /** File with the MachineDeployment as it is to be; `-`: the standard input. */
  readonly filename: string;
}

/** `millwright rollout plan -f FILE`. */
export async function rolloutPlan(options: GlobalOptions & PlanOptions): Promise<void> {
  const { filename, output } = options;
  const text = await attempt(`read ${filename}`, () =>
    filename === '-' ? readText(process.stdin) : readFile(filename, 'utf8'),
  );
  const plan = await planOf(rolloutParts(options), text, options.namespace);
  if (isStructure(output)) printStructure(plan, output);
  else console.log(renderPlan(plan));
}

/**
 * What would become of each machine of a deployment if it were as the file says, also of one that is not there yet. Nothing is changed.
 *
 * @param said the namespace that somebody named; absent: the file's, else that of the context
 */
export async function planOf(parts: RolloutParts, text: string, said?: string): Promise<ChangePlan> {
  const { kube, apis } = parts.access;
  const wanted = readWanted(text, apis.kinds('machineDeployment'));
  const { kind } = wanted;
  const { name, namespace = parts.access.namespace } = wanted.metadata;
  if (said !== undefined && said !== namespace) {
    throw new CliError(`the MachineDeployment of the file is of namespace ${namespace}, and -n says ${said}`);
  }
  const here = { ...parts, access: { ...parts.access, namespace } };
  const found = await lookForObject(here.access, 'machineDeployment', nameInFull(kind, name));
  const isNew = 'missing' in found;
  const after = kind.read(await (isNew ? tryCreation(here, wanted) : tryChange(here, found, wanted)));
  const { malformed, ref, template } = after.machineDeployment;
  if (malformed !== undefined)
    throw new CliError(`MachineDeployment ${namespace}/${name} would be malformed: ${malformed}`);
  const sets = await setsBeside(here, ref);
  const machineKind = apis.machinesOf(ref);
  const machines = (await listObjects(here.access, 'machine', { namespace })).filter(
    (each) => each.kind === machineKind,
  );
  const templates = [template, ...sets.map(({ machineSet }) => machineSet.template)];
  const plan = planChange({
    ...given({ before: isNew ? undefined : found.read }),
    after,
    sets,
    machines,
    classes: await lookAtClasses(here.access, ref, templates),
    setName: kind.setNameOf(after.machineDeployment),
    now: parts.clock.timeOfDay(),
  });
  const replaced = new Set(plan.machines.flatMap(({ what, name }) => (what === 'replaced' ? [name] : [])));
  // Its sets, and those that it adopts.
  const told = new Set(plan.machines.map(({ name }) => name));
  const adopted = machines.flatMap(({ read: { meta } }) =>
    told.has(meta.ref.name) ? (meta.controller?.uid ?? []) : [],
  );
  const mine = sets.filter(({ machineSet }) => !isNew && machineSet.deployment?.uid === found.read.meta.ref.uid);
  const uids = new Set([...adopted, ...mine.map(({ meta }) => meta.ref.uid)]);
  const own = machines.map(({ read }) => read).filter(({ meta }) => uids.has(meta.controller?.uid ?? ''));
  const nodes = nodesDrainedFor(own, ({ ref: { name } }) => replaced.has(name));
  const { type } = after.machineDeployment.strategy;
  const budgets =
    type === 'OnDelete' ? undefined : await attempt('read PodDisruptionBudgets', () => heldByBudgets(kube, nodes));
  return { ...plan, ...given({ missing: isNew ? found.missing : undefined, budgets }) };
}
