import type { PreparedLaunch } from '../../k8s/model/machine.ts';
import type { Instance } from '../../providers/provider.ts';
import { pickInstance } from './instance-facts.ts';
import {
  afterEmptyLook,
  afterGivenUp,
  isOutcomeUnknown,
  takenOverLaunch,
  type CloudFailure,
  type LaunchRecord,
} from './launch-record.ts';
import { lookTimeOf } from './look-at-instance.ts';
import type { Pass } from './pass.ts';
import { planSettlement } from './plan-launch.ts';
import { local } from './ports.ts';
import { reportEvent } from '../short-steps.ts';
import { writeStatus } from './write-pass.ts';

/** Name of the step in what a machine says it waits for. */
export const SETTLE_STEP = 'SettleLaunch';

/** What a look-up by uid and token came to. */
export type LaunchLook =
  | { readonly outcome: 'instance'; readonly instance: Instance }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'failed'; readonly failure: CloudFailure };

/** What has become of the launch under way, as far as can be told now. */
export type Settlement =
  /** It made no instance, and that is proved; or there is none under way. */
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'instance'; readonly instance: Instance }
  | { readonly outcome: 'failed'; readonly failure: CloudFailure }
  /** The next look is due then. */
  | { readonly outcome: 'open'; readonly until: number };

/**
 * Finds out what a launch of unknown outcome made, by look-ups only: before the Machine gets an instance from elsewhere, and
 * before it goes.
 */
export async function settleLaunch(pass: Pass): Promise<Settlement> {
  const { memory, status } = pass;
  if (!hasOpenLaunch(pass)) return { outcome: 'nothing' };
  if (status.launch !== undefined) memory.attempt ??= takenOverLaunch(status.launch, pass.nowMs, pass.settings);
  await tellOfLaunch(pass);
  while (memory.attempt !== undefined) {
    const step = planSettlement(memory.attempt, pass.nowMs, pass.settings);
    if (step.do === 'wait') return { outcome: 'open', until: step.until };
    if (step.do !== 'look') break;
    const look = await lookUp(pass, memory.attempt);
    if (look.outcome !== 'nothing') return look;
  }
  return { outcome: 'nothing' };
}

/** True where a launch may have made an instance that is not on record. */
export function hasOpenLaunch({ memory, status }: Pass): boolean {
  const { attempt } = memory;
  if (attempt !== undefined && !isOutdated(attempt, status.launch)) return isOutcomeUnknown(attempt);
  return status.launch !== undefined && status.instance === undefined;
}

/** The Machine tells of more than this workflow knows: Temporal's past was restored. */
function isOutdated({ prepared }: LaunchRecord, stored: PreparedLaunch | undefined): boolean {
  if (stored === undefined || stored.attempt < prepared.attempt) return false;
  return stored.attempt > prepared.attempt || (stored.callsGivenUp ?? 0) > (prepared.callsGivenUp ?? 0);
}

/**
 * Has the Machine say which launch is under way and which of its calls were given up. A call goes by what the Machine says
 * when it is sent, so from then on no earlier one can be.
 * @returns whether anything had to be said
 */
export async function tellOfLaunch(pass: Pass): Promise<boolean> {
  const { memory } = pass;
  const { launch: stored } = pass.status;
  let { attempt } = memory;
  if (attempt === undefined || isSameLaunch(attempt, stored)) return false;
  if (stored !== undefined && isOutdated(attempt, stored)) {
    attempt = takenOverLaunch(stored, pass.nowMs, pass.settings);
  }
  memory.attempt = attempt;
  pass.set({ launch: attempt.prepared });
  await writeStatus(pass);
  memory.attempt = afterGivenUp(attempt, pass.nowMs, pass.settings);
  return true;
}

function isSameLaunch({ prepared }: LaunchRecord, stored: PreparedLaunch | undefined): boolean {
  return (
    stored !== undefined &&
    stored.attempt === prepared.attempt &&
    stored.token === prepared.token &&
    (stored.callsGivenUp ?? 0) === (prepared.callsGivenUp ?? 0)
  );
}

/** Looks the instance up; an answered look that finds nothing counts towards the proof that there is none. */
export async function lookUp(pass: Pass, attempt: LaunchRecord): Promise<LaunchLook> {
  const { token, parameters } = attempt.prepared;
  const askedAt = pass.nowMs;
  const answer = await local.findInstances({
    ...pass.target,
    clusterName: pass.seen.machine.clusterName,
    parameters,
    token,
  });
  if (answer.outcome === 'failed') return answer;
  const instance = pickInstance(answer.instances, token);
  if (instance !== undefined) return { outcome: 'instance', instance };
  const earliest = lookTimeOf(pass, answer, askedAt);
  const isPlausible = answer.agoMs === undefined && earliest <= answer.lookedAt && answer.lookedAt <= pass.nowMs;
  // A worker's clock may be wrong; it was not looked earlier than it was asked.
  const lookedAt = isPlausible ? answer.lookedAt : earliest;
  pass.memory.attempt = afterEmptyLook(attempt, lookedAt, pass.settings);
  return { outcome: 'nothing' };
}

/** Names the instance that somebody wrote into its providerID while the launch made another: nothing is done to it. */
export async function tellOfOther(pass: Pass, own: Instance, other: string): Promise<void> {
  const message = `its providerID named instance ${other}, and the launch made ${own.id}: that is the machine's, and ${other} is neither adopted nor touched`;
  const event = { type: 'Warning', reason: 'ProviderIDReplaced', message } as const;
  await reportEvent({ ...pass.target, event });
}
