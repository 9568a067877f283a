import { heldByBudgets, nodesDrainedFor } from '../../../../activities/held-by-budgets.ts';
import { templateOfRevision } from '../../../../k8s/model/machine-set.ts';
import { CLI_FIELD_MANAGER } from '../../../../k8s/model/field-managers.ts';
import { describeRef } from '../../../../k8s/model/object-ref.ts';
import type { MachineSetReading } from '../../../../k8s/model/reading.ts';
import { isInvalid } from '../../../../k8s/kube-error.ts';
import { attempt, CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import {
  knownDeployment,
  findDeployment,
  machinesOf,
  nameOf,
  rolloutParts,
  setsOf,
  type FoundDeployment,
  type RolloutParts,
} from './rollout-parts.ts';
import { resumeStep, stepOf } from './steer-steps.ts';

/** `millwright rollout pause NAME`. */
export function pauseRollout(name: string, options: GlobalOptions): Promise<void> {
  return setPause(rolloutParts(options), name, true);
}

/** `millwright rollout resume NAME`. */
export function resumeRollout(name: string, options: GlobalOptions): Promise<void> {
  return setPause(rolloutParts(options), name, false);
}

/** `millwright rollout restart NAME`. */
export function restartRollout(name: string, options: GlobalOptions): Promise<void> {
  return restart(rolloutParts(options), name);
}

/** `millwright rollout undo NAME`. */
export function undoRollout(name: string, options: GlobalOptions & { readonly toRevision?: number }): Promise<void> {
  return undo(rolloutParts(options), name, options.toRevision);
}

/** Pauses a rollout, or has it go on; also from a pause that is one of its steps. */
export async function setPause(parts: RolloutParts, name: string, pauses: boolean): Promise<void> {
  const found = await findDeployment(parts, name);
  const isPaused = found.read.machineDeployment.isRolloutPaused;
  if (!pauses && !isPaused) return resumeStep(parts, found);
  if (pauses && isPaused) throw new CliError(`${nameOf(found)} is already paused`);
  await change(parts, found, `${pauses ? 'pause' : 'resume'} the rollout of`, found.kind.writePause(pauses));
  parts.print(`${nameOf(found)} ${pauses ? 'paused' : 'resumed'}`);
  if (!pauses && (await stepOf(parts, found))?.step?.kind === 'pause') {
    parts.print('it is at a step that is a pause: resume it once more to end that too');
  }
}

/** Has all machines of a deployment replaced by new ones of the same template. */
export async function restart(parts: RolloutParts, name: string): Promise<void> {
  const found = await findDeployment(parts, name);
  if (found.read.machineDeployment.isRolloutPaused) {
    throw new CliError(`can't restart ${nameOf(found)}: it is paused (run rollout resume first)`);
  }
  if (!found.read.machineDeployment.strategy.mayReplace) {
    throw new CliError(`can't restart ${nameOf(found)}: its spec.strategy.replace is Never`);
  }
  const at = new Date(parts.clock.timeOfDay()).toISOString();
  await change(parts, found, 'restart', found.kind.writeRestart(at));
  parts.print(`${nameOf(found)} restarted`);
}

/** How often it is tried to undo a rollout of which nothing but the status changes meanwhile. */
const MOST_TRIES = 10;

/** Puts the template of an earlier revision back. */
export async function undo(parts: RolloutParts, name: string, toRevision?: number, tries = MOST_TRIES): Promise<void> {
  const found = await findDeployment(parts, name);
  const { machineDeployment: deployment, meta, status } = found.read;
  const progress = status.conditions?.find(({ type }) => type === 'Progressing');
  // One that was paused for what failed goes on by that. Where failures stop nothing, a person has paused it.
  const mayBeStopped = deployment.strategy.failureThreshold !== undefined;
  const isStopped = deployment.isRolloutPaused && mayBeStopped && progress?.status === 'False';
  if (deployment.isRolloutPaused && !isStopped) {
    throw new CliError(`can't undo ${nameOf(found)}: it is paused (run rollout resume first)`);
  }
  const sets = await setsOf(parts, found);
  const { templateHash } = knownDeployment(found, sets);
  const target = chooseSet(sets, templateHash, toRevision);
  if (target === undefined) {
    const wanted = toRevision === undefined ? 'no rollout history found' : `unable to find the revision ${toRevision}`;
    throw new CliError(`${wanted} for ${nameOf(found)}: see rollout history`);
  }
  const { machineSet } = target;
  if (machineSet.templateHash === templateHash) {
    parts.print(`${nameOf(found)} skipped rollback (it has the template of revision ${machineSet.revision} already)`);
    return;
  }
  const held = await budgetsInTheWay(parts, found, sets, target);
  const { kube } = parts.access;
  const { namespace, name: stored, uid } = meta.ref;
  // As it was read: somebody else's change is not to be undone unseen.
  const tests = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: meta.resourceVersion },
  ];
  const patch = [...tests, ...found.kind.replaceTemplate(templateOfRevision(machineSet), isStopped)];
  const isDone = await attempt(`roll ${describeRef(meta.ref)} back`, async () => {
    try {
      await kube.jsonPatch(found.kind.resource, namespace, stored, patch, { fieldManager: CLI_FIELD_MANAGER });
      return true;
    } catch (error) {
      // What it tests is not so any more, or the template is refused.
      if (!isInvalid(error)) throw error;
      const now = await findDeployment(parts, name);
      if (now.read.meta.resourceVersion === meta.resourceVersion) throw error;
      // The status of a rollout that moves changes each second; what is to be undone is the same.
      if (tries > 1 && now.read.machineDeployment.generation === deployment.generation) return false;
      throw new CliError(`${nameOf(found)} changed meanwhile; nothing was changed, try again`, { cause: error });
    }
  });
  if (!isDone) return undo(parts, name, toRevision, tries - 1);
  parts.print(`${nameOf(found)} rolled back`);
  if (!deployment.strategy.mayReplace)
    parts.print('its spec.strategy.replace is Never: no machine is replaced for that before it is Allowed');
  if (held !== undefined) parts.print(held);
}

/** What may hold up the drains of the machines that go, or are going, where those of a set come in their place: a sentence; undefined: nothing, or none goes by itself. */
async function budgetsInTheWay(
  parts: RolloutParts,
  found: FoundDeployment,
  sets: readonly MachineSetReading[],
  target: MachineSetReading,
): Promise<string | undefined> {
  const { strategy } = found.read.machineDeployment;
  if (strategy.type === 'OnDelete' || !strategy.mayReplace) return undefined;
  const going = new Set(sets.filter((set) => set !== target).map(({ meta }) => meta.ref.uid));
  const own = new Set(sets.map(({ meta }) => meta.ref.uid));
  const machines = (await machinesOf(parts, found)).filter(({ meta }) => own.has(meta.controller?.uid ?? ''));
  const nodes = nodesDrainedFor(machines, ({ controller }) => going.has(controller?.uid ?? ''));
  return attempt('read PodDisruptionBudgets', () => heldByBudgets(parts.access.kube, nodes));
}

/** The set to go back to: that of the revision, or the newest one that has another template than the deployment. */
function chooseSet(
  sets: readonly MachineSetReading[],
  templateHash: string,
  revision: number | undefined,
): MachineSetReading | undefined {
  return revision === undefined
    ? sets.findLast(({ machineSet }) => machineSet.templateHash !== templateHash)
    : sets.find(({ machineSet }) => machineSet.revision === revision);
}

async function change(parts: RolloutParts, found: FoundDeployment, what: string, patch: object): Promise<void> {
  const { namespace, name, uid } = found.read.meta.ref;
  const body = { metadata: { uid }, ...patch };
  await attempt(`${what} ${describeRef(found.read.meta.ref)}`, () =>
    parts.access.kube.mergePatch(found.kind.resource, namespace, name, body, { fieldManager: CLI_FIELD_MANAGER }),
  );
}
