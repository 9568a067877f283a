import { countOf } from '../../../../k8s/model/count.ts';
import { oneLine } from '../../../../providers/one-line.ts';
import { renderFields } from '../../explanation/render-explanation.ts';
import type { WorkflowReport } from '../../explanation/workflow-report.ts';
import { ageOf, formatSpan } from '../../output/age.ts';
import { paint } from '../../output/paint.ts';
import { renderTable } from '../../output/table.ts';
import type { BrakeState } from './brakes.ts';
import type { CheckExplanation, MachineHealth } from './explanation.ts';

/** In one line: how many are healthy, what holds remediations up, and what is broken. */
export function headlineOfCheck(
  { expected, healthy, brakes }: CheckExplanation,
  workflow: Pick<WorkflowReport, 'obstacle'>,
): string {
  const held = brakes.filter(({ holds }) => holds).map(({ message }) => message);
  const broken = brakes.filter(({ holds, reason }) => !holds && reason !== undefined).map(({ message }) => message);
  const counts =
    expected === undefined ? [] : [`${healthy ?? 0} of ${countOf(expected, 'machine is', 'machines are')} healthy`];
  // Where nobody is at work, what the status says was true once.
  if (workflow.obstacle !== undefined) return oneLine(`Waiting for ${workflow.obstacle}`);
  const told = [
    ...(held.length > 0 ? [`held: ${held.join('; ')}`] : []),
    ...(broken.length > 0 ? [`broken: ${broken.join('; ')}`] : []),
  ];
  if (told.length > 0) return oneLine([...counts, ...told].join('; '));
  return counts[0] ?? 'Waiting for a worker to look at it: its status was never written';
}

/** For people: how it stands in one line, its machines, and then what holds remediations up. */
export function renderCheck(explanation: CheckExplanation, workflow: WorkflowReport, now: number): string {
  const { namespace, name, apiVersion, selector, rules, machines, brakes } = explanation;
  return [
    paint('bold', headlineOfCheck(explanation, workflow)),
    '',
    ...renderFields([
      ['Check', `${namespace}/${name} (${apiVersion})`],
      ['Selects', selector === '' ? undefined : selector],
      ...rules.map((rule, index) => [index === 0 ? 'Unhealthy when' : 'or', rule] as const),
      ['Workflow', workflow.state],
      ['Temporal UI', workflow.link],
    ]),
    '',
    machines.length === 0 ? 'No Machine is selected.' : renderTable(machineHealthRows(machines, now)),
    '',
    'What may hold remediations up:',
    ...brakes.flatMap((brake) => renderBrake(brake, now)),
  ].join('\n');
}

/** Head and rows of the table of machines. */
export function machineHealthRows(machines: readonly MachineHealth[], now: number): string[][] {
  return [
    ['MACHINE', 'HEALTHY', 'SINCE', 'DUE', 'WHAT IS WRONG', 'WHAT COMES NEXT'],
    ...machines.map(({ name, healthy, since, dueAt, cause = '', next = '' }) => [
      name,
      healthy ? paint('green', 'yes') : paint('red', 'no'),
      ageOf(since, now),
      untilOf(dueAt, now),
      oneLine(cause),
      oneLine(next),
    ]),
  ];
}

/** `in 2m`, or `2m ago`: what is held is due, and waits. */
function untilOf(time: string | undefined, now: number): string {
  const at = Date.parse(time ?? '');
  if (Number.isNaN(at)) return '';
  return at > now ? `in ${formatSpan(at - now)}` : `${formatSpan(now - at)} ago`;
}

function renderBrake({ name, holds, reason, since, message, toDo }: BrakeState, now: number): string[] {
  const told =
    reason === undefined ? 'holds nothing up' : `${reason}${since === undefined ? '' : ` for ${ageOf(since, now)}`}`;
  // Where no condition tells of it, its reason is all the name it has.
  const what = name === reason ? '' : `${name}: `;
  return [
    `  ${what}${paint(holds ? 'yellow' : 'green', told)}: ${oneLine(message)}`,
    ...(toDo === undefined ? [] : [`    What to do: ${toDo}`]),
  ];
}
