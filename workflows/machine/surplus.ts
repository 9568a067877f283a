import { asSummary } from '../summary.ts';
import { frozenParameters } from './look-at-instance.ts';
import type { FindAnswer, SurplusAnswer } from './instance-activities.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';
import { given } from '../../providers/given.ts';

/** The instances that were launched for this Machine, in whatever state. */
export function findOwn(pass: Pass): Promise<FindAnswer> {
  const { launch } = pass.status;
  return local.findInstances({
    ...pass.target,
    clusterName: pass.seen.machine.clusterName,
    ...frozenParameters(pass),
    ...given({ token: launch?.token }),
    ownOnly: true,
  });
}

/**
 * Ends one instance too many, where this Machine launched it.
 * @param keep the instance that stays
 */
export function endSurplusInstance(pass: Pass, id: string, keep?: string): Promise<SurplusAnswer> {
  const summary = asSummary(`end ${id}, one instance too many`);
  const request = { ...pass.target, id, ...given({ keep }), ...frozenParameters(pass) };
  return local.endSurplusInstance.executeWithOptions({ summary }, [request]);
}

/** What became of a surplus instance, to follow its id. */
export function inWords(answer: SurplusAnswer): string {
  switch (answer.outcome) {
    case 'ended':
      return 'was launched by this Machine and is ended';
    case 'left':
      return `is left alone: ${answer.message}`;
    case 'failed':
      // When it is tried again differs each time, and is no news.
      return answer.failure.notSent === true
        ? 'is not ended yet: the cloud is not asked just now'
        : `could not be ended: ${answer.failure.message}`;
  }
}
