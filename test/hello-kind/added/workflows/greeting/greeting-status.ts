import { withCondition } from '../../k8s/model/condition.ts';
import type { GreetingStatus } from '../../k8s/model/greeting.ts';
import type { FoundGreeting } from './greeting-activities.ts';

/**
 * What the Greeting's status should say now; undefined: it says so already, or nobody is to be greeted.
 *
 * @param now milliseconds since the epoch
 */
export function greetingStatusOf({ name, generation, status }: FoundGreeting, now: number): GreetingStatus | undefined {
  if (name === undefined) return undefined;
  const message = `Hello, ${name}`;
  if (status.message === message && status.observedGeneration === generation) return undefined;
  const greeted = { type: 'Greeted', status: 'True', reason: 'Greeted', message: `${name} was greeted` } as const;
  const conditions = withCondition(status.conditions ?? [], greeted, new Date(now).toISOString());
  return { message, observedGeneration: generation, conditions };
}
