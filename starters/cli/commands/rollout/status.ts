import type { StoredObject } from '../../../../k8s/dialects/kind.ts';
import { isPassing, unlessGone } from '../../../../k8s/kube-error.ts';
import type { MachineDeploymentReading } from '../../../../k8s/model/reading.ts';
import { delay } from '../../../../providers/clock.ts';
import { given } from '../../../../providers/given.ts';
import { attempt, CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { findDeployment, nameOf, rolloutParts, type FoundDeployment, type RolloutParts } from './rollout-parts.ts';

/** Between two looks, in milliseconds. */
const LOOK_EVERY_MS = 1000;

export interface StatusOptions {
  /** Until it is done. */
  readonly watch: boolean;
  readonly timeout: number;
}

/** `millwright rollout status NAME`. */
export function rolloutStatus(name: string, options: GlobalOptions & StatusOptions): Promise<void> {
  return tellStatus(rolloutParts(options), name, options);
}

/** Says how far a rollout is whenever that changes, until it is done. Ctrl-C ends this and not the rollout. */
export async function tellStatus(parts: RolloutParts, name: string, options: StatusOptions): Promise<void> {
  const { clock, print } = parts;
  const deadline = clock.now() + options.timeout * 1000;
  let found = await findDeployment(parts, name);
  for (let told = ''; ; found = await readAgain(parts, found)) {
    const { isDone, words, stopped } = describeStatus(found.read, nameOf(found));
    if (words !== told) print(words);
    told = words;
    if (stopped !== undefined) throw new CliError(`${nameOf(found)}: ${stopped}`);
    if (isDone || !options.watch) return;
    if (clock.now() >= deadline) {
      throw new CliError(`timed out after ${options.timeout} s; the rollout goes on`, { exitCode: EXIT.timedOut });
    }
    await delay(clock, Math.min(LOOK_EVERY_MS, Math.max(0, deadline - clock.now())));
  }
}

/** How far a rollout is, in the words of kubectl. */
export function describeStatus(
  { machineDeployment, status }: MachineDeploymentReading,
  name: string,
): { readonly isDone: boolean; readonly words: string; readonly stopped?: string } {
  const { generation, replicas: wanted, isRolloutPaused } = machineDeployment;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions = [] } = status;
  const progress = conditions.find(({ type }) => type === 'Progressing');
  // It stands still for what failed, until somebody does something about it.
  const stopped = isRolloutPaused && progress?.status === 'False' ? progress.message : undefined;
  const waits = (why: string) => ({
    isDone: false,
    words: `Waiting for ${name} rollout to finish: ${why}...`,
    ...given({ stopped }),
  });
  if ((status.observedGeneration ?? 0) < generation) {
    return { isDone: false, words: `Waiting for ${name} spec update to be observed...` };
  }
  if (isRolloutPaused && updatedReplicas < wanted)
    return waits(`it is paused, ${updatedReplicas} of ${wanted} updated`);
  if (updatedReplicas < wanted) return waits(`${updatedReplicas} out of ${wanted} new machines have been updated`);
  if (replicas > updatedReplicas) return waits(`${replicas - updatedReplicas} old machines are pending termination`);
  if (availableReplicas < updatedReplicas) {
    return waits(`${availableReplicas} of ${updatedReplicas} updated machines are available`);
  }
  // Machines that are being deleted are not counted, and there are some still.
  if (progress?.reason === 'ReplicaSetUpdated') return waits('old machines are being deleted');
  return { isDone: true, words: `${name} successfully rolled out` };
}

/** Where the API server has no answer just now, as it was seen last. */
async function readAgain(parts: RolloutParts, found: FoundDeployment): Promise<FoundDeployment> {
  const { kind, read } = found;
  const { namespace, name, uid } = read.meta.ref;
  return attempt(`look at ${nameOf(found)}`, async () => {
    try {
      const stored = await unlessGone(parts.access.kube.get<StoredObject>(kind.resource, namespace, name));
      if (stored?.metadata.uid !== uid) throw new CliError(`${nameOf(found)} is gone`, { exitCode: EXIT.notFound });
      return { kind, stored, read: kind.read(stored) };
    } catch (error) {
      if (isPassing(error)) return found;
      throw error;
    }
  });
}
