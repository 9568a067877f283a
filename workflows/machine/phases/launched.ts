import { isWithoutRoom } from '../../../k8s/model/failure.ts';
import type { Instance } from '../../../providers/provider.ts';
import { AGAIN, DONE, waitFor, type Answer } from '../answer.ts';
import { callLaunch, isFirstChange } from '../call-launch.ts';
import { isGone } from '../instance-facts.ts';
import { tellLackOfRoom } from '../lack-of-room.ts';
import { afterFailure } from '../launch-record.ts';
import { LAUNCH_STEP, retryFailed, waitForNextTry } from '../launch-waits.ts';
import type { Pass } from '../pass.ts';
import { lookIntoPast } from '../past.ts';
import { planLaunch } from '../plan-launch.ts';
import { prepareLaunch } from '../prepare-launch.ts';
import { notDue } from '../step-retry.ts';
import { hasOpenLaunch, lookUp, SETTLE_STEP, settleLaunch, tellOfLaunch, tellOfOther } from '../settle-launch.ts';
import { given } from '../../../providers/given.ts';

/** The machine has its one instance: the one that it came with, once no launch of its own is open, or the one that is launched for it. */
export async function launched(pass: Pass): Promise<Answer> {
  const id = pass.instanceId;
  if (id === undefined) return tellLackOfRoom(pass, await launch(pass));
  if (hasOpenLaunch(pass)) return settleBeforeAdoption(pass, id);
  pass.noteInstance(id);
  return DONE;
}

/**
 * Gets the machine its one instance. Parameters and token of an attempt are frozen in the Machine's status and in this
 * history before the first call; every further call repeats them after a look-up, and there is none in a cloud without
 * tokens; the next attempt needs proof that this one made nothing. docs/concepts/launch-once.md tells the whole of it.
 */
async function launch(pass: Pass): Promise<Answer> {
  if (!isWithoutRoom(pass.status)) pass.set({ phase: 'Provisioning' });
  for (;;) {
    const { memory, status } = pass;
    const { attempt } = memory;
    if (attempt === undefined && memory.pastOpen === true && status.launch === undefined) {
      const next = await takeFromPast(pass);
      if (next !== undefined) return next;
      continue;
    }
    if (attempt === undefined) {
      const stop = await prepareLaunch(pass, 1, false);
      if (stop !== undefined) return stop;
      continue;
    }
    if (await tellOfLaunch(pass)) continue;
    const step = planLaunch(attempt, pass.nowMs, pass.settings);
    switch (step.do) {
      case 'wait':
        return waitForNextTry(pass, attempt, step.until);
      case 'nextAttempt': {
        const stop = await prepareLaunch(pass, attempt.prepared.attempt + 1, false);
        if (stop !== undefined) return stop;
        continue;
      }
      case 'look': {
        const look = await lookUp(pass, attempt);
        if (look.outcome === 'instance') return arrive(pass, look.instance, true);
        if (look.outcome === 'failed') {
          memory.attempt = afterFailure(attempt, look.failure, pass.nowMs, pass.settings, Math.random());
        }
        continue;
      }
      case 'call': {
        const answer = await callLaunch(pass, attempt, step);
        if (answer?.outcome === 'instance') return arrive(pass, answer.instance, answer.found);
        if (answer?.outcome !== 'notCalled') continue;
        if (answer.because === 'NotAsPrepared' && !step.lookFirst) {
          const stop = await prepareLaunch(pass, attempt.prepared.attempt, true);
          if (stop !== undefined) return stop;
        }
        if (memory.attempt !== undefined && isFirstChange(answer, memory.attempt)) return AGAIN;
        continue;
      }
    }
  }
}

/** An instance that was launched for the machine before this workflow knew it is the machine's. */
async function takeFromPast(pass: Pass): Promise<Answer | undefined> {
  const wait = notDue(pass.memory.launched.retry, pass.nowMs);
  if (wait !== undefined) return waitFor(wait);
  const past = await lookIntoPast(pass);
  if (past.outcome === 'instance') {
    const answer = arrive(pass, past.instance, true);
    // Whenever it was launched: nobody watched over it before.
    pass.memory.joinFrom = pass.nowMs;
    return answer;
  }
  if (past.outcome === 'failed') return retryFailed(pass, past.failure);
  delete pass.memory.launched.retry;
  return past.outcome === 'nothing' ? undefined : waitForOwner(pass, past.message);
}

/** What is found may not be taken, and beside it nothing is launched: looks again slowly, and when something changes. */
function waitForOwner(pass: Pass, found: string): Answer {
  const until = pass.nowMs + pass.settings.goneWindowSeconds * 1000;
  const message = `${found}: it is neither adopted nor touched, and nothing is launched beside it`;
  pass.setCondition({ type: 'InstanceExists', status: 'Unknown', reason: 'InstanceOfAnother', message });
  return waitFor({ step: LAUNCH_STEP, reason: 'InstanceOfAnother', message, until });
}

/**
 * A providerID that appeared while a launch was under way: the instance that the launch made is the machine's.
 * @param id names the instance in the providerID
 */
async function settleBeforeAdoption(pass: Pass, id: string): Promise<Answer> {
  const { launched: slot } = pass.memory;
  const wait = notDue(slot.retry, pass.nowMs);
  if (wait !== undefined) return waitFor(wait);
  const settled = await settleLaunch(pass);
  if (settled.outcome === 'failed') return retryFailed(pass, settled.failure);
  delete slot.retry;
  switch (settled.outcome) {
    case 'nothing':
      pass.noteInstance(id);
      return DONE;
    case 'open': {
      const message = `a call to launch was never answered: the instance it may have made is looked for before instance ${id}, which its providerID names, is`;
      return waitFor({ step: SETTLE_STEP, reason: 'LaunchOutcomeUnknown', message, until: settled.until });
    }
    case 'instance': {
      const { instance } = settled;
      if (instance.id === id) return arrive(pass, instance, true);
      await tellOfOther(pass, instance, id);
      return arrive(pass, instance, true, `; instance ${id}, which its providerID named, is not touched`);
    }
  }
}

/** The cloud has the instance. One that ended before anybody saw it run makes room for the next attempt. */
function arrive(pass: Pass, instance: Instance, found: boolean, besides = ''): Answer {
  const { memory } = pass;
  if (isGone(instance.state) && memory.attempt !== undefined) {
    memory.attempt = { ...memory.attempt, tokenTerminated: true };
    return AGAIN;
  }
  const { attempt } = memory;
  if (found) memory.recount = true;
  else if (attempt?.prepared.attempt === 1 && attempt.unanswered <= 1) memory.launchedOnce = instance.id;
  if (found && instance.launchedAt !== undefined) {
    memory.joinFrom = Math.min(Date.parse(instance.launchedAt), memory.joinFrom ?? Infinity);
  }
  pass.recover('Provisioned');
  pass.set({ phase: 'Provisioned' });
  pass.setCondition({
    type: 'MachineCreation',
    status: 'True',
    reason: 'MachineCreationSucceeded',
    message: `instance ${instance.id} ${found ? 'was found to be' : 'is'} the machine's, by attempt ${memory.attempt?.prepared.attempt ?? 0}${besides}`,
  });
  const { zone } = instance;
  const created = `Created instance ${instance.id}${zone === undefined ? '' : ` in ${zone}`}`;
  pass.tell({ type: 'Normal', reason: 'Create', message: created });
  const isJustMade = !found && attempt !== undefined && attempt.unanswered <= 1;
  pass.see({ instance, isNew: true, ...given({ isJustMade: isJustMade || undefined }) });
  return DONE;
}
