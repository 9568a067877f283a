import type { MachineKind, StoredObject } from '../../k8s/dialects/kind.ts';
import { isConflict, isNotFound, isRefusal, unlessGone } from '../../k8s/kube-error.ts';
import { CAUSE_ANNOTATION, writeCause, writeRemedyCause } from '../../k8s/model/cause.ts';
import { describeDuration } from '../../k8s/model/duration.ts';
import { REMEDIATION_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import {
  ASKED_OF_OTHERS_ANNOTATION,
  readAsked,
  REMEDIATED_BY_ANNOTATION,
  withAsked,
  writeAsked,
  writeHealthClaim,
  type AskedOfOthers,
} from '../../k8s/model/health-claim.ts';
import type { MachineHealthCheck, RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { readinessOf, type Node } from '../../k8s/model/node.ts';
import { describeRef } from '../../k8s/model/object-ref.ts';
import type {
  MachineOfCheck,
  Remediate,
  RemediateAnswer,
} from '../../workflows/machine-health-check/health-activities.ts';
import { recentOutage } from '../../workflows/machine-health-check/recent-outage.ts';
import { withoutTimeout } from '../../workflows/machine-health-check/sightings.ts';
import { isSkipped } from '../../workflows/machine-health-check/skip.ts';
import type { EventReason } from '../../k8s/model/reasons/reasons.ts';
import { REBOOT_ANNOTATION, writeRebootWish } from '../../k8s/model/reboot.ts';
import { requestKindOf } from '../../k8s/model/remediation-template.ts';
import { NODES } from '../../k8s/resources.ts';
import { given } from '../../providers/given.ts';
import type { MachineDeps } from '../deps.ts';
import { deleteAsSeen } from '../owned-objects.ts';
import { readStored } from '../read-stored.ts';
import { createPauses } from './pauses.ts';
import { withoutDeadClaims } from './claims.ts';
import { knownOutages, type OutageDeps } from './outages.ts';
import { requestRemediation, withdrawRequest, type RequestDeps } from './remediation-requests.ts';
import { rulesOf } from './read-rules.ts';
import { causesOf, sameNode, type SeenBody } from './see-health.ts';

type Deps = Pick<MachineDeps, 'kube' | 'apis' | 'clock' | 'events'>;
type WhyNotDeps = Deps & OutageDeps & Pick<MachineDeps, 'settings'>;
type RemediateDeps = WhyNotDeps & RequestDeps;

/** Longest time from a look to a step that was decided by it, in milliseconds. */
const OLDEST_LOOK_MS = 30_000;

export interface FoundBody extends SeenBody {
  readonly kind: MachineKind;
}

/** Takes a step for a Machine by what it is right before: its worker may have stood still since that was decided. */
export async function remediate(deps: RemediateDeps, request: Remediate): Promise<RemediateAnswer> {
  try {
    const check = await readCheck(deps, request);
    if (check === undefined) return { outcome: 'notNow', message: 'its health check is gone' };
    const named = await findMachine(deps, request);
    const [found] = named === undefined ? [] : await withoutDeadClaims(deps, request.ref, [named]);
    if (found === undefined) return { outcome: 'gone' };
    const held = await whyNot(deps, check, found, request);
    if (held !== undefined) return { outcome: 'notNow', message: held };
    const { step, cause, reboot } = request;
    const object = found.read.meta.ref;
    deps.log.info({ object, check: request.ref.name, step: step.action, cause, ...given({ reboot }) }, 'is remediated');
    if (request.step.action === 'Replace') return await replace(deps, found, request, request.step);
    if (request.step.action === 'Template') return await askByObject(deps, found, request, request.step);
    if (request.step.action === 'Reboot') {
      await askForReboot(deps, found, request);
      return { outcome: 'done' };
    }
    const { key, value } = request.step;
    // What somebody had written before stays theirs.
    const isThere = found.read.meta.annotations[key] === value;
    const asked = askedToo(found, { annotations: isThere ? {} : { [key]: value }, templates: [] });
    await annotate(deps, found, request, { [key]: value, ...asked });
    await tell(deps, found, 'ExternalAnnotationAdded', `${describeRef(request.ref)} has it remedied: ${request.cause}`);
    return { outcome: 'done' };
  } catch (error) {
    if (isNotFound(error)) return { outcome: 'gone' };
    if (isConflict(error)) return { outcome: 'notNow', message: 'it changed in that very moment' };
    if (isRefusal(error)) return refused(deps, request, error.message);
    throw error;
  }
}

/** Takes off that somebody wants it remediated, unless another check has it in hand. */
export async function fulfilWish(deps: Deps, request: MachineOfCheck): Promise<void> {
  const found = await findMachine(deps, request);
  if (found === undefined || found.read.health.remediate === undefined) return;
  const { claim } = found.read.health;
  if (claim !== undefined && claim.uid !== request.ref.uid) return;
  const { metadata } = found.kind.writeWish?.({ remediate: null }) ?? {};
  await patchAsRead(deps, found, given({ metadata }));
}

/**
 * Takes the check's claim off, if it is still its own, with the cause and all that other programs were asked for; only of a Machine that
 * stays.
 */
export async function releaseMachine(deps: RemediateDeps, request: MachineOfCheck): Promise<void> {
  const found = await findMachine(deps, request);
  if (found === undefined || found.read.machine.deletedAt !== undefined) return;
  const { meta, health } = found.read;
  if (health.claim?.uid !== request.ref.uid) return;
  const asked = readAsked(meta.annotations[ASKED_OF_OTHERS_ANNOTATION]);
  for (const template of asked.templates) await withdrawRequest(deps, template, meta.ref);
  const marks = Object.entries(asked.annotations).filter(([key, value]) => meta.annotations[key] === value);
  const annotations = {
    ...Object.fromEntries(marks.map(([key]) => [key, null])),
    [ASKED_OF_OTHERS_ANNOTATION]: null,
    [REMEDIATED_BY_ANNOTATION]: null,
    [CAUSE_ANNOTATION]: null,
    ...given({ [REBOOT_ANNOTATION]: found.read.machine.rebootWish === undefined ? undefined : null }),
  };
  // A later deletion goes by what its owner wants.
  const drain = health.hasDrainOfCheck === true ? found.kind.writeWish?.({ drain: null }) : undefined;
  await patchAsRead(deps, found, { metadata: { annotations }, ...given({ spec: drain?.spec }) });
}

/** Only if it is as it was read: else the next look tells whether there is still something to do. */
async function patchAsRead(
  { kube }: Deps,
  { kind, read }: FoundBody,
  { metadata, ...rest }: { readonly metadata?: object; readonly spec?: object },
): Promise<void> {
  const { ref, resourceVersion } = read.meta;
  const body = { ...rest, metadata: { ...metadata, uid: ref.uid, resourceVersion } };
  try {
    await kube.mergePatch(kind.resource, ref.namespace, ref.name, body, { fieldManager: REMEDIATION_FIELD_MANAGER });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function readCheck({ kube, apis }: Deps, { ref }: Remediate): Promise<MachineHealthCheck | undefined> {
  const kind = apis.kindOf('machineHealthCheck', ref);
  const stored = await readStored(kube, kind.resource, ref);
  return stored && kind.read(stored).machineHealthCheck;
}

/** The Machine with its Node, as they are now; undefined: it is gone. */
export async function findMachine(
  { kube, apis }: Deps,
  { ref, machine }: Pick<Remediate, 'ref' | 'machine'>,
): Promise<FoundBody | undefined> {
  for (const kind of apis.kinds('machine')) {
    const { apiVersion, kind: name } = kind.resource;
    const stored = await readStored(kube, kind.resource, {
      apiVersion,
      kind: name,
      namespace: ref.namespace,
      ...machine,
    });
    if (stored === undefined) continue;
    const read = kind.read(stored);
    const { nodeRef } = read.machine.status;
    const node = nodeRef && (await unlessGone(kube.get<Node>(NODES, undefined, nodeRef.name)));
    return { kind, read, node: sameNode(node, read.machine) };
  }
  return undefined;
}

interface WhatCounts {
  /** That was decided a while ago: the time-outs of the rules may be others by now, and what is bad is so still. @default false */
  readonly whateverTimeouts?: true;
}

/** Why nothing is to be done to it now, as a sentence; undefined: the step is due. */
export async function whyNot(
  deps: WhyNotDeps,
  check: MachineHealthCheck,
  found: FoundBody,
  request: Pick<Remediate, 'step' | 'causes' | 'clusterRules' | 'seenAt' | 'generation'> & WhatCounts,
): Promise<string | undefined> {
  const { health, meta, machine } = found.read;
  if (check.malformed !== undefined) return `its health check is malformed: ${check.malformed}`;
  if (check.deletedAt !== undefined) return 'its health check is being deleted';
  if (check.paused) return 'its health check is paused';
  if (machine.deletedAt !== undefined) {
    if (health.claim !== undefined && health.claim.uid !== check.ref.uid) return `${health.claim.name} remediates it`;
    // All that is left is to tell how its drain is to end.
    return request.step.action === 'Replace' ? whyOutage(deps) : 'it is being deleted';
  }
  if (request.generation !== undefined && request.generation !== check.generation)
    return 'its health check was edited since that was decided';
  const pausedBy = await createPauses(deps)(found.read);
  if (pausedBy !== undefined) return `${pausedBy} is paused`;
  if (meta.controller === undefined && request.step.action === 'Replace') {
    return 'nobody would replace it: it has no controller';
  }
  if (isSkipped(health.skip, deps.clock.timeOfDay())) return 'somebody wants it left alone';
  const isClaimed = health.claim?.uid === check.ref.uid;
  if (health.external === true && !isClaimed) return 'another program remediates it';
  if (health.claim !== undefined && !isClaimed) return `${health.claim.name} remediates it`;
  const { rules } = await rulesOf(deps, check, request.clusterRules);
  const causes = causesOf(found, rules);
  const nameOf = request.whateverTimeouts === true ? withoutTimeout : (key: string) => key;
  const wanted = new Set(request.causes.map(nameOf));
  if (!causes.some(({ key }) => wanted.has(nameOf(key)))) return 'it is healthy again';
  return whyStale(deps, request) ?? whyOutage(deps);
}

/** Of all machines it is not known here how they are: a storm may have come since that was decided. */
function whyStale(
  { clock }: Pick<Deps, 'clock'>,
  { seenAt = Infinity }: Pick<Remediate, 'seenAt'>,
): string | undefined {
  const ageMs = clock.timeOfDay() - seenAt;
  return ageMs > OLDEST_LOOK_MS
    ? `the machines were looked at ${describeDuration(ageMs)} ago: they are looked at again first`
    : undefined;
}

/** An outage that began, or ended, since that was decided. */
async function whyOutage(deps: Pick<WhyNotDeps, 'settings' | keyof OutageDeps>): Promise<string | undefined> {
  const { settings, clock } = deps;
  const graceMs = settings.nodeMonitorGraceSeconds * 1000;
  return recentOutage(await knownOutages(deps), graceMs, clock.timeOfDay())?.brake.message;
}

/**
 * Deletes the Machine with its own deletion policy. Its drain ends some time: where its own options do not say when, the check's do,
 * which lets a Node that answers go on waiting unless the check says otherwise. Answers whether its Node cannot answer.
 */
async function replace(
  deps: Deps,
  found: FoundBody,
  request: Remediate,
  step: Extract<RemediationStep, { action: 'Replace' }>,
): Promise<RemediateAnswer> {
  const { kube } = deps;
  const { kind, read, node } = found;
  const { ref, drain, deletedAt } = read.machine;
  const isClaimed = read.health.claim?.uid === request.ref.uid;
  const isSilent = node !== undefined && (readinessOf(node)?.status ?? 'Unknown') === 'Unknown';
  const onTimeout = isSilent ? 'Force' : step.onTimeout;
  // What a check wrote earlier is its own to change.
  const isOwn = drain?.timeoutMs === undefined || read.health.hasDrainOfCheck === true;
  const isAsWanted = !isOwn || (drain?.timeoutMs === step.drainTimeoutMs && drain.onTimeout === onTimeout);
  const done = { outcome: 'done', isSilent } as const;
  if (deletedAt !== undefined && (isAsWanted || !isClaimed)) return done;
  const wish = isAsWanted ? {} : kind.writeWish?.({ drain: { timeoutMs: step.drainTimeoutMs, onTimeout } });
  const patched = await annotate(deps, found, request, {}, wish);
  if (deletedAt !== undefined) return done;
  const { resourceVersion } = patched.metadata;
  const { namespace, name, uid } = ref;
  // The process may have stood still: the Node may be well by now.
  const stale = whyStale(deps, request);
  if (stale !== undefined) return { outcome: 'notNow', message: stale };
  await deleteAsSeen({ kube, resource: kind.resource, namespace }, { name, uid, resourceVersion });
  await tell(
    deps,
    found,
    'MachineDeleted',
    `${describeRef(request.ref)} deleted it, for its set to make another: ${request.cause}`,
  );
  return done;
}

/** The claim comes first: by it what was made is found and deleted again, whoever dies in between. */
async function askByObject(
  deps: RemediateDeps,
  found: FoundBody,
  request: Remediate,
  { template }: Extract<RemediationStep, { action: 'Template' }>,
): Promise<RemediateAnswer> {
  const { ref, deletedAt } = found.read.machine;
  if (deletedAt !== undefined) return { outcome: 'notNow', message: 'it is being deleted' };
  await annotate(deps, found, request, askedToo(found, { annotations: {}, templates: [template] }));
  const annotations = deps.apis.kindOf('machineHealthCheck', request.ref).requestAnnotations(template);
  const problem = await requestRemediation(deps, template, ref, annotations);
  if (problem !== undefined) return refused(deps, request, problem);
  const what = `${requestKindOf(template)} ${ref.name}`;
  const message = `${describeRef(request.ref)} has it remedied by ${what}: ${request.cause}`;
  await tell(deps, found, 'ExternalRemediationRequestCreated', message);
  return { outcome: 'done' };
}

const FAILURES = {
  Replace: 'MachineDeletionFailed',
  Reboot: 'RebootNotWanted',
  Annotate: 'ExternalAnnotationFailed',
  Template: 'ExternalRemediationRequestCreationFailed',
} as const satisfies Readonly<Record<RemediationStep['action'], EventReason>>;

/** Who owns the instance, the Machine's workflow, sees the wish: it empties the Node, and calls the cloud. */
async function askForReboot(deps: Deps, found: FoundBody, request: Remediate): Promise<void> {
  const { reboot: id = '', causes, cause, ref } = request;
  const known = found.read.machine.rebootWish?.id;
  await annotate(deps, found, request, { [REBOOT_ANNOTATION]: writeRebootWish({ id, causes }) });
  if (known !== id) await tell(deps, found, 'RebootWanted', `${describeRef(ref)} has it rebooted: ${cause}`);
}

async function refused(deps: Deps, request: Remediate, message: string): Promise<RemediateAnswer> {
  const found = await findMachine(deps, request);
  const reason = FAILURES[request.step.action];
  if (found !== undefined)
    await tell(deps, found, reason, `${describeRef(request.ref)} was refused: ${message}`, 'Warning');
  return { outcome: 'refused', message };
}

/** By an event of the Machine. */
async function tell(
  { events }: Deps,
  { read }: FoundBody,
  reason: EventReason,
  message: string,
  type: 'Normal' | 'Warning' = 'Normal',
): Promise<void> {
  await events.record(read.machine.ref, { type, reason, message });
}

/** The annotation by which all is found again that other programs were asked for. */
function askedToo({ read: { meta } }: FoundBody, asked: AskedOfOthers): Readonly<Record<string, string>> {
  return { [ASKED_OF_OTHERS_ANNOTATION]: writeAsked(withAsked(meta.annotations[ASKED_OF_OTHERS_ANNOTATION], asked)) };
}

/** Says on the Machine who remediates it and why, and what else is given; only if it is as it was read. Another step ends a reboot. */
async function annotate(
  { kube, clock }: Deps,
  { kind, read }: FoundBody,
  { ref, cause, step }: Remediate,
  more: Readonly<Record<string, string>>,
  wish: object = {},
): Promise<StoredObject> {
  const { meta, machine } = read;
  const { namespace, name, uid } = meta.ref;
  const isRebootOver = step.action !== 'Reboot' && machine.rebootWish !== undefined;
  const write = step.action === 'Replace' ? writeCause : writeRemedyCause;
  const annotations = {
    ...given({ [REBOOT_ANNOTATION]: isRebootOver ? null : undefined }),
    ...more,
    [REMEDIATED_BY_ANNOTATION]: writeHealthClaim(ref),
    [CAUSE_ANNOTATION]: write(`${describeRef(ref)}: ${cause}`, clock.timeOfDay()),
  };
  const body = { metadata: { uid, resourceVersion: meta.resourceVersion, annotations }, ...wish };
  const options = { fieldManager: REMEDIATION_FIELD_MANAGER };
  return kube.mergePatch<StoredObject>(kind.resource, namespace, name, body, options);
}
