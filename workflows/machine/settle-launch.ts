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
import { lookTimeOf } from './instance.ts';
import type { Life } from './life.ts';
import { planSettlement } from './plan-launch.ts';
import { local, reporting } from './ports.ts';
import { writeStatus } from './write-status.ts';

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
export async function settleLaunch(life: Life): Promise<Settlement> {
  const { memory, status } = life;
  if (!hasOpenLaunch(life)) return { outcome: 'nothing' };
  if (status.launch !== undefined) memory.launch ??= takenOverLaunch(status.launch, life.nowMs, life.settings);
  await tellOfLaunch(life);
  while (memory.launch !== undefined) {
    const step = planSettlement(memory.launch, life.nowMs, life.settings);
    if (step.do === 'wait') return { outcome: 'open', until: step.until };
    if (step.do !== 'look') break;
    const look = await lookUp(life, memory.launch);
    if (look.outcome !== 'nothing') return look;
  }
  return { outcome: 'nothing' };
}

/** True where a launch may have made an instance that is not on record. */
export function hasOpenLaunch({ memory, status }: Life): boolean {
  const { launch } = memory;
  if (launch !== undefined && !isOutdated(launch, status.launch)) return isOutcomeUnknown(launch);
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
export async function tellOfLaunch(life: Life): Promise<boolean> {
  const { memory } = life;
  const { launch: stored } = life.status;
  let { launch } = memory;
  if (launch === undefined || isSameLaunch(launch, stored)) return false;
  if (stored !== undefined && isOutdated(launch, stored)) {
    launch = takenOverLaunch(stored, life.nowMs, life.settings);
  }
  memory.launch = launch;
  life.set({ launch: launch.prepared });
  await writeStatus(life);
  memory.launch = afterGivenUp(launch, life.nowMs, life.settings);
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
export async function lookUp(life: Life, attempt: LaunchRecord): Promise<LaunchLook> {
  const { token, parameters } = attempt.prepared;
  const askedAt = life.nowMs;
  const answer = await local.findInstances({
    ...life.target,
    machineCluster: life.seen.machine.cluster,
    parameters,
    token,
  });
  if (answer.outcome === 'failed') return answer;
  const instance = pickInstance(answer.instances, token);
  if (instance !== undefined) return { outcome: 'instance', instance };
  const earliest = lookTimeOf(life, answer, askedAt);
  const isPlausible = answer.agoMs === undefined && earliest <= answer.lookedAt && answer.lookedAt <= life.nowMs;
  // A worker's clock may be wrong; it was not looked earlier than it was asked.
  const lookedAt = isPlausible ? answer.lookedAt : earliest;
  life.memory.launch = afterEmptyLook(attempt, lookedAt, life.settings);
  return { outcome: 'nothing' };
}

/** Names the instance that somebody wrote into spec.providerID while the launch made another: nothing is done to it. */
export async function tellOfOther(life: Life, own: Instance, other: string): Promise<void> {
  const message = `spec.providerID named instance ${other}, and the launch made ${own.id}: that is the machine's, and ${other} is neither adopted nor touched`;
  const event = { type: 'Warning', reason: 'ProviderIDReplaced', message } as const;
  await reporting.reportEvent({ ...life.target, event });
}
