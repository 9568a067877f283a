import { inWordsOfField } from './effective-spec.ts';
import { Context } from '@temporalio/activity';
import { isPassing } from '../k8s/kube-error.ts';
import { CALL_NOT_DUE, ProviderError } from '../providers/provider-error.ts';
import type { Instance, LaunchRequest, Provider } from '../providers/provider.ts';
import { pickInstance } from '../workflows/machine/instance-facts.ts';
import type { CloudFailure } from '../workflows/machine/launch-record.ts';
import type { LaunchAnswer, LaunchInstance, NotCalled } from '../workflows/machine/launch-activities.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import { requireAccount } from './account.ts';
import { namedProvider, ownerOf } from './cloud-of.ts';
import type { MachineDeps } from './deps.ts';
import { cloudFailureOf } from './failures.ts';
import { whileHeartbeating } from './heartbeat.ts';
import { LOOK_TO_CALL_MS, startStopwatch, whatChanged, whyTooLate, type Stopwatch } from './launch-guards.ts';
import { takeLaunchTurn } from './launch-turn.ts';
import { ACT_MS } from './machine-reader.ts';
import type { Place } from './place.ts';
import { tellWhileUnanswered } from './tell-unanswered.ts';
import { isSameVersion, readUserData } from './user-data.ts';
import { given } from '../providers/given.ts';

/** How often a call is made ready, where it takes its worker too long to send it, before it is given back. */
const MOST_TRIES = 3;

interface LaunchCall {
  readonly provider: Provider;
  readonly request: LaunchRequest;
  /** Since its user-data, and then the Machine, were looked at. */
  readonly sinceLook: Stopwatch;
}

/** The call that makes an instance, and all that has to be so right before it. */
export function createLaunchInstance(deps: MachineDeps): Pick<MachineActivities, 'launchInstance'> {
  const { reader, launches, clock } = deps;

  return {
    async launchInstance(request): Promise<LaunchAnswer> {
      const early = await takeLaunchTurn(deps, request.launch);
      if (early !== undefined) return notCalled(early.notSent === true ? 'NotSent' : 'LookFailed', early);
      const { answer, seen } = await tellWhileUnanswered(deps, request, () => launch(request));
      return { ...answer, ...given({ seen }) };
    },
  };

  async function launch(request: LaunchInstance): Promise<LaunchAnswer> {
    const { info, cancellationSignal } = Context.current();
    const whyLate = () => whyTooLate(clock, info, deps.settings, cancellationSignal.aborted);
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      // A repeat asks the cloud first, which may take its time: nobody waits for that.
      const ready = looksFirst(request)
        ? await whileHeartbeating(clock, () => makeReady(request))
        : await launches.doing(() => whileHeartbeating(clock, () => makeReady(request)));
      if ('outcome' in ready) return ready;
      const answer = await callOnce(ready, () => whyLate() === undefined);
      if (answer !== undefined) return answer;
      const tooLate = whyLate();
      if (tooLate !== undefined) return notCalled('TooLate', failureOf('Aborted', tooLate));
    }
    const message = `again and again this worker takes longer than ${LOOK_TO_CALL_MS} ms from its look at the Machine to the call`;
    return notCalled('TooLate', failureOf('Aborted', message));
  }

  /** All that comes before the call; an answer where that is all there is. */
  async function makeReady(request: LaunchInstance): Promise<LaunchAnswer | LaunchCall> {
    try {
      return await lookAndRead(request);
    } catch (error) {
      if (!isPassing(error)) throw error;
      return notCalled('LookFailed', failureOf('Unavailable', error.message));
    }
  }

  async function lookAndRead(request: LaunchInstance): Promise<LaunchAnswer | LaunchCall> {
    const { ref, launch } = request;
    const owner = ownerOf(deps, ref, request.clusterName);
    const { specField, providerIDField } = deps.apis.kindOf('machine', ref);
    const { parameters, token } = launch;
    let place: Place;
    try {
      place = { provider: namedProvider(deps, parameters.provider), credentials: parameters.credentials };
    } catch (error) {
      return notCalled('LookFailed', cloudFailureOf(error));
    }

    const { provider } = place;
    // Prepared while the cloud honoured tokens, or while this worker's provider thought so: a repeat would be a second launch.
    if (launch.idempotency === 'token' && provider.idempotency === 'lookup') {
      const message = `the launch was prepared for a cloud with tokens, and to ${provider.name} every call is a new one by now`;
      return notCalled('NotAsPrepared', failureOf('FailedPrecondition', message));
    }
    if (looksFirst(request)) {
      try {
        const found = await deps.findByMachine(place, { owner, token });
        // One that only bears the name is not of this launch.
        const own = found.filter((i) => i.machineUid === ref.uid || i.token === token);
        const instance = pickInstance(own, token);
        if (instance !== undefined) return { outcome: 'instance', instance, found: true };
      } catch (error) {
        return notCalled('LookFailed', cloudFailureOf(error));
      }
    }

    // With keys of another account the same token is another launch.
    try {
      await requireAccount(deps, place, { ref, status: { launch } }, undefined);
    } catch (error) {
      return notCalled('LookFailed', cloudFailureOf(error));
    }

    const sinceLook = startStopwatch(clock);
    const secret = await readUserData(deps, ref, parameters.userDataSecret, (text) => inWordsOfField(text, specField));
    if (secret?.outcome === 'missing') {
      return notCalled('UserDataMissing', failureOf('FailedPrecondition', secret.message));
    }
    if (!isSameVersion(secret?.version, launch.userData)) {
      const message = `Secret ${ref.namespace}/${parameters.userDataSecret ?? ''} changed after the launch was prepared`;
      return notCalled('NotAsPrepared', failureOf('FailedPrecondition', message));
    }
    const userData = given({ userData: secret?.content });
    // Last, so that the call goes by what the Machine says now.
    const { machine } = await reader.seen(request, ACT_MS);
    const change = whatChanged(machine, launch, providerIDField);
    if (change !== undefined)
      return notCalled('Changed', failureOf('Aborted', `${change}: nothing is launched for it`));
    return { provider, request: { owner, token, parameters, ...userData }, sinceLook };
  }

  /** Undefined: what was checked before it was too old when it could be sent, or nobody waits for it: it was not. */
  async function callOnce(
    { provider, request, sinceLook }: LaunchCall,
    isAwaited: () => boolean,
  ): Promise<LaunchAnswer | undefined> {
    const isStillDue = () => sinceLook.elapsedMs() <= LOOK_TO_CALL_MS && isAwaited();
    if (!isStillDue()) return undefined;
    const calledAt = clock.timeOfDay();
    try {
      const instance = await whileHeartbeating(clock, (signal) => provider.launch({ ...request, isStillDue }, signal));
      return { outcome: 'instance', instance: storable(instance), found: false };
    } catch (error) {
      const failure = cloudFailureOf(error, request.userData === undefined ? [] : [request.userData]);
      if (failure.cloudCode === CALL_NOT_DUE) return undefined;
      if (failure.notSent === true) return notCalled('NotSent', failure);
      const { workflowExecution } = Context.current().info;
      deps.log.warn({ workflowId: workflowExecution?.workflowId, failure }, 'launch was not answered with an instance');
      return { outcome: 'refused', failure, calledAt };
    }
  }
}

/** Without tokens even a first call is not sent unseen: Temporal may have been restored to a past that knows of no call. */
function looksFirst({ launch, lookFirst, trustToken }: LaunchInstance): boolean {
  return launch.idempotency === 'lookup' || (lookFirst && trustToken !== true);
}

/** What of an instance is worth a place in the history. */
function storable(instance: Instance): Instance {
  return { ...instance, addresses: instance.addresses.slice(0, 16) };
}

function notCalled(because: NotCalled['because'], failure: CloudFailure): LaunchAnswer {
  return { outcome: 'notCalled', because, failure };
}

function failureOf(code: 'Aborted' | 'FailedPrecondition' | 'Unavailable', message: string): CloudFailure {
  return cloudFailureOf(new ProviderError(code, message));
}
