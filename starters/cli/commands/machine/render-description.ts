import type { Machine } from '../../../../k8s/model/machine.ts';
import type { MachineReading } from '../../../../k8s/model/reading.ts';
import { ageOf, formatMoment } from '../../output/age.ts';
import { explain } from '../../explanation/explanation.ts';
import { paint, paintPhase, paintStatus } from '../../output/paint.ts';
import { renderFields } from '../../explanation/render-explanation.ts';
import { renderTable } from '../../output/table.ts';
import type { WorkflowReport } from '../../explanation/workflow-report.ts';

/** An Event, as far as it is read here. */
export interface EventObject {
  readonly metadata: { readonly creationTimestamp: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
}

export interface Description {
  /** Where it stands, in one line. */
  readonly summary: string;
  readonly read: MachineReading;
  /** Oldest first; or a sentence that says why there are none. */
  readonly events: readonly EventObject[] | string;
  readonly workflow: WorkflowReport;
}

type Field = readonly [label: string, value: string | undefined];

/** For people. */
export function renderDescription({ summary, read, events, workflow }: Description, now: number): string {
  const { machine, meta } = read;
  const { ref, deletedAt } = machine;
  const { phase, since, waitsFor, lastError, toDo, nextTry, instance, node, step } = explain(read);
  const { controller } = meta;
  return [
    paint('bold', summary),
    '',
    ...renderFields([
      ['Name', ref.name],
      ['Namespace', ref.namespace],
      ['UID', ref.uid],
      ['Owner', controller === undefined ? undefined : `${controller.kind} ${controller.name}`],
      ['Labels', renderMap(meta.labels)],
      ['Annotations', renderMap(meta.annotations)],
      ['Created', formatMoment(meta.createdAt, now)],
      ['Deleted', deletedAt && formatMoment(deletedAt, now)],
    ]),
    ...section('Spec', specFields(read)),
    ...section('Status', [
      ['Phase', paintPhase(phase)],
      ['Step', step],
      ['Since', since === undefined ? undefined : formatMoment(since, now)],
      ['Waits for', waitsFor],
      ['Last error', lastError],
      ['Next try', formatMoment(nextTry, now)],
      ['What to do', toDo],
      ['Instance', instance ?? 'none yet'],
      ['Addresses', addressesOf(machine)],
      ['Node', node ?? 'none yet'],
      ['Launch', launchOf(machine, now)],
      ['Deletion', preparationOf(machine)],
      ['Maintenance', maintenanceOf(machine)],
    ]),
    ...section('Workflow', [
      ['Id', workflow.id],
      ['State', workflow.state],
      ['Temporal UI', workflow.link],
    ]),
    '',
    ...conditionsOf(read, now),
    '',
    ...eventsOf(events, now),
  ].join('\n');
}

function section(title: string, fields: readonly Field[]): string[] {
  return [`${title}:`, ...renderFields(fields).map((line) => `  ${line}`)];
}

/** What is launched, in short: fields that hold one value, and the names of the others. */
function specFields({ machine, spec }: MachineReading): Field[] {
  const { apiVersion, kind, ...rest }: Readonly<Record<string, unknown>> = { ...Object(spec.providerSpec) };
  const entries = Object.entries(rest).map(([name, it]) => [name, shortValue(it)] as const);
  const others = entries.filter(([, text]) => text === undefined).map(([name]) => name);
  return [
    ['MachineClass', spec.classRef?.name],
    ['Provider', providerOf(kind, apiVersion)],
    ...entries,
    ['And', others.length === 0 ? undefined : others.join(', ')],
    ['ProviderID', machine.providerID],
    ['Node labels', renderMap(spec.nodeLabels)],
    ['DeletionPolicy', machine.deletionPolicy],
    ['Delete', textOf(machine.delete)],
    ['Maintenance', textOf(machine.maintenance)],
    ['Node taints', textOr(spec.nodeTaints.map(({ key, value: of = '', effect }) => `${key}=${of}:${effect}`))],
  ];
}

function providerOf(kind: unknown, apiVersion: unknown): string | undefined {
  if (typeof kind !== 'string') return undefined;
  return typeof apiVersion === 'string' ? `${kind} (${apiVersion})` : kind;
}

/** A plain value, or the name of what is referred to. */
function shortValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null || typeof value !== 'object') return undefined;
  const { name, ...others }: { name?: unknown } = value;
  return typeof name === 'string' && Object.keys(others).length === 0 ? name : undefined;
}

function addressesOf({ status }: Machine): string | undefined {
  return textOr(status.addresses.map(({ type, address }) => `${address} (${type})`));
}

function launchOf({ status: { launch } }: Machine, now: number): string | undefined {
  return launch && `attempt ${launch.attempt}, prepared ${formatMoment(launch.preparedAt, now)}`;
}

/** An abort counts for the deletion that it ended, and for none that was asked for since. */
function preparationOf({ deletedAt, status: { preparation } }: Machine): string | undefined {
  return deletedAt !== undefined && preparation === 'aborted' ? undefined : preparation;
}

function maintenanceOf({ status: { maintenance: isReached } }: Machine): string | undefined {
  if (isReached === undefined) return undefined;
  return isReached ? 'nothing that has to leave is on the Node' : 'not reached, or over';
}

function conditionsOf({ machine, otherConditions }: MachineReading, now: number): string[] {
  const conditions = [...machine.status.conditions, ...otherConditions];
  if (conditions.length === 0) return ['Conditions: none'];
  const rows = conditions.map(({ type, status: is, reason, message, lastTransitionTime }) => [
    `  ${type}`,
    paintStatus(is),
    ageOf(lastTransitionTime, now),
    reason,
    message,
  ]);
  return ['Conditions:', renderTable([['  TYPE', 'STATUS', 'SINCE', 'REASON', 'MESSAGE'], ...rows])];
}

function eventsOf(events: Description['events'], now: number): string[] {
  if (typeof events === 'string') return [`Events: ${events}`];
  if (events.length === 0) return ['Events: none of late'];
  const rows = events.map(({ type = '', reason = '', message = '', lastTimestamp, metadata }) => [
    `  ${ageOf(lastTimestamp ?? metadata.creationTimestamp, now)}`,
    type === 'Warning' ? paint('yellow', type) : type,
    reason,
    message,
  ]);
  return ['Events:', renderTable([['  AGE', 'TYPE', 'REASON', 'MESSAGE'], ...rows])];
}

function textOf(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** Undefined where there is none. */
function textOr(list: readonly string[]): string | undefined {
  return list.length === 0 ? undefined : list.join(', ');
}

function renderMap(map: Readonly<Record<string, string>>): string {
  const text = Object.entries(map).map(([key, value]) => `${key}=${value}`);
  return text.length === 0 ? 'none' : text.join(', ');
}
