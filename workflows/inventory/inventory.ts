import { continueAsNew, proxyActivities, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { InventoryActivities } from './inventory-activities.ts';
import { timerSummary } from '../summary.ts';
import { describeInventory } from './describe-inventory.ts';

const { takeInventory } = proxyActivities<InventoryActivities>({
  summary: 'list every instance, and compare with what is on record',
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

export interface InventoryInput {
  readonly v: 1;
  /** uid of kube-system. */
  readonly clusterUid: string;
}

/**
 * Compares, every few minutes, what the cloud runs with what is on record, one listing per credential, and wakes only the
 * machines that differ. So an idle machine asks nothing itself. A workflow that somebody ended while its object is there is
 * started again.
 */
export async function inventory(input: InventoryInput): Promise<void> {
  while (!workflowInfo().continueAsNewSuggested) {
    const report = await takeInventory(input);
    const now = Date.now();
    const next = now + report.intervalSeconds * 1000;
    setCurrentDetails(describeInventory(report, now, next));
    await sleep(report.intervalSeconds * 1000, { summary: timerSummary(next, 'the next inventory', now) });
  }
  await continueAsNew<typeof inventory>(input);
}
