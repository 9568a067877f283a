import { given } from '../../providers/given.ts';
import { joinNames, someOf } from '../../k8s/model/some-names.ts';
import type { ObjectEvent } from '../event-activities.ts';
import { describeStop } from './failures.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import type { Stop } from './stop.ts';

/** Sets that one event names. */
const MOST_NAMED = 3;

/** That a rollout stops, or goes back. It is on record before that is done: no later look would tell it. */
export interface UntoldStop {
  readonly event: ObjectEvent;
  /** Of the deployment then. */
  readonly generation: number;
  /** The revision that it goes back from; absent: it is paused. */
  readonly backFrom?: number;
  /** What its conditions say of the pause from then on. @default that it is paused */
  readonly pausedFor?: string;
}

/** What an event has to tell of what is about to be done; undefined: nothing stops. */
export function untoldStopOf(survey: FoundRollout, stop: Stop | undefined): UntoldStop | undefined {
  const { generation, steps } = survey;
  if (stop?.how === 'back') {
    const message = `revision ${stop.revision} is rolled back to the template of revision ${stop.to.revision}: ${stop.why}`;
    return { event: { type: 'Warning', reason: 'RolledBack', message }, generation, backFrom: stop.revision };
  }
  if (stop !== undefined) {
    return paused(generation, `the rollout is paused before it takes more old machines: ${describeStop(stop)}`);
  }
  if (!steps.pauseFirst) return undefined;
  // Somebody has to say that it may roll: which sets it adopts tells what for.
  const names = joinNames(
    someOf(
      steps.adopt.map(({ name }) => name),
      MOST_NAMED,
    ),
  );
  return paused(
    generation,
    `the rollout is paused before it adopts MachineSet ${names}, whose machines it would replace: set spec.paused to false to have that`,
    `the rollout was paused for the adoption of MachineSet ${names}, whose machines it would replace: no machine is made or taken for another template until spec.paused is false`,
  );
}

function paused(generation: number, message: string, pausedFor?: string): UntoldStop {
  return { event: { type: 'Warning', reason: 'RolloutStopped', message }, generation, ...given({ pausedFor }) };
}

/** Whether what was about to be done was done, whoever heard of it. */
export function hasStopped(
  { hold, rolledBack }: Pick<FoundRollout, 'hold' | 'rolledBack'>,
  { backFrom }: UntoldStop,
): boolean {
  return backFrom === undefined ? hold?.reason === 'DeploymentPaused' : rolledBack?.revision === backFrom;
}
