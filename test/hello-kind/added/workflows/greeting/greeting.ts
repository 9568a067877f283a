import { setCurrentDetails } from '@temporalio/workflow';
import { given } from '../../providers/given.ts';
import { keepStatus } from '../attempt.ts';
import { liveEntity, type EntityInput, type Next, type Turn } from '../entity.ts';
import { asText } from '../markdown.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { Retry } from '../retry.ts';
import { resyncAt } from '../resync.ts';
import { shortSteps } from '../short-steps.ts';
import type { GreetingActivities } from './greeting-activities.ts';
import { greetingStatusOf } from './greeting-status.ts';

const steps = shortSteps<GreetingActivities>;
const { lookAtGreeting } = steps('look at the Greeting');
const { writeGreetingStatus } = steps('write the status', { maximumAttempts: 5 });

/** What the Greeting's workflow must not forget between two looks. */
export interface GreetingMemory {
  /** The status could not be written. */
  refused?: Retry;
  resyncAt?: number;
}

/** One Greeting: says hello to whom it names. */
export async function greeting(input: EntityInput<GreetingMemory>): Promise<void> {
  const { ref, clusterUid, memory = {} } = input;
  await liveEntity(input, { memory, pass: (turn) => greet({ ref, clusterUid }, memory, turn) });
}

async function greet(target: ObjectTarget, memory: GreetingMemory, turn: Turn): Promise<Next> {
  const seen = await lookAtGreeting({ ...target, ...turn.heard });
  turn.hear(seen);
  if (!seen.found) return { end: undefined };
  const status = greetingStatusOf(seen, Date.now());
  const act = status && (() => writeGreetingStatus({ ...target, ...given({ seen: seen.seen }), status }));
  if ((await keepStatus(memory, { target, settings: seen.settings, act })) === 'changed') return 'again';
  const { refused } = memory;
  setCurrentDetails(seen.name === undefined ? 'nobody is to be greeted' : `**${asText(seen.name)}** is greeted`);
  const resync = resyncAt(memory, seen.settings, Date.now());
  const why = refused === undefined ? 'a slow look at everything' : `the next try to write: ${refused.message}`;
  return { at: Math.min(resync, refused?.until ?? Infinity), why };
}
