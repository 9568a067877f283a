import { conditionOf } from '../../k8s/model/condition.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { MachineStatus } from '../../k8s/model/machine.ts';
import { adviceOn, lastTroubleOf } from '../../k8s/model/trouble.ts';
import { MACHINE_CLUSTER, MACHINE_OWNER } from '../search-attributes.ts';
import { asCode, asDetails, asFacts, asMoment, asText, workflowsLink } from '../markdown.ts';
import type { Pass } from './pass.ts';
import type { PassEnd } from './run-phases.ts';

/** What the Temporal UI shows of a machine: Markdown that answers "why is it where it is, and what can I do". */
export function describeLife(pass: Pass, next: PassEnd): string {
  const { ref, status } = pass;
  if (next === 'end') return describeEnd(pass.ref, pass.status.instance?.id);
  return asDetails([
    headline(status),
    asFacts({
      'Waits for': asText(waitsFor(status, next)),
      Since: asSince(status),
      'Last error': asText(lastErrorOf(status)),
      'Next try': nextTry(status, next),
      Instance: status.instance === undefined ? 'none yet' : `${asCode(status.instance.id)} (${status.instance.state})`,
      Node: status.nodeRef === undefined ? 'none yet' : asCode(status.nodeRef.name),
    }),
    `**What to do:** ${adviceOn(status)}`,
    `**Where to look:** \`millwright machine explain -n ${ref.namespace} ${ref.name}\` · \`kubectl describe ${ref.kind.toLowerCase()} -n ${ref.namespace} ${ref.name}\`${linksOf(pass)}`,
  ]);
}

/** A status in one line, for the step that writes it. */
export function summarizeStatus({ phase, error, waiting }: MachineStatus): string {
  const state = phase ?? 'New';
  if (phase === 'Failed' && error !== undefined) return `${state}: ${error.reason}`;
  return waiting === undefined ? state : `${state}, waits in ${waiting.step}: ${waiting.reason}`;
}

/** What the Temporal UI shows of a machine that was deleted; without the id of an instance it had none. */
export function describeEnd(ref: ObjectRef, instanceId: string | undefined): string {
  const instance = instanceId === undefined ? 'It had no instance.' : `Its instance ${asCode(instanceId)} ended.`;
  return asDetails([`**Gone**: ${ref.kind} ${ref.namespace}/${ref.name} was deleted, step by step. ${instance}`]);
}

function headline({ phase, error, waiting }: MachineStatus): string {
  const state = `**${phase ?? 'New'}**`;
  if (phase === 'Failed' && error !== undefined) return `${state}: ${error.reason}`;
  return waiting === undefined ? state : `${state}, waits in step **${waiting.step}**: ${asText(waiting.reason)}`;
}

function waitsFor({ phase, waiting }: MachineStatus, next: PassEnd): string {
  if (waiting !== undefined) return waiting.message;
  if (phase === 'Failed') return 'its deletion: nothing else acts on it';
  if (phase === 'Running') return 'nothing';
  return typeof next === 'string' ? 'its next step' : next.why;
}

function asSince({ waiting, conditions, phase, updatedAt }: MachineStatus): string | undefined {
  const ready = conditionOf(conditions, 'NodeReady');
  const since = waiting?.since ?? (phase === 'Running' ? ready?.lastTransitionTime : undefined) ?? updatedAt;
  return since === undefined ? undefined : asMoment(since);
}

function nextTry({ waiting }: MachineStatus, next: PassEnd): string {
  if (next === 'again') return 'at once';
  if (waiting?.nextTry !== undefined) return `${asMoment(waiting.nextTry)}, or when something changes`;
  if (typeof next === 'string' || next.at === undefined) return 'when something changes';
  return `when something changes, at the latest ${asMoment(next.at)}`;
}

/** What went wrong last, and was not overcome. */
function lastErrorOf(status: MachineStatus): string {
  const trouble = lastTroubleOf(status);
  if (trouble === undefined) return 'none';
  return trouble === status.waiting ? `${trouble.reason}, as said above` : `${trouble.reason}: ${trouble.message}`;
}

function linksOf({ seen: { machine } }: Pass): string {
  const links = [
    [MACHINE_OWNER.name, machine.owner, 'the machines of its set'],
    [MACHINE_CLUSTER.name, machine.clusterName === '' ? undefined : machine.clusterName, 'the machines of its cluster'],
  ] as const;
  return links
    .filter(([, value]) => value !== undefined)
    .map(([attribute, value, words]) => ` · ${workflowsLink(words, `${attribute} = "${value ?? ''}"`)}`)
    .join('');
}
