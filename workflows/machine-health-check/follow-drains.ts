import { log } from '@temporalio/workflow';
import { given } from '../../providers/given.ts';
import { failureMessage } from '../activity-failures.ts';
import type { ConditionRule, RemediationStep } from '../../k8s/model/machine-health-check.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { FoundCheck, Remediate, Suspect } from './health-activities.ts';
import type { HealthMemory } from './health-memory.ts';
import { local } from './ports.ts';

/** By the uid of a Machine that is being replaced. */
export type SeenSilence = Readonly<Record<string, Silence>>;

export interface Silence {
  /** Whether its Node could not answer when its drain was last told how to end. */
  readonly isSilent: boolean;
  /** What the check's step wanted of it then. */
  readonly onTimeout: ReplaceStep['onTimeout'];
  /** The same, in milliseconds. */
  readonly drainTimeoutMs: number;
  /** That came to nothing: it is told so again by a look from then on, in milliseconds since the epoch. */
  readonly againAt?: number;
}

/** From a try that was refused to the next, in milliseconds: what is under way is looked at as often. */
const AGAIN_MS = 60_000;

type ReplaceStep = Extract<RemediationStep, { action: 'Replace' }>;

interface Followed {
  readonly health: HealthMemory;
  readonly clusterRules?: readonly ConditionRule[];
  silence: SeenSilence;
}

/**
 * A drain that takes too long is ended by force where the Node cannot answer, and is waited for where it does: which of both it is
 * may change while it lasts.
 */
export async function followDrains(target: ObjectTarget, memory: Followed, seen: FoundCheck): Promise<void> {
  if (seen.paused) return;
  const followed: Record<string, Silence> = {};
  const { clusterRules } = memory;
  for (const { uid, name, nodeReady, isDeleting } of seen.suspects) {
    const slot = memory.health.slots[uid];
    // The steps may have been edited since: the one that it was deleted by has another place then, or is the check's no more.
    const step = seen.remediation.steps.find(isReplace);
    if (slot?.action !== 'Replace' || step === undefined) continue;
    const before = memory.silence[uid];
    if (isDeleting !== true) {
      // Its deletion was asked for since that look, which told how its drain ends.
      if (before !== undefined) followed[uid] = before;
      continue;
    }
    const isSilent = isSilentNode(nodeReady);
    const { onTimeout, drainTimeoutMs } = step;
    const isTold =
      before?.isSilent === isSilent && before.onTimeout === onTimeout && before.drainTimeoutMs === drainTimeoutMs;
    if (isTold && (before.againAt ?? Infinity) > seen.seenAt) {
      followed[uid] = before;
      continue;
    }
    const request = {
      ...target,
      machine: { uid, name },
      step,
      cause: slot.cause,
      causes: [],
      ...given({ clusterRules }),
    };
    const againMs = await tell(request);
    // By the time of the look, which is on record.
    followed[uid] = {
      isSilent,
      onTimeout,
      drainTimeoutMs,
      ...given({ againAt: againMs === undefined ? undefined : seen.seenAt + againMs }),
    };
  }
  memory.silence = followed;
}

/** After how many milliseconds it is to be told again; undefined: it was told. */
async function tell(request: Remediate): Promise<number | undefined> {
  try {
    const { outcome } = await local.remediate(request);
    if (outcome === 'refused') return AGAIN_MS;
    return outcome === 'notNow' ? 0 : undefined;
  } catch (error) {
    const why = failureMessage(error);
    log.info('a drain is not told how to end yet', { machine: request.machine.name, why });
    return AGAIN_MS;
  }
}

function isReplace(step: RemediationStep): step is ReplaceStep {
  return step.action === 'Replace';
}

function isSilentNode(ready: Suspect['nodeReady']): boolean {
  return ready === 'Unknown';
}
