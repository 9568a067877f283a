import { log, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { ConditionRule, MachineHealthCheckStatus } from '../../k8s/model/machine-health-check.ts';
import { given } from '../../providers/given.ts';
import { failureMessage } from '../activity-failures.ts';
import { keepStatus } from '../attempt.ts';
import type { ObjectEvent } from '../event-activities.ts';
import { liveEntity, type EntityInput, type Next, type Turn } from '../entity.ts';
import { showMalformed } from '../malformed.ts';
import type { ObjectTarget } from '../object-target.ts';
import { resyncAt } from '../resync.ts';
import type { Retry } from '../retry.ts';
import { withOutage } from '../safety/with-outage.ts';
import { putOnRecord } from '../short-steps.ts';
import { statusOf, statusOfMalformed } from './check-status.ts';
import type { Begin, Decision } from './decision.ts';
import { describeCheck, whyCheckWaits } from './describe-check.ts';
import type { FoundCheck, MalformedCheck, Outage, RemediateAnswer } from './health-activities.ts';
import { emptyHealthMemory, hasSightings, underwayOf, type HealthMemory } from './health-memory.ts';
import { followDrains, type SeenSilence } from './follow-drains.ts';
import { began, decide } from './plan-remediation.ts';
import { checkSightQuery } from './messages.ts';
import { local } from './ports.ts';

/** A claim that could not be taken off is tried again after so long, in milliseconds. */
const RELEASE_AGAIN_MS = 60_000;
/** Of more events that could not be told the oldest are forgotten. */
const MOST_UNTOLD = 100;

/** Many Nodes change at once or none: they are looked at once in this time, in milliseconds. */
const REST_MS = 1000;

/** What the workflow of a check must not forget between two looks. */
export interface CheckMemory {
  health: HealthMemory;
  /** The cluster's own rules as they were read last. */
  clusterRules?: readonly ConditionRule[];
  silence: SeenSilence;
  /** The API server's outages as they were heard of last. */
  outages?: readonly Outage[];
  /** Those that its own looks met. A watcher need not know of them. */
  ownOutages?: readonly Outage[];
  /** What is worth an event, and could not be told yet. */
  untold?: readonly ObjectEvent[];
  /** What is wrong with the object, told once. */
  malformed?: string;
  /** The status could not be written. */
  refused?: Retry;
  resyncAt?: number;
}

/** One health check: sees to it that its unhealthy machines are remediated, few at a time, and none where that would do harm. */
export async function machineHealthCheck(input: EntityInput<CheckMemory>): Promise<void> {
  const { ref, clusterUid, memory = { health: emptyHealthMemory(), silence: {} } } = input;
  await liveEntity(input, { memory, restMs: REST_MS, pass: (turn) => check({ ref, clusterUid }, memory, turn) });
}

async function check(target: ObjectTarget, memory: CheckMemory, turn: Turn): Promise<Next> {
  const { clusterRules } = memory;
  const seen = await local.surveyHealth({
    ...target,
    ...turn.heard,
    underway: underwayOf(memory.health),
    ...given({ clusterRules, lastOutages: memory.outages }),
    ...given({ sightedAt: hasSightings(memory.health) ? memory.health.lookedAt : undefined }),
  });
  turn.hear(seen);
  if (seen.found === false) return { end: undefined };
  if (seen.found === 'malformed') return tellMalformed(target, memory, seen);
  delete memory.malformed;
  if (seen.outages.length > 0) memory.outages = seen.outages;
  memory.clusterRules = seen.clusterRules ?? [];
  if (seen.clusterRules === undefined) delete memory.clusterRules;
  const { ownOutage } = seen;
  if (ownOutage !== undefined) memory.ownOutages = withOutage(memory.ownOutages ?? [], ownOutage, Date.now());
  const outages = [...seen.outages, ...(memory.ownOutages ?? [])];
  const decision = decide({ ...seen, outages }, memory.health, Date.now(), { uid: target.ref.uid });
  memory.health = decision.memory;
  // What is about to be done is recorded first: another worker that goes on from here has to know of it, done or not.
  if (decision.begin.length > 0) await putOnRecord('what is about to be done is recorded');
  for (const begin of decision.begin) await remediate(target, memory, seen, begin);
  await followDrains(target, memory, seen);
  const hasFulfilled = await fulfil(target, decision);
  const { hasLetGo, hasFailed } = await letGo(target, memory, seen);
  const next = await tell(target, memory, seen, decision);
  if (hasLetGo || hasFulfilled || next === 'again') return 'again';
  return hasFailed && 'at' in next
    ? { ...next, at: Math.min(next.at ?? Infinity, Date.now() + RELEASE_AGAIN_MS) }
    : next;
}

/** Takes one step for one Machine, and notes what came of it. */
async function remediate(
  target: ObjectTarget,
  memory: CheckMemory,
  { seenAt, generation }: FoundCheck,
  begin: Begin,
): Promise<void> {
  const { clusterRules } = memory;
  let answer: RemediateAnswer;
  try {
    answer = await local.remediate({ ...target, ...begin, seenAt, generation, ...given({ clusterRules }) });
  } catch (error) {
    answer = { outcome: 'refused', message: failureMessage(error) };
  }
  const { step, machine } = begin;
  memory.health = began(memory.health, machine.uid, answer);
  if (answer.outcome !== 'done' || answer.isSilent === undefined || step.action !== 'Replace') return;
  const { onTimeout, drainTimeoutMs } = step;
  const told = { isSilent: answer.isSilent, onTimeout, drainTimeoutMs };
  memory.silence = { ...memory.silence, [machine.uid]: told };
}

/** Takes wishes off Machines that were remediated for them: the next look sees that they are well. */
async function fulfil(target: ObjectTarget, { fulfilled }: Decision): Promise<boolean> {
  let isAnyTaken = false;
  for (const machine of fulfilled) {
    try {
      await local.fulfilWish({ ...target, machine });
      isAnyTaken = true;
    } catch (error) {
      // The next look finds it fulfilled again.
      log.info('a wish is not taken off yet', { machine: machine.name, why: failureMessage(error) });
    }
  }
  return isAnyTaken;
}

/** Takes its claim off Machines that it does not remediate any more. */
async function letGo(
  target: ObjectTarget,
  { health }: CheckMemory,
  seen: FoundCheck,
): Promise<{ readonly hasLetGo: boolean; readonly hasFailed: boolean }> {
  let [hasLetGo, hasFailed] = [false, false];
  const own = seen.suspects.filter(
    ({ uid, claim, isDeleting }) =>
      claim?.uid === target.ref.uid && isDeleting !== true && health.slots[uid] === undefined,
  );
  for (const { uid, name } of [...own, ...seen.claimed]) {
    try {
      await local.releaseMachine({ ...target, machine: { name, uid } });
      hasLetGo = true;
    } catch (error) {
      // The next look finds the claim again.
      hasFailed = true;
      log.info('a claim is not taken off yet', { machine: name, why: failureMessage(error) });
    }
  }
  return { hasLetGo, hasFailed };
}

/** Says how it stands, and when it looks again. */
async function tell(target: ObjectTarget, memory: CheckMemory, seen: FoundCheck, decision: Decision): Promise<Next> {
  const now = Date.now();
  const status = statusOf(seen, decision, now);
  const events = [...(memory.untold ?? []), ...decision.events].slice(-MOST_UNTOLD);
  if (events.length > 0) memory.untold = events;
  const act =
    status === undefined && events.length === 0
      ? undefined
      : () => local.writeHealthStatus({ ...target, ...given({ status, seen: seen.seen }), events });
  logUnhealthy(seen, status);
  if ((await keepStatus(memory, { target, settings: seen.settings, act })) === 'changed') return 'again';
  if (memory.refused === undefined) delete memory.untold;
  setCurrentDetails(describeCheck(target.ref, seen, decision, memory.refused));
  const { clusterRules } = memory;
  setHandler(checkSightQuery, () => ({ unhealthy: decision.unhealthy, ...given({ clusterRules }) }));
  const resync = resyncAt(memory, seen.settings, now);
  const at = Math.min(resync, decision.lookAt, memory.refused?.until ?? Infinity);
  return { at, why: whyCheckWaits(seen, decision, memory.refused) };
}

/** Has the worker's log tell which machines the status names that it did not name so before. */
function logUnhealthy(
  { status: stored }: FoundCheck,
  status: Pick<MachineHealthCheckStatus, 'unhealthyMachines'> = { unhealthyMachines: [] },
): void {
  const known = new Set(stored.unhealthyMachines?.map(({ name, cause }) => `${name} ${cause}`));
  for (const { name, cause, dueAt, next } of status.unhealthyMachines) {
    if (!known.has(`${name} ${cause}`))
      log.info(`Machine ${name} is not healthy: ${cause}`, { next, ...given({ dueAt }) });
  }
}

/** A check that is not what its schema allows remediates nothing: what it asks for is anybody's guess. */
async function tellMalformed(target: ObjectTarget, memory: CheckMemory, seen: MalformedCheck): Promise<Next> {
  const now = Date.now();
  const message = `${seen.message}: no machine is remediated until the object is mended`;
  showMalformed(message);
  const status = statusOfMalformed(seen, now);
  const isNews = memory.malformed !== message;
  const events = isNews ? [{ type: 'Warning' as const, reason: 'FailedValidate' as const, message }] : [];
  const act =
    status === undefined && !isNews
      ? undefined
      : () => local.writeHealthStatus({ ...target, ...given({ status, seen: seen.seen }), events });
  if ((await keepStatus(memory, { target, settings: seen.settings, act })) === 'changed') return 'again';
  if (memory.refused === undefined) memory.malformed = message;
  const at = Math.min(resyncAt(memory, seen.settings, now), memory.refused?.until ?? Infinity);
  return { at, why: `the object to be mended: ${seen.message}` };
}
