import { formatMoment } from './age.ts';
import type { Explanation } from './explanation.ts';

/** What Temporal says of the machine's workflow, or why it says nothing. */
export interface WorkflowReport {
  readonly id: string;
  /** E.g. `running since …`. */
  readonly state: string;
  /** Its page in the Temporal UI, or how to get one. */
  readonly link: string;
}

/** For people: one line per question. */
export function renderExplanation(explanation: Explanation, workflow: WorkflowReport, now: number): string {
  const { namespace, name, phase, step, since, waitsFor, lastError, nextTry, instance, node } = explanation;
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['Machine', `${namespace}/${name}`],
    ['Phase', phase],
    ['Step', step],
    ['Since', since === undefined ? undefined : formatMoment(since, now)],
    ['Waits for', waitsFor],
    ['Last error', lastError ?? 'none'],
    ['Next try', formatMoment(nextTry, now)],
    ['Instance', instance ?? 'none yet'],
    ['Node', node ?? 'none yet'],
    ['Workflow', workflow.state],
    ['Temporal UI', workflow.link],
  ];
  return lines
    .flatMap(([label, value]) => (value === undefined ? [] : [`${`${label}:`.padEnd(13)} ${value}`]))
    .join('\n');
}
