import { stepToken, type MachineDeployment, type MachineDeploymentStatus } from '../../k8s/model/machine-deployment.ts';
import type { ConditionReason } from '../../k8s/model/reasons/reasons.ts';
import { given } from '../../providers/given.ts';
import { isPreflightPassed, seePreflight, type PreflightSight } from './preflight.ts';
import { describeStep, seeStep, type StepSight } from './steps.ts';

/** What lets a rollout go no farther: no Machine is made or taken for another template. */
export interface Hold {
  readonly reason: Extract<
    ConditionReason,
    | 'DeploymentPaused'
    | 'ReplaceNotAllowed'
    | 'PreflightPending'
    | 'PreflightFailed'
    | 'StepPaused'
    | 'WaitingForApproval'
  >;
  /** Of the condition Progressing: False where somebody has to mend something. */
  readonly status: 'True' | 'False' | 'Unknown';
  /** A sentence: what it is, and how it ends. */
  readonly message: string;
}

/** What a hold follows from. */
export interface Holding {
  /** There are Machines of an earlier template. */
  readonly hasOld: boolean;
  /** Absent: there are none. */
  readonly preflight?: PreflightSight;
  /** Where it stands; absent: it has no steps. */
  readonly step?: StepSight;
}

/** Where a rollout stands, and what holds it there. */
export interface HoldSight extends Omit<Holding, 'hasOld'> {
  /** Absent: nothing does. */
  readonly hold?: Hold;
}

/** @param now milliseconds since the epoch */
export function seeHold(
  deployment: MachineDeployment,
  status: Partial<MachineDeploymentStatus>,
  replaced: {
    readonly hasOld: boolean;
    /** There are Machines of the template as it is now. */
    readonly hasNew: boolean;
    /** Of the template; absent: of whichever revision the status tells. */
    readonly revision?: number;
  },
  now: number,
): HoldSight {
  const step = seeStep(deployment, status, replaced, now);
  const preflight = seePreflight(deployment, status, replaced);
  const sight = given({ step, preflight });
  return { ...sight, ...given({ hold: holdOf(deployment, { hasOld: replaced.hasOld, ...sight }) }) };
}

/** The first of what holds a rollout; undefined: nothing does. */
export function holdOf(
  deployment: Pick<MachineDeployment, 'isRolloutPaused' | 'strategy' | 'stepAnnotations'>,
  { hasOld, preflight, step }: Holding,
): Hold | undefined {
  const { isRolloutPaused, strategy } = deployment;
  if (isRolloutPaused) {
    return { reason: 'DeploymentPaused', status: 'Unknown', message: 'spec.paused is true: the rollout stands still' };
  }
  if (hasOld && !strategy.mayReplace) return NOT_ALLOWED;
  if (preflight !== undefined && !isPreflightPassed(preflight)) return holdOfPreflight(preflight);
  return step && holdOfStep(step, deployment);
}

/** Whether a launch of the template would work is not known, or it would not. */
export function isOfPreflight(hold: Hold | undefined): boolean {
  return hold?.reason === 'PreflightPending' || hold?.reason === 'PreflightFailed';
}

const NOT_ALLOWED: Hold = {
  reason: 'ReplaceNotAllowed',
  status: 'False',
  message:
    'machines would be replaced for what changed in the template, and strategy.replace is Never: change it back, or set strategy.replace to Allowed',
};

function holdOfPreflight({ known }: PreflightSight): Hold {
  if (known === undefined) {
    const message =
      'the cloud has not said yet whether it would launch a machine of the new template; nothing is made or taken before';
    return { reason: 'PreflightPending', status: 'True', message };
  }
  const message = `no machine was made or taken, since a launch would not work: ${known.message ?? 'the cloud did not say why'}`;
  return { reason: 'PreflightFailed', status: 'False', message };
}

function holdOfStep(
  sight: StepSight,
  { stepAnnotations }: Pick<MachineDeployment, 'stepAnnotations'>,
): Hold | undefined {
  const { known, step, number, of } = sight;
  if (step?.kind !== 'pause' && step?.kind !== 'approval') return undefined;
  const isApproval = step.kind === 'approval';
  const what = isApproval ? 'approve' : 'resume';
  const annotation = stepAnnotations?.[what];
  const by = known && annotation && ` (annotation ${annotation}: ${stepToken(known, number)})`;
  const how = known === undefined ? '' : `; \`millwright rollout ${what}\` has it go on${by ?? ''}`;
  return {
    reason: isApproval ? 'WaitingForApproval' : 'StepPaused',
    status: 'Unknown',
    message: `step ${number} of ${of}: ${describeStep(sight)}${how}`,
  };
}
