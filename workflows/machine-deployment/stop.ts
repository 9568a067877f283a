import { given } from '../../providers/given.ts';
import { describeFailures, failuresAfter, isToStop } from './failures.ts';
import { currentOf, failureSightOf, oldSetsOf } from './found-rollout.ts';
import type { FoundRollout } from './machine-deployment-activities.ts';
import type { BackTo } from './roll-back.ts';
import type { RolloutMemory } from './rollout-memory.ts';

/** What becomes of a rollout whose new Machines fail. What is taken of the old ones from then on would be taken for nothing. */
export type Stop =
  | {
      readonly how: 'pause';
      readonly why: string;
      /** Why it does not go back; absent: it is not to. */
      readonly barred?: string;
    }
  | {
      readonly how: 'back';
      readonly why: string;
      readonly to: BackTo;
      /** Of the template whose Machines failed: its hash, and its revision. */
      readonly from: string;
      readonly revision: number;
    };

/**
 * It goes back, where it is to and can, also when no machine of an earlier template is left: nothing serves then. Else it pauses. Undefined:
 * there is nothing left to stop.
 */
export function chooseStop(survey: FoundRollout, { failures, refusals }: RolloutMemory): Stop | undefined {
  const why = failures && describeFailures(failures);
  if (why === undefined) return undefined;
  const { wayBack, templateHash: from } = survey;
  const revision = currentOf(survey)?.revision;
  const refused = refusals.rollBack;
  if (wayBack?.to !== undefined && refused === undefined && revision !== undefined) {
    return { how: 'back', why, to: wayBack.to, from, revision };
  }
  if (oldSetsOf(survey).length === 0) return undefined;
  const barred = refused === undefined ? wayBack?.barred : refused.message;
  return { how: 'pause', why, ...given({ barred }) };
}

/**
 * Whether it stops for machines that are late, unless what these find of their instances speaks for them.
 *
 * @param memory with what is known of failures by now
 * @param now milliseconds since the epoch
 */
export function mayBeToStop(survey: FoundRollout, { failures, refusals }: RolloutMemory, now: number): boolean {
  const sight = failureSightOf(survey);
  const then = failuresAfter(failures, sight, now);
  return isToStop(then, sight) && chooseStop(survey, { refusals, failures: then }) !== undefined;
}
