import type { MachineObject } from '../../k8s/api/machine.ts';
import { ageOf, formatMoment } from './age.ts';
import { explain } from './explanation.ts';
import { paint, paintPhase, paintStatus } from './paint.ts';
import { renderFields } from './render-explanation.ts';
import { renderTable } from './table.ts';
import type { WorkflowReport } from './workflow-report.ts';

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
  readonly machine: MachineObject;
  /** Oldest first; or a sentence that says why there are none. */
  readonly events: readonly EventObject[] | string;
  readonly workflow: WorkflowReport;
}

type Field = readonly [label: string, value: string | undefined];

/** For people. */
export function renderDescription({ summary, machine, events, workflow }: Description, now: number): string {
  const { metadata, status = {} } = machine;
  const { phase, since, waitsFor, lastError, toDo, nextTry, instance, node, step } = explain(machine);
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return [
    paint('bold', summary),
    '',
    ...renderFields([
      ['Name', metadata.name],
      ['Namespace', metadata.namespace],
      ['UID', metadata.uid],
      ['Owner', owner === undefined ? undefined : `${owner.kind} ${owner.name}`],
      ['Labels', renderMap(metadata.labels)],
      ['Annotations', renderMap(metadata.annotations)],
      ['Created', formatMoment(metadata.creationTimestamp, now)],
      ['Deleted', metadata.deletionTimestamp && formatMoment(metadata.deletionTimestamp, now)],
    ]),
    ...section('Spec', specFields(machine)),
    ...section('Status', [
      ['Phase', paintPhase(phase)],
      ['Step', step],
      ['Since', since === undefined ? undefined : formatMoment(since, now)],
      ['Waits for', waitsFor],
      ['Last error', lastError],
      ['Next try', formatMoment(nextTry, now)],
      ['What to do', toDo],
      ['Instance', instance ?? 'none yet'],
      ['Addresses', status.addresses?.map(({ type, address }) => `${address} (${type})`).join(', ')],
      ['Node', node ?? 'none yet'],
      ['Launch', launchOf(machine, now)],
    ]),
    ...section('Workflow', [
      ['Id', workflow.id],
      ['State', workflow.state],
      ['Temporal UI', workflow.link],
    ]),
    '',
    ...conditionsOf(machine, now),
    '',
    ...eventsOf(events, now),
  ].join('\n');
}

function section(title: string, fields: readonly Field[]): string[] {
  return [`${title}:`, ...renderFields(fields).map((line) => `  ${line}`)];
}

/** What is launched, in short: fields that hold one value, and the names of the others. */
function specFields({ spec }: MachineObject): Field[] {
  const { value, valueFrom } = spec?.providerSpec ?? {};
  const { apiVersion, kind, ...rest } = value ?? {};
  const entries = Object.entries(rest).map(([name, it]) => [name, shortValue(it)] as const);
  const others = entries.filter(([, text]) => text === undefined).map(([name]) => name);
  return [
    ['MachineClass', valueFrom?.machineClass.name],
    ['Provider', kind === undefined ? undefined : [kind, apiVersion && `(${apiVersion})`].filter(Boolean).join(' ')],
    ...entries,
    ['And', others.length === 0 ? undefined : others.join(', ')],
    ['ProviderID', spec?.providerID],
    ['Node labels', renderMap(spec?.metadata?.labels)],
    ['Node taints', spec?.taints?.map(({ key, value: of = '', effect }) => `${key}=${of}:${effect}`).join(', ')],
  ];
}

/** A plain value, or the name of what is referred to. */
function shortValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null || typeof value !== 'object') return undefined;
  const { name, ...others }: { name?: unknown } = value;
  return typeof name === 'string' && Object.keys(others).length === 0 ? name : undefined;
}

function launchOf({ status }: MachineObject, now: number): string | undefined {
  const launch = status?.providerStatus?.launch;
  return launch && `attempt ${launch.attempt}, prepared ${formatMoment(launch.preparedAt, now)}`;
}

function conditionsOf({ status }: MachineObject, now: number): string[] {
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return ['Conditions: none'];
  const rows = conditions.map(({ type, status: is, reason = '', message = '', lastTransitionTime }) => [
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

function renderMap(map: Readonly<Record<string, string>> | undefined): string {
  const text = Object.entries(map ?? {}).map(([key, value]) => `${key}=${value}`);
  return text.length === 0 ? 'none' : text.join(', ');
}
