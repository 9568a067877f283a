import { countOf } from '../../k8s/model/count.ts';
import { asCount, asDetails, asFacts, asMoment, asText } from '../markdown.ts';
import type { InventoryReport } from './inventory-activities.ts';

/** What the Temporal UI shows of the inventory: Markdown. Times in milliseconds since the epoch. */
export function describeInventory(report: InventoryReport, takenAt: number, nextAt: number): string {
  const { instances, machines, woken, startedAgain, problems } = report;
  return asDetails([
    `${asCount(instances, 'instance', 'instances')} in the cloud, ${asCount(machines, 'machine', 'machines')} on record`,
    asFacts({
      'Looked at': asMoment(takenAt),
      Differ:
        woken === 0
          ? 'none'
          : `${countOf(woken, 'machine, which looks at its instance', 'machines, which look at their instances')} now`,
      'Started again':
        startedAgain > 0
          ? `${countOf(startedAgain, 'workflow that had ended while its object is', 'workflows that had ended while their objects are')} there`
          : undefined,
      'Next look': asMoment(nextAt),
      Problems: problems.length === 0 ? 'none' : undefined,
    }),
    ...(problems.length === 0
      ? []
      : [
          '**What could not be done or used:**',
          problems.map((problem) => `- ${asText(problem)}`).join('\n'),
          '**What to do:** mend the credentials or the connection that is named; nothing is concluded from these listings meanwhile.',
        ]),
  ]);
}
