import type { RolloutMachine } from '../../k8s/model/rollout-machine.ts';
import { given } from '../../providers/given.ts';
import { knownPauses, overAt, type Pause } from './pauses.ts';

/** A new Machine that failed, or is too late. */
export interface FailedMachine {
  readonly name: string;
  readonly uid: string;
  readonly why: string;
  readonly isLate: boolean;
  /** It was launched: its instance may be gone, and nobody has looked yet. A Node that seems Ready may be its last word. */
  readonly mayBeGone?: true;
  /** An event has told of it, and that the rollout goes on. */
  readonly isTold?: true;
  /** It is not among those that look failed now: it is gone, or came up after all. */
  readonly isPast?: true;
}

/** How the Machines of the newest template come up. */
export interface NewMachines {
  readonly failed: readonly FailedMachine[];
  /** When the next one is too late, in milliseconds since the epoch; absent: none will be. */
  readonly lateAt?: number;
  /** What the cloud says to one that has no instance yet; absent: it has room. */
  readonly lacksCapacity?: string;
  /** What became of one whose instance the cloud took back, or that failed when nothing was rolled out: somebody has to delete it. Absent: there is none. */
  readonly lost?: string;
  /** What keeps one from its launch, or from being used where its Node is Ready; absent: nothing does. */
  readonly unusable?: string;
}

/** What else a judgement goes by. */
export interface Judging {
  /** Of the deployment, in which no Machine's time passes. @default none */
  readonly pauses?: readonly Pause[];
  /** The template was rolled out whole, and nothing is rolled out: what is lost later says nothing of it. @default false */
  readonly isWhole?: boolean;
  /** The status tells that this template is rolled out: no deadline counts any more, as in Kubernetes. @default false */
  readonly isOver?: boolean;
}

/** @param isAvailable whether a Machine is */
export function judgeNewMachines(
  machines: readonly RolloutMachine[],
  deadlineSeconds: number,
  now: number,
  isAvailable: (machine: RolloutMachine) => boolean,
  { pauses = [], isWhole, isOver }: Judging = {},
): NewMachines {
  // One whose launch is refused all the time comes up no more than one that was launched for nothing.
  const overIn = ({ launchedAt, refused }: RolloutMachine, some: readonly Pause[]) =>
    overAt(launchedAt ?? refused?.since ?? Infinity, deadlineSeconds * 1000, some);
  const lateAtOf = (machine: RolloutMachine) => (isOver === true ? Infinity : overIn(machine, pauses));
  // What was well then has not failed, however long after that a workflow looks for the first time.
  const dueAtOf = (machine: RolloutMachine) => overIn(machine, knownPauses(pauses));
  const coming = machines.filter((machine) => !machine.deleting && !isAvailable(machine));
  const lostOf = ({ lost, failure, hasNode }: RolloutMachine) =>
    lost ?? (isWhole === true && hasNode ? failure : undefined);
  const judged = coming.map((machine) => ({ machine, lateAt: lateAtOf(machine) }));
  // Who replaces what does not come up would keep the deployment from ever seeing it late.
  const remediated = machines.flatMap((machine): FailedMachine[] => {
    const { name, uid, launchedAt, remediatedBy, isBlameless, hasNode } = machine;
    if (isBlameless === true || remediatedBy === undefined || launchedAt === undefined) return [];
    const isInTime = dueAtOf(machine) >= now;
    // One that had a Node may have been well in time; of a template that is rolled out it was.
    if ((!isInTime || isOver === true) && hasNode) return [];
    const when = isInTime ? `within ${deadlineSeconds} s of its launch` : 'before a Node had joined';
    const why = `the health check ${remediatedBy} deleted it ${when}`;
    return [{ name, uid, why, isLate: false }];
  });
  const unavailable = judged.flatMap(({ machine, lateAt }): FailedMachine[] => {
    const { name, uid, failure, isBlameless, launchedAt, refused } = machine;
    if (isBlameless === true || lostOf(machine) !== undefined) return [];
    if (failure !== undefined) return [{ name, uid, why: failure, isLate: false }];
    const why =
      launchedAt === undefined && refused !== undefined
        ? `its launch has been refused for ${deadlineSeconds} s: ${refused.why}`
        : `it is not available ${deadlineSeconds} s after its launch${whyNotAvailable(machine)}`;
    // One that was still well by then fell ill, which its template may not be to blame for.
    if (lateAt > now || unavailableSince(machine) > dueAtOf(machine)) return [];
    const mayBeGone = launchedAt === undefined ? undefined : (true as const);
    return [{ name, uid, why, isLate: true, ...given({ mayBeGone }) }];
  });
  const lateAt = Math.min(
    ...judged
      .filter(({ machine }) => machine.isBlameless !== true)
      .map((each) => each.lateAt)
      .filter((at) => at > now),
  );
  const lacking = coming.find(({ lacksCapacity }) => lacksCapacity !== undefined);
  const lost = coming.find((machine) => lostOf(machine) !== undefined);
  const unusable = coming.map(whyUnusable).find((words) => words !== undefined);
  return {
    failed: [...unavailable, ...remediated],
    ...given({
      lateAt: lateAt === Infinity ? undefined : lateAt,
      unusable,
      lost: lost && `Machine ${lost.name}: ${lostOf(lost)}`,
      lacksCapacity: lacking && `Machine ${lacking.name}: ${lacking.lacksCapacity}`,
    }),
  };
}

/** Of one that is not available now, in milliseconds since the epoch. Infinity: it was until now, as far as anybody has said yet. */
function unavailableSince({ downSince, readySince, unusable }: RolloutMachine): number {
  if (downSince !== undefined) return downSince;
  if (readySince === undefined) return -Infinity;
  return unusable === undefined ? Date.parse(readySince) : Infinity;
}

/** What is known of that; nothing where it has to be available for a while yet. */
function whyNotAvailable({ hasNode, readySince, unusable }: RolloutMachine): string {
  if (!hasNode) return ': no Node has joined';
  if (readySince === undefined) return ': its Node is not Ready';
  return unusable === undefined ? '' : `: ${unusable}`;
}

function whyUnusable({ name, refused, readySince, unusable }: RolloutMachine): string | undefined {
  if (refused !== undefined) return `Machine ${name}: its launch is refused: ${refused.why}`;
  return readySince === undefined || unusable === undefined ? undefined : `Machine ${name}: ${unusable}`;
}
