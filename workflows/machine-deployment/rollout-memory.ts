import type { PreflightStatus } from '../../k8s/model/machine-deployment.ts';
import type { CapacityMemory } from '../keep-capacity.ts';
import type { Retry } from '../retry.ts';
import type { RolloutFailures } from './failures.ts';
import type { ToldToLook } from './late-machines.ts';
import type { Pause } from './pauses.ts';
import type { ScaleDown } from './scale-down.ts';
import type { ScaleUp } from './scale-up.ts';
import type { UntoldStop } from './untold-stop.ts';

/** What the API server does for a deployment, each of which it may refuse; and the words for it. */
export const ASKED = {
  pause: 'pause the rollout',
  rollBack: 'roll back',
  adopt: 'adopt a MachineSet',
  create: 'make the MachineSet of the template',
  order: 'scale a MachineSet',
  remove: 'delete a MachineSet that is needed no more',
} as const;

export type Asked = keyof typeof ASKED;

/** What is refused, until it is done or wanted no more. */
export type RolloutRefusals = Readonly<Partial<Record<Asked | 'writeStatus', Retry>>>;

/** What the deployment's workflow must not forget between two looks. */
export interface RolloutMemory extends CapacityMemory {
  refusals: Partial<Record<Asked | 'writeStatus', Retry>>;
  /** New Machines that failed. */
  failures?: RolloutFailures;
  /** Which of the late ones look at their instances before they count. */
  told?: ToldToLook;
  /** That it stops, or goes back, until an event has told it. */
  untold?: UntoldStop;
  /** What it was paused for, in words; absent: nothing is known of that, or it is not. */
  pausedFor?: string;
  /** What the cloud said to a launch of the template, until it is on record. */
  preflight?: PreflightStatus;
  /** How the last try to ask it went that it had no answer to. */
  preflightRetry?: Retry;
  /** When it was paused, or nobody looked, the earliest first. Absent: this workflow has not looked yet. */
  pauses?: readonly Pause[];
  /** What its sets come down to. Absent: it has not too many Machines, or of one template only. */
  scaleDown?: ScaleDown;
  /** What its sets come up to. Absent: nothing was asked for, or all sets have answered to that. */
  scaleUp?: ScaleUp;
  /** How many Machines were wanted at the last look. */
  replicas?: number;
  /** When the next look is due, in milliseconds since the epoch. */
  lookAt?: number;
  /** When everything is looked at again, in milliseconds since the epoch. */
  resyncAt?: number;
  /** What is wrong with the object, once it was said. */
  malformed?: string;
}

/** What of a deployment's steps is refused, in the order of the steps. */
export function refusalsOf(refusals: RolloutRefusals): (Retry & { readonly words: string })[] {
  return (Object.keys(ASKED) as Asked[]).flatMap((asked) => {
    const refusal = refusals[asked];
    return refusal === undefined ? [] : [{ ...refusal, words: ASKED[asked] }];
  });
}
