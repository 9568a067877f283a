import { CLI_FIELD_MANAGER } from '../../../../k8s/model/field-managers.ts';
import { stepToken } from '../../../../k8s/model/machine-deployment.ts';
import { describeRef } from '../../../../k8s/model/object-ref.ts';
import { seeStep, type StepSight } from '../../../../workflows/machine-deployment/steps.ts';
import { nameMyself } from '../../access/who-am-i.ts';
import { attempt, CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import {
  knownDeployment,
  findDeployment,
  nameOf,
  rolloutParts,
  setsOf,
  type FoundDeployment,
  type RolloutParts,
} from './rollout-parts.ts';

/** `millwright rollout approve NAME`. */
export function approveRollout(name: string, options: GlobalOptions): Promise<void> {
  return approve(rolloutParts(options), name);
}

/** Has a rollout go on that waits for approval of a step. */
export async function approve(parts: RolloutParts, name: string): Promise<void> {
  const found = await findDeployment(parts, name);
  const sight = await stepOf(parts, found);
  if (sight?.step?.kind !== 'approval') {
    const instead = sight?.step?.kind === 'pause' ? ': it is at a pause, which rollout resume ends' : '';
    throw new CliError(`${nameOf(found)} waits for no approval${instead}`);
  }
  parts.print(`${nameOf(found)} ${await sayWord(parts, found, sight, 'approve')} approved`);
}

/** Ends the pause that is a step of a rollout. */
export async function resumeStep(parts: RolloutParts, found: FoundDeployment): Promise<void> {
  const sight = await stepOf(parts, found);
  if (sight?.step?.kind !== 'pause') {
    const isAtApproval = sight?.step?.kind === 'approval';
    const instead = isAtApproval ? ': it waits for approval of a step (run rollout approve)' : '';
    throw new CliError(`${nameOf(found)} is not paused${instead}`);
  }
  parts.print(`${nameOf(found)} ${await sayWord(parts, found, sight, 'resume')} resumed`);
}

/** The step that is on record for the template as it is now. */
export async function stepOf(parts: RolloutParts, found: FoundDeployment): Promise<StepSight | undefined> {
  const { status } = found.read;
  if (status.step === undefined) return undefined;
  const sight = seeStep(
    knownDeployment(found, await setsOf(parts, found)),
    status,
    { hasOld: true },
    parts.clock.timeOfDay(),
  );
  return sight?.known === undefined ? undefined : sight;
}

/** @returns which step it was of */
async function sayWord(
  { access }: RolloutParts,
  { kind, read }: FoundDeployment,
  { known, number, of }: StepSight,
  what: 'approve' | 'resume',
): Promise<string> {
  const { ref } = read.meta;
  if (known === undefined) throw new CliError(`${describeRef(ref)} is at no step`);
  const by = await nameMyself(access.kube);
  const { metadata } = kind.writeStepWord(what, { token: stepToken(known, number), by });
  const body = { metadata: { uid: ref.uid, ...metadata } };
  await attempt(`${what} a step of ${describeRef(ref)}`, () =>
    access.kube.mergePatch(kind.resource, ref.namespace, ref.name, body, { fieldManager: CLI_FIELD_MANAGER }),
  );
  return `step ${number} of ${of} of revision ${known.revision}`;
}
