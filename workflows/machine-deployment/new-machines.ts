import type { RolloutMachine } from '../../k8s/model/rollout-machine.ts';
import { given } from '../../providers/given.ts';
import { overAt, type Pause } from './pauses.ts';

/** A new Machine that failed, or is too late. */
export interface FailedMachine {
  readonly name: string;
  readonly uid: string;
  readonly why: string;
  readonly isLate: boolean;
}

/** How the Machines of the newest template come up. */
export interface NewMachines {
  readonly failed: readonly FailedMachine[];
  /** When the next one is too late, in milliseconds since the epoch; absent: none will be. */
  readonly lateAt?: number;
  /** What the cloud says to one that has no instance yet; absent: it has room. */
  readonly lacksCapacity?: string;
  /** What keeps one from being used whose Node is Ready; absent: nothing does. */
  readonly unusable?: string;
}

/**
 * @param isAvailable whether a Machine is
 * @param pauses of the deployment, in which no Machine's time passes
 */
export function judgeNewMachines(
  machines: readonly RolloutMachine[],
  deadlineSeconds: number,
  now: number,
  isAvailable: (machine: RolloutMachine) => boolean,
  pauses: readonly Pause[] = [],
): NewMachines {
  const lateAtOf = ({ launchedAt = Infinity }: RolloutMachine) => overAt(launchedAt, deadlineSeconds * 1000, pauses);
  const coming = machines.filter((machine) => !machine.deleting && !isAvailable(machine));
  const judged = coming.map((machine) => ({ machine, lateAt: lateAtOf(machine) }));
  // Who replaces what does not come up would keep the deployment from ever seeing it late.
  const remediated = machines.flatMap((machine): FailedMachine[] => {
    const { name, uid, launchedAt, remediatedBy, isBlameless } = machine;
    if (isBlameless === true || remediatedBy === undefined) return [];
    if (launchedAt === undefined || lateAtOf(machine) < now) return [];
    const why = `the health check ${remediatedBy} has it replaced, not ${deadlineSeconds} s after its launch`;
    return [{ name, uid, why, isLate: false }];
  });
  const unavailable = judged.flatMap(({ machine, lateAt }): FailedMachine[] => {
    const { name, uid, failure, isBlameless, downSince = 0 } = machine;
    if (isBlameless === true) return [];
    if (failure !== undefined) return [{ name, uid, why: failure, isLate: false }];
    const why = `it is not available ${deadlineSeconds} s after its launch`;
    // One that was still well by then fell ill, which its template may not be to blame for.
    return lateAt <= now && downSince <= lateAt ? [{ name, uid, why, isLate: true }] : [];
  });
  const lateAt = Math.min(
    ...judged
      .filter(({ machine }) => machine.isBlameless !== true)
      .map((each) => each.lateAt)
      .filter((at) => at > now),
  );
  const lacking = coming.find(({ lacksCapacity }) => lacksCapacity !== undefined);
  const unusable = coming.find((machine) => machine.readySince !== undefined && machine.unusable !== undefined);
  return {
    failed: [...unavailable, ...remediated],
    ...(lateAt === Infinity ? {} : { lateAt }),
    ...given({ unusable: unusable && `Machine ${unusable.name}: ${unusable.unusable}` }),
    ...given({ lacksCapacity: lacking && `Machine ${lacking.name}: ${lacking.lacksCapacity}` }),
  };
}
