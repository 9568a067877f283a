import { formatMoment } from '../output/age.ts';
import { paint } from '../output/paint.ts';
import type { Explanation } from './explanation.ts';
import { headlineOf } from './headline.ts';
import type { WorkflowReport } from './workflow-report.ts';

/** For people: why in one line, then one line per question. */
export function renderExplanation(explanation: Explanation, workflow: WorkflowReport, now: number): string {
  const { namespace, name, phase, step, since, waitsFor, lastError, toDo, nextTry } = explanation;
  const { instance, node, health } = explanation;
  return [
    paint('bold', headlineOf(explanation, workflow, now)),
    '',
    ...renderFields([
      ['Machine', `${namespace}/${name}`],
      ['Phase', phase],
      ['Step', step],
      ['Since', since === undefined ? undefined : formatMoment(since, now)],
      ['Waits for', waitsFor],
      ['Last error', lastError ?? 'none'],
      ['Next try', formatMoment(nextTry, now)],
      ['What to do', toDo],
      ['Instance', instance ?? 'none yet'],
      ['Node', node ?? 'none yet'],
      ['Health check', health],
      ['Workflow', workflow.state],
      ['Temporal UI', workflow.link],
    ]),
  ].join('\n');
}

/** Lines `Label:   value`; a label whose value is undefined is left out. */
export function renderFields(fields: readonly (readonly [label: string, value: string | undefined])[]): string[] {
  const width = Math.max(13, ...fields.map(([label]) => label.length + 1));
  return fields.flatMap(([label, value]) =>
    value === undefined ? [] : [`${`${label}:`.padEnd(width)} ${value}`.trimEnd()],
  );
}
