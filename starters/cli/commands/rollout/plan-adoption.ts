import { seenSetOf } from '../../../../activities/seen-set.ts';
import type { MachineDeployment } from '../../../../k8s/model/machine-deployment.ts';
import type { MachineDeploymentReading, MachineReading, MachineSetReading } from '../../../../k8s/model/reading.ts';
import { rolloutMachineOf } from '../../../../k8s/model/rollout-machine.ts';
import type { Rollout } from '../../../../workflows/machine-deployment/rollout.ts';
import { seeRollout } from '../../../../workflows/machine-deployment/see-rollout.ts';

/** What there is beside a deployment. */
export interface Surroundings {
  /** Of its namespace. */
  readonly sets: readonly MachineSetReading[];
  readonly machines: readonly MachineReading[];
  /** Name of the set of its template, unless one of another template has it. */
  readonly setName: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A deployment as it is when it has adopted what it adopts. */
export interface Adopting {
  /** Its template has the hash that its sets know it by. */
  readonly deployment: MachineDeployment;
  readonly rollout: Rollout;
  /** uids of the sets that it adopts. */
  readonly adopted: ReadonlySet<string>;
  /** It pauses itself first: a set that it adopts has another template. */
  readonly startsPaused: boolean;
}

/** What a deployment adopts, and what it comes to by that: both as its workflow sees it. */
export function planAdoption(
  { machineDeployment, status }: MachineDeploymentReading,
  { sets, machines, setName, now }: Surroundings,
): Adopting {
  const seen = sets.map(seenSetOf);
  const all = machines.map(rolloutMachineOf);
  const beside = { setName, status, now };
  const { adopt, pauseFirst: startsPaused } = seeRollout(machineDeployment, seen, all, beside).steps;
  const adopted = new Set(adopt.map(({ uid }) => uid));
  const { uid: controller } = machineDeployment.ref;
  const owned = seen.map((each) => (adopted.has(each.set.ref.uid) ? { ...each, controller } : each));
  const asked = startsPaused ? { ...machineDeployment, isRolloutPaused: true } : machineDeployment;
  const { rollout, templateHash } = seeRollout(asked, owned, all, beside);
  return { deployment: { ...asked, templateHash }, rollout, adopted, startsPaused };
}
