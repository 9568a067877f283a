import type { BalanceAnswer } from './machine-activities.ts';
import { asSummary } from '../summary.ts';
import { reasonOfTurn, turnMs } from './await-turn.ts';
import type { CloudFailure } from './launch-record.ts';
import type { Life, Next } from './life.ts';
import { cloudCalls } from './ports.ts';
import { backoffMs } from './settings.ts';
import { unanswered } from './unanswered.ts';

/** Name of the step in what a machine says it waits for. */
export const ATTACH_STEP = 'AttachLoadBalancers';

const CONDITION = 'LoadBalancersAttached';

/**
 * Puts the instance of a Running machine behind the load balancers of its spec. A load balancer that refuses it keeps
 * nobody from using the Node: the machine stays Running, says so in a condition, and tries again.
 */
export async function attachLoadBalancers(life: Life, id: string): Promise<Next | undefined> {
  const { memory } = life;
  if (memory.attached === true || life.status.phase !== 'Running' || !mayBeBalanced(life)) return undefined;
  if (memory.attachAt !== undefined && memory.attachAt > life.nowMs) {
    return { at: memory.attachAt, why: life.status.waiting?.message ?? ATTACH_STEP };
  }
  const answer = await ask(life, id, 'attach');
  if (answer.outcome === 'failed' && answer.failure.notSent === true) {
    const { message } = answer.failure;
    memory.attachAt = life.nowMs + turnMs(answer.failure);
    life.wait(ATTACH_STEP, reasonOfTurn(answer.failure), message, memory.attachAt);
    return { at: memory.attachAt, why: message };
  }
  if (answer.outcome === 'failed') {
    const { code, cloudCode, retryClass, message, retryAfterMs = 0 } = answer.failure;
    memory.attachFailures = (memory.attachFailures ?? 0) + 1;
    const patience = retryClass === 'invalid' ? 'denied' : retryClass;
    const backoff = backoffMs(life.settings, patience, memory.attachFailures, Math.random());
    memory.attachAt = life.nowMs + Math.max(retryAfterMs, backoff);
    const reason = cloudCode ?? code;
    if (memory.attachFailures === 1) life.event = { type: 'Warning', reason: 'FailedUpdate', message };
    life.setCondition({ type: CONDITION, status: 'False', reason, message });
    life.wait(ATTACH_STEP, reason, message, memory.attachAt);
    return { at: memory.attachAt, why: message };
  }
  memory.attached = true;
  delete memory.attachAt;
  delete memory.attachFailures;
  if (life.status.waiting?.step === ATTACH_STEP) life.proceed();
  if (answer.loadBalancers.length > 0) {
    const message = `instance ${id} is behind ${answer.loadBalancers.join(', ')}`;
    life.setCondition({ type: CONDITION, status: 'True', reason: 'Attached', message });
  }
  return undefined;
}

/** Takes the instance from behind its load balancers, so that they send it nothing while it ends. */
export async function detachLoadBalancers(life: Life, id: string): Promise<CloudFailure | undefined> {
  if (life.memory.detached === true || !mayBeBalanced(life)) return undefined;
  const answer = await ask(life, id, 'detach');
  if (answer.outcome === 'failed') return answer.failure;
  life.memory.detached = true;
  life.clearCondition(CONDITION);
  return undefined;
}

/** What a launch was frozen with tells; an adopted instance's load balancers stand in the spec, which an activity reads. */
function mayBeBalanced(life: Life): boolean {
  const { launch } = life.status;
  return launch === undefined || (launch.parameters.loadBalancers ?? []).length > 0;
}

async function ask(life: Life, id: string, how: 'attach' | 'detach'): Promise<BalanceAnswer> {
  const calls = cloudCalls(life.settings);
  const activity = how === 'attach' ? calls.attachLoadBalancers : calls.detachLoadBalancers;
  try {
    return await activity.executeWithOptions(
      { summary: asSummary(`${how} ${id} ${how === 'attach' ? 'to' : 'from'} its load balancers`) },
      [{ ...life.target, id }],
    );
  } catch (error) {
    return { outcome: 'failed', failure: unanswered(error, `asking the load balancers to ${how} ${id}`) };
  }
}
