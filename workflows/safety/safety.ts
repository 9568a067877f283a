import { condition, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Outage } from '../machine-health-check/health-activities.ts';
import { describeSafety } from './describe-safety.ts';
import { apiServerAwaySignal, outagesQuery } from './messages.ts';
import { withOutage } from './with-outage.ts';

export interface SafetyInput {
  readonly v: 1;
  /** uid of kube-system. */
  readonly clusterUid: string;
  /** What the run before this one knew. */
  readonly outages?: readonly Outage[];
}

/**
 * Remembers when the API server was away, for those who count how long something has lasted. A watcher tells it, and it does nothing
 * by itself. To tell is a signal, so that it is kept also while there is no worker.
 */
export async function safety({ v, clusterUid, outages: known = [] }: SafetyInput): Promise<void> {
  let outages = known;
  setHandler(outagesQuery, () => outages);
  setHandler(apiServerAwaySignal, (told) => {
    outages = withOutage(outages, told, Date.now());
    setCurrentDetails(describeSafety(outages));
  });
  setCurrentDetails(describeSafety(outages));
  await condition(() => workflowInfo().continueAsNewSuggested);
  await continueAsNew<typeof safety>({ v, clusterUid, outages });
}
