import { describeDuration } from '../../../k8s/model/duration.ts';
import { DONE, waitFor, waitMeanwhile, type Answer, type Phase } from '../answer.ts';
import type { Abandoned } from '../abandoned.ts';
import { waitForKubernetes } from '../deletion-waits.ts';
import { passOverAll } from '../hooks.ts';
import { isLaunchedHere, knownOwn, toldAddresses } from '../instance-facts.ts';
import { hasOpenLaunch } from '../settle-launch.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { nodeTarget } from '../proved-instance.ts';
import { notDue } from '../step-retry.ts';
import { awaitsTurn, takeTurn } from '../turn.ts';
import { given } from '../../../providers/given.ts';

const STEP = 'Release';

/** How long its cloud may fail before a forced deletion goes on without it, in milliseconds. */
const PATIENCE_MS = 300_000;

/**
 * A forced deletion does not wait for a cloud that fails: the Machine goes, its Node stays, cordoned and marked, and the workflow
 * looks on until the instance is known to be gone.
 */
export async function forced(pass: Pass): Promise<Answer> {
  const { memory, nowMs } = pass;
  const { forced: slot } = memory;
  if (memory.cloudFails === undefined && memory.abandoned === undefined) {
    delete slot.cloudFailsSince;
    return DONE;
  }
  slot.cloudFailsSince ??= nowMs;
  if (pass.seen.machine.deletionPolicy !== 'forced') return DONE;
  const until = slot.cloudFailsSince + PATIENCE_MS;
  if (nowMs < until) {
    const at = new Date(until).toISOString();
    const words = `deletionPolicy is forced: the Machine goes without its cloud at ${at}, if the cloud fails until then`;
    pass.addToCondition('Deleting', words);
    return { outcome: 'done', until, why: 'the machine goes without its cloud then' };
  }
  // Of a control plane one at a time goes, however: that is asked of Kubernetes alone.
  const turn = awaitsTurn(pass) ? await takeTurn(pass, 'drain') : DONE;
  if (turn.outcome === 'done') return abandon(pass);
  return turn.outcome === 'wait' ? waitMeanwhile(turn.wait) : turn;
}

/** The phase, but not in the preparation of a forced deletion: that leaves it to when the Machine has been deleted, since only then it goes without its cloud. */
export function unlessForcedLater(phase: Phase): Phase {
  return (pass) => {
    const { deletedAt, deletionPolicy } = pass.seen.machine;
    return deletedAt === undefined && deletionPolicy === 'forced' ? DONE : phase(pass);
  };
}

async function abandon(pass: Pass): Promise<Answer> {
  const { memory, nowMs, rests } = pass;
  // What tells of an object that is suddenly gone is in the history before it goes.
  memory.abandoned ??= whatIsLeft(pass);
  if (memory.abandoned.at === rests) return { outcome: 'idle', why: 'the object goes next', until: nowMs };
  const { forced: slot } = memory;
  const wait = notDue(slot.retry, nowMs);
  if (wait !== undefined) return waitFor(wait);
  const { instance, isLaunched, cloud, lastAnswer } = memory.abandoned;
  const isEnded = isLaunched === true && cloud !== undefined;
  const fate = isEnded ? 'it is asked to end when the cloud answers again' : 'end it by hand';
  const message = `deletionPolicy is forced, and the cloud has failed for ${describeDuration(PATIENCE_MS)}: the Machine goes without it. Instance ${instance} may still run; ${fate}. Last answer: ${lastAnswer}`;
  const event = { type: 'Warning', reason: 'InstanceAbandoned', message } as const;
  passOverAll(pass);
  const answer = await local.letGo({ ...nodeTarget(pass), events: [...pass.events, event], nodeMark: instance });
  if (answer.outcome !== 'done') return waitForKubernetes(pass, STEP, slot, answer.message);
  // The events have just been recorded.
  pass.told();
  return { outcome: 'idle', why: 'the object is gone', until: nowMs };
}

function whatIsLeft(pass: Pass): Abandoned {
  const { memory, instanceId, status, rests } = pass;
  if (instanceId !== undefined) pass.noteInstance(instanceId);
  const unseen = hasOpenLaunch(pass) ? `of token ${status.launch?.token ?? ''}` : `of Machine ${pass.ref.uid}`;
  const isLaunched = instanceId !== undefined && isLaunchedHere(pass, instanceId);
  return {
    at: rests,
    instance: instanceId ?? unseen,
    lastAnswer: memory.cloudFails ?? '',
    ...given({ id: instanceId, cloud: memory.cloud, account: status.account ?? status.launch?.account }),
    ...(isLaunched ? { isLaunched, ...knownOwn(pass, instanceId), ...balancedOf(pass, instanceId) } : {}),
  };
}

function balancedOf(pass: Pass, id: string): Pick<Abandoned, 'balanced'> {
  const { loadBalancers = [] } = pass.status.launch?.parameters ?? {};
  if (loadBalancers.length === 0) return {};
  return { balanced: { loadBalancers, ...given({ addresses: toldAddresses(pass, id) }) } };
}
