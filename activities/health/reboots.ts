import { Context } from '@temporalio/activity';
import { wordsOf } from '../../k8s/model/cause.ts';
import { REBOOT_ANNOTATION, recentReboots } from '../../k8s/model/reboot.ts';
import { REMEDIATION_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import type { MachineHealthCheck, RemediationStep } from '../../k8s/model/machine-health-check.ts';
import { isReady } from '../../k8s/model/node.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { selects } from '../../k8s/selector.ts';
import { isPassing } from '../../k8s/kube-error.ts';
import { given } from '../../providers/given.ts';
import { CALL_NOT_DUE, ProviderError, type ProviderErrorCode } from '../../providers/provider-error.ts';
import type { CloudFailure } from '../../workflows/machine/launch-record.ts';
import type {
  DueReboot,
  RebootActivities,
  RebootAnswer,
  RebootInstance,
  RebootLook,
} from '../../workflows/machine/reboot-activities.ts';
import { requireAccount } from '../account.ts';
import { isPlainlyOwn } from '../belonging.ts';
import { cloudOf } from '../cloud-of.ts';
import type { MachineDeps } from '../deps.ts';
import { cloudFailureOf, onObject, refuseForeign, unlessPassing } from '../failures.ts';
import { whileHeartbeating } from '../heartbeat.ts';
import { LOOK_TO_CALL_MS, startStopwatch, whyTooLate, type Stopwatch } from '../launch-guards.ts';
import type { Place } from '../place.ts';
import { readStored } from '../read-stored.ts';
import type { OutageDeps } from './outages.ts';
import { findMachine, whyNot, type FoundBody } from './remediate.ts';
import { nodeRulesOf } from './see-health.ts';

type RebootStep = Extract<RemediationStep, { action: 'Reboot' }>;

/** A check that has a Machine rebooted. */
interface Behind {
  readonly check: MachineHealthCheck;
  readonly step: RebootStep;
}

/** A reboot that may be made now. */
interface Due {
  readonly due: DueReboot;
  readonly found: FoundBody;
  readonly place: Place;
}

/** Answers by which a cloud says that it did nothing. */
const REFUSALS: ReadonlySet<ProviderErrorCode> = new Set([
  'FailedPrecondition',
  'InvalidArgument',
  'NotFound',
  'PermissionDenied',
  'ResourceExhausted',
  'Throttled',
  'Unauthenticated',
]);
/** Those of them that it gives again. */
const FINAL: ReadonlySet<ProviderErrorCode> = new Set(['FailedPrecondition', 'InvalidArgument', 'NotFound']);

/** What a machine's workflow asks for where a health check wants its instance rebooted. */
export function createRebootActivities(deps: MachineDeps & OutageDeps): RebootActivities {
  const { kube, apis, reader, clock } = deps;

  return {
    async lookAtReboot(target) {
      refuseForeign(deps, target);
      return unlessPassing(async () => {
        const look = await lookNow(target.ref, await find(target.ref));
        return 'outcome' in look ? look : look.due;
      });
    },

    async rebootInstance(request) {
      refuseForeign(deps, request);
      const { info, cancellationSignal } = Context.current();
      const whyLate = () => whyTooLate(clock, info, deps.settings, cancellationSignal.aborted);
      const sinceLook = startStopwatch(clock);
      const ready = await whileHeartbeating(clock, () => makeReady(request));
      if ('outcome' in ready) return ready;
      return callOnce(ready, request, sinceLook, () => whyLate() === undefined);
    },

    async forgetReboot(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const { resource } = apis.kindOf('machine', ref);
      const found = await find(ref);
      const look = await lookNow(ref, found);
      // Somebody else may stand behind a wish by now.
      if (found === undefined || !('outcome' in look) || look.outcome !== 'withdrawn') return;
      const { resourceVersion } = found.read.meta;
      const body = { metadata: { uid: ref.uid, resourceVersion, annotations: { [REBOOT_ANNOTATION]: null } } };
      const options = { fieldManager: REMEDIATION_FIELD_MANAGER };
      await reader.writing(ref, () =>
        onObject(() => kube.mergePatch(resource, ref.namespace, ref.name, body, options)),
      );
    },
  };

  function find(ref: ObjectRef): Promise<FoundBody | undefined> {
    return findMachine(deps, { ref, machine: ref });
  }

  /** Everything is read anew: the Machine, its Node, and the check that wants it. */
  async function lookNow(ref: ObjectRef, found: FoundBody | undefined): Promise<Exclude<RebootLook, DueReboot> | Due> {
    if (found === undefined) return { outcome: 'held', message: 'the Machine is gone' };
    const { machine, health } = found.read;
    const { rebootWish: wish } = machine;
    if (wish === undefined) return { outcome: 'held', message: 'nobody wants it rebooted any more' };
    const behind = await whoIsBehind(found);
    if (typeof behind === 'string') return { outcome: 'withdrawn', message: behind };
    const { check, step } = behind;
    const { causes } = wish;
    // Where the cluster's rules cannot be read now, those apply by which the check decided.
    const held = await whyNot(deps, check, found, {
      step,
      causes,
      clusterRules: nodeRulesOf(causes),
      whateverTimeouts: true,
    });
    if (held !== undefined) return { outcome: 'held', message: held };
    let place: Place;
    try {
      const seen = await reader.read(ref);
      if (seen === undefined) return { outcome: 'held', message: 'the Machine is gone' };
      place = cloudOf(deps, seen.machine, seen.spec);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return { outcome: 'held', message: error.message };
    }
    const { node } = found;
    const due: DueReboot = {
      outcome: 'due',
      cause: wordsOf(machine.cause ?? `- ${health.claim?.name ?? 'its health check'} wants it`),
      isSupported: place.provider.reboot !== undefined,
      maxReboots: step.maxReboots,
      isNodeReady: node !== undefined && isReady(node),
      ...given({ bootID: node?.status?.nodeInfo?.bootID }),
    };
    return { due, found, place };
  }

  /** The check that has the Machine rebooted; or why none does. */
  async function whoIsBehind({ read: { health, machine, meta } }: FoundBody): Promise<Behind | string> {
    const { claim } = health;
    if (claim === undefined) return 'no health check claims the Machine';
    for (const { resource, read } of apis.kinds('machineHealthCheck')) {
      const { apiVersion, kind } = resource;
      const stored = await readStored(kube, resource, { apiVersion, kind, namespace: machine.ref.namespace, ...claim });
      if (stored === undefined) continue;
      const { machineHealthCheck: check } = read(stored);
      // What it asks for is anybody's guess, until it is mended.
      const steps = check.malformed === undefined ? check.remediation.steps : [UNREADABLE];
      const step = steps.find(({ action }) => action === 'Reboot');
      if (step?.action !== 'Reboot') return `the health check ${claim.name} reboots no machines any more`;
      if (check.malformed === undefined && !selects(check.selector, meta.labels)) {
        return `the health check ${claim.name} does not select the Machine any more`;
      }
      return { check, step };
    }
    return `the health check ${claim.name} is gone`;
  }

  /** All that comes before the call; an answer where that is all there is. */
  async function makeReady(request: RebootInstance): Promise<RebootAnswer | Due> {
    try {
      const look = await lookNow(request.ref, await find(request.ref));
      if ('outcome' in look) return notCalled(look.message);
      const why = whyNotThis(look, request);
      if (why !== undefined) return notCalled(why);
      await requireOwn(look, request);
      return look;
    } catch (error) {
      if (error instanceof ProviderError) return { outcome: 'refused', failure: cloudFailureOf(error) };
      if (isPassing(error)) return notCalled(error.message);
      throw error;
    }
  }

  /** A status proves nothing: others may write it, and would have another machine's instance rebooted. */
  async function requireOwn({ found, place }: Due, { instance: id, isKnownOwn }: RebootInstance): Promise<void> {
    const { machine } = found.read;
    if (!place.provider.isInstanceId(id)) throw new ProviderError('InvalidArgument', `${id} is no id of an instance`);
    const seen = isKnownOwn === true ? undefined : await deps.describeInstance(place, id);
    await requireAccount(deps, place, machine, seen);
    if (isKnownOwn === true) return;
    if (seen === undefined) throw new ProviderError('NotFound', `instance ${id} is not found`);
    if (isPlainlyOwn(machine, seen)) return;
    throw new ProviderError('FailedPrecondition', `instance ${id}, which the status names, is not the Machine's`);
  }

  async function callOnce(
    { place, due }: Due,
    { instance: id, ref, wish }: RebootInstance,
    sinceLook: Stopwatch,
    isAwaited: () => boolean,
  ): Promise<RebootAnswer> {
    const { provider, credentials } = place;
    const isStillDue = () => sinceLook.elapsedMs() <= LOOK_TO_CALL_MS && isAwaited();
    if (!isStillDue()) return notCalled('what was checked before the call is too old by now, or nobody waits for it');
    deps.log.info({ object: ref, instance: id, wish, cause: due.cause }, 'the cloud is asked to reboot it');
    try {
      await whileHeartbeating(clock, async (signal) => provider.reboot?.({ credentials, id, isStillDue }, signal));
      return { outcome: 'sent' };
    } catch (error) {
      const failure = cloudFailureOf(error);
      deps.log.warn({ object: ref, instance: id, failure }, 'the reboot was not answered with success');
      const isUncalled = failure.notSent === true || failure.cloudCode === CALL_NOT_DUE;
      if (!isUncalled && !REFUSALS.has(failure.code)) return { outcome: 'unanswered', message: failure.message };
      const isFinal = !isUncalled && FINAL.has(failure.code);
      return { outcome: 'refused', failure, ...given({ isFinal: isFinal || undefined }) };
    }
  }
}

/** Of a check that is malformed: it is not known that it does not reboot. */
const UNREADABLE: RebootStep = { action: 'Reboot', drainTimeoutMs: 0, maxReboots: 1 };

/** Why the Machine, as it is now, is not the one that this call was recorded for; undefined: it is. */
function whyNotThis({ due, found }: Due, request: RebootInstance): string | undefined {
  const { machine } = found.read;
  const { deletedAt, delete: isToGo, rebootWish, status } = machine;
  const { reboot: record, instance } = status;
  if (deletedAt !== undefined || isToGo === true) return 'the Machine is to be deleted';
  if (rebootWish?.id !== request.wish) return 'another reboot is wanted by now';
  if (record?.id !== request.wish || record.state !== 'Sent' || record.sentAt !== request.sentAt) {
    return "the Machine's status tells of another reboot than this";
  }
  if (instance?.id !== request.instance) return `the Machine has another instance than ${request.instance}`;
  if (!due.isSupported) return 'its cloud cannot reboot';
  if ((record.bootID ?? '') !== (due.bootID ?? '')) return 'its Node tells of another boot already';
  if (due.isNodeReady && request.isDrained !== true) return 'its Node is Ready by now, and is not drained';
  if (recentReboots(record, Date.parse(request.sentAt)).length > due.maxReboots) {
    return `it was rebooted ${due.maxReboots} times within 24 hours (maxReboots)`;
  }
  return undefined;
}

function notCalled(message: string): Extract<RebootAnswer, { outcome: 'refused' }> {
  const failure: CloudFailure = cloudFailureOf(new ProviderError('Aborted', message));
  return { outcome: 'refused', failure };
}
