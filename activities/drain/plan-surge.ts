import { DRAIN_ANNOTATION, type Deployment } from '../../k8s/model/deployment.ts';
import type { Pod } from '../../k8s/model/pod.ts';

/** Up to so many replicas a Deployment is rolled, where its annotation does not say another number. */
const MOST_REPLICAS = 3;
/** After so many refusals in a row a Deployment is rolled: after fewer its budget may lack a pod for a moment, or be behind with counting. */
const REFUSALS = 2;
const ONCE = 'it is rolled once for a drain';

/** A pod that its budget keeps, with the Deployment that it is of. */
export interface SurgeCase {
  readonly deployment: Deployment;
  readonly pod: Pick<Pod, 'isReady'>;
  /** How often in a row its budget refused it. */
  readonly refusals: number;
  /** A claim of the pod that no pod on another Node can use at the same time. */
  readonly claim?: string;
  /** The drain that is to be done, as {@link Deployment.rolledFor} has it. */
  readonly drain: string;
  /** The drain remembers that it has rolled the Deployment. */
  readonly isRolled: boolean;
  /** The Machine, by namespace and name, for whose drain the Deployment was rolled last, where that drain lasts. */
  readonly otherDrain?: string;
}

export type SurgeVerdict =
  /** Roll it now. */
  | { readonly step: 'roll' }
  /** It was rolled for this drain; `why`: how that stands, as a verb for the Deployment. */
  | { readonly step: 'rolled'; readonly why: string }
  /** It was rolled for this drain, and somebody has put its template back. */
  | { readonly step: 'putBack'; readonly why: string }
  /** Not now, or not at all. */
  | { readonly step: 'leave'; readonly why: string }
  /** It could be rolled, and its owner does not ask for it. */
  | { readonly step: 'offer' }
  /** There is nothing to say of it. */
  | { readonly step: 'silent' };

/** Whether a Deployment is rolled, so that a new pod is Ready elsewhere before this one leaves; and why not. */
export function planSurge(seen: SurgeCase): SurgeVerdict {
  const rolled = ownRoll(seen);
  if (rolled !== undefined) return rolled;
  const { deployment, otherDrain, refusals } = seen;
  const { asked, rollout } = deployment;
  if (asked === undefined) {
    const isOffered = refusals >= REFUSALS && obstacle(seen, MOST_REPLICAS) === undefined;
    return { step: isOffered ? 'offer' : 'silent' };
  }
  const most = mostReplicas(asked);
  if (most === undefined)
    return leave(`its annotation ${DRAIN_ANNOTATION} says "${asked.slice(0, 40)}", neither surge nor surge=N`);
  if (otherDrain !== undefined)
    return leave(`it was rolled for the drain of Machine ${otherDrain}, which lasts (${rollout.words})`);
  const why = obstacle(seen, most);
  if (why !== undefined) return leave(why);
  if (rollout.state === 'failed') return leave(`its last rollout failed: ${rollout.words}`);
  if (rollout.state === 'underWay') return leave(`a rollout is under way, ${rollout.words}`);
  return refusals < REFUSALS ? leave('it will be, if the budget refuses once more') : { step: 'roll' };
}

/** What became of the roll for this drain; undefined: there was none. */
function ownRoll({ deployment: { rolledFor, rollout }, drain, isRolled }: SurgeCase): SurgeVerdict | undefined {
  const { recorded, template } = rolledFor;
  if (recorded !== drain && !isRolled) return undefined;
  // Where another drain rolled it since, the template says so as well, and nobody put anything back.
  if (template === undefined || template !== recorded) {
    return { step: 'putBack', why: `was rolled for this, and somebody put its template back: ${ONCE}` };
  }
  if (recorded !== drain) return { step: 'rolled', why: `was rolled for this, and for another drain since: ${ONCE}` };
  const { state, words } = rollout;
  if (state === 'failed') return { step: 'rolled', why: `was rolled for this, and the rollout failed: ${words}` };
  const why = state === 'underWay' ? `is rolled for this: ${words}` : `was rolled for this, to the end: ${ONCE}`;
  return { step: 'rolled', why };
}

/** Up to how many replicas its owner lets it be rolled; undefined: that cannot be read. */
function mostReplicas(asked: string): number | undefined {
  const [, most] = /^surge(?:=([1-9]\d{0,8}))?$/.exec(asked) ?? ['', ''];
  return most === '' ? undefined : Number(most ?? MOST_REPLICAS);
}

/** Why it is never rolled as it is: users could notice a roll, or none would come of it. Undefined: it may be. */
function obstacle({ deployment, pod, claim }: SurgeCase, most: number): string | undefined {
  const { replicas, rolling, isPaused, isBeingDeleted } = deployment;
  if (isBeingDeleted) return 'it is being deleted';
  if (rolling === undefined) return 'its strategy is not RollingUpdate';
  if (rolling.surge < 1) return 'its maxSurge comes to 0 pods';
  if (rolling.unavailable > 0)
    return `its maxUnavailable comes to ${rolling.unavailable} of ${replicas} pods, not to 0`;
  if (replicas > most)
    return `it has ${replicas} replicas, and is rolled with ${most} at most: surge=${replicas} lets it be`;
  if (isPaused) return 'it is paused';
  if (claim !== undefined) return `the volume of claim ${claim} is ReadWriteOnce`;
  return pod.isReady ? undefined : 'the pod is not Ready';
}

function leave(why: string): SurgeVerdict {
  return { step: 'leave', why };
}
