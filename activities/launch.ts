import { Context } from '@temporalio/activity';
import { dialectOf } from '../k8s/dialects/registry.ts';
import { isPassing } from '../k8s/kube-error.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { tokenOf } from '../k8s/launch-token.ts';
import { FINALIZER } from '../k8s/model/labels.ts';
import type { Machine, MachineSpec, PreparedLaunch, UserDataVersion } from '../k8s/model/machine.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import { timestamp } from '../providers/clock.ts';
import { ProviderError, type Instance, type LaunchParameters, type Provider } from '../providers/provider.ts';
import { pickInstance } from '../workflows/machine/instance-facts.ts';
import type { CloudFailure } from '../workflows/machine/launch-record.ts';
import { createAskOn, createSlowPlaces } from './ask-on.ts';
import { namedProvider, ownerOf } from './cloud-of.ts';
import { requireAccount } from './account.ts';
import type { ActivityDeps, MachineDeps } from './deps.ts';
import { inWordsOfItsSource } from './effective-spec.ts';
import { cloudFailureOf } from './failures.ts';
import { LOOK_TO_CALL_MS, startStopwatch, whatChanged, whyTooLate, type Stopwatch } from './launch-guards.ts';
import { whileHeartbeating } from './heartbeat.ts';
import { lineUp, takeTurn } from './launch-turn.ts';
import { createHoldMachineClass } from './machine-classes.ts';
import { ACT_MS } from './machine-reader.ts';
import type {
  LaunchAnswer,
  LaunchInstance,
  MachineActivities,
  NotCalled,
  PrepareAnswer,
  PrepareLaunch,
} from '../workflows/machine/machine-activities.ts';
import type { Place } from './place.ts';
import { readSecret } from './secrets.ts';
import { writeStatus } from './write-status.ts';

type Port = Pick<MachineActivities, 'prepareLaunch' | 'launchInstance'>;

/** Key of the user-data in its Secret, as the Machine API has it. */
const USER_DATA_KEY = 'userData';

/** How often a call is made ready again whose worker stood still, before it is given back. */
const MOST_TRIES = 3;

interface LaunchCall {
  readonly provider: Provider;
  readonly request: Parameters<Provider['launch']>[0];
  /** Since its user-data, and then the Machine, were looked at. */
  readonly sinceLook: Stopwatch;
}

/** Activities that get a machine its instance. */
export function createLaunchActivities(deps: MachineDeps): Port {
  const { kube, reader, launches, clock } = deps;
  const holdMachineClass = createHoldMachineClass(deps);
  const askForParameters = createAskOn<{
    readonly parameters: LaunchParameters;
    readonly account: string | undefined;
  }>(clock, createSlowPlaces());

  return {
    prepareLaunch: (request) => launches.launching(() => prepare(request)),

    async launchInstance(request): Promise<LaunchAnswer> {
      const early = await takeTurn(deps, request.launch);
      if (early !== undefined) return notCalled(early.notSent === true ? 'NotSent' : 'LookFailed', early);
      const { info, cancellationSignal } = Context.current();
      for (let tries = 1; ; tries += 1) {
        // A repeat asks the cloud first, which may take its time: nobody waits for that.
        const ready = looksFirst(request)
          ? await whileHeartbeating(clock, () => makeReady(request))
          : await launches.launching(() => whileHeartbeating(clock, () => makeReady(request)));
        if ('outcome' in ready) return ready;
        const tooLate = whyTooLate(clock, info, deps.settings, cancellationSignal.aborted);
        if (tooLate !== undefined) return notCalled('TooLate', failureOf('Aborted', tooLate));
        if (ready.sinceLook.elapsedMs() <= LOOK_TO_CALL_MS) return callOnce(ready);
        if (tries < MOST_TRIES) continue;
        const message = 'this worker stands still again and again between its look at the Machine and the call';
        return notCalled('TooLate', failureOf('Aborted', message));
      }
    },
  };

  async function prepare(request: PrepareLaunch): Promise<PrepareAnswer> {
    const { machine, spec } = await reader.seen(request);
    const { status, ref } = machine;
    if (machine.deletedAt !== undefined || machine.paused) return { outcome: 'changed' };
    if (machine.providerID !== undefined || status.instance !== undefined) return { outcome: 'changed' };
    const stored = status.launch;
    if (
      stored !== undefined &&
      (stored.attempt > request.attempt || (stored.attempt === request.attempt && !request.replace))
    ) {
      return { outcome: 'prepared', launch: stored, found: true };
    }

    const early = await lineUp(deps, machine, spec, request.attempt);
    if (early !== undefined) return { outcome: 'failed', failure: early };
    let launch: PreparedLaunch;
    try {
      const resolved = await resolve(machine, spec, request.attempt);
      if (resolved.outcome === 'missing') return resolved;
      // A call of this attempt that was given up stays so.
      const givenUp = stored?.attempt === request.attempt ? stored.callsGivenUp : undefined;
      launch = { ...resolved.launch, ...(givenUp === undefined ? {} : { callsGivenUp: givenUp }) };
    } catch (error) {
      const failure = cloudFailureOf(error);
      if (failure.retryClass !== 'invalid') return { outcome: 'failed', failure };
      const message = inWordsOfItsSource(failure.message, spec);
      const field = failure.field === undefined ? undefined : inWordsOfItsSource(failure.field, spec);
      const { outsideSpec } = failure;
      return {
        outcome: 'invalid',
        message,
        ...(field === undefined ? {} : { field }),
        ...(outsideSpec === undefined ? {} : { outsideSpec }),
      };
    }
    if (!machine.hasFinalizer) await addFinalizer(ref);
    await writeStatus(deps, ref, { ...request.status, launch });
    return { outcome: 'prepared', launch, found: false };
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
    const owner = ownerOf(deps, ref, request.machineCluster);
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
      if (!(error instanceof ProviderError)) throw error;
      return notCalled('LookFailed', cloudFailureOf(error));
    }

    const sinceLook = startStopwatch(clock);
    const secret = await readUserData(deps, ref, parameters.userDataSecret);
    if (secret?.outcome === 'missing') {
      return notCalled('UserDataMissing', failureOf('FailedPrecondition', secret.message));
    }
    if (!isSameVersion(secret?.version, launch.userData)) {
      const message = `Secret ${ref.namespace}/${parameters.userDataSecret ?? ''} changed after the launch was prepared`;
      return notCalled('NotAsPrepared', failureOf('FailedPrecondition', message));
    }
    const userData = secret === undefined ? {} : { userData: secret.content };
    // Last, so that the call goes by what the Machine says now.
    const { machine } = await reader.seen(request, ACT_MS);
    const change = whatChanged(machine, launch);
    if (change !== undefined)
      return notCalled('Changed', failureOf('Aborted', `${change}: nothing is launched for it`));
    return { provider, request: { owner, token, parameters, ...userData }, sinceLook };
  }

  async function callOnce({ provider, request }: LaunchCall): Promise<LaunchAnswer> {
    const calledAt = clock.timeOfDay();
    try {
      const instance = await whileHeartbeating(clock, (signal) => provider.launch(request, signal));
      return { outcome: 'instance', instance: storable(instance), found: false };
    } catch (error) {
      const failure = cloudFailureOf(error, request.userData === undefined ? [] : [request.userData]);
      if (failure.notSent === true) return notCalled('NotSent', failure);
      const { workflowExecution } = Context.current().info;
      deps.log.warn({ workflowId: workflowExecution?.workflowId, failure }, 'launch was not answered with an instance');
      return { outcome: 'refused', failure, calledAt };
    }
  }

  async function resolve(
    machine: Machine,
    spec: MachineSpec,
    attempt: number,
  ): Promise<{ outcome: 'prepared'; launch: PreparedLaunch } | Extract<PrepareAnswer, { outcome: 'missing' }>> {
    const held = await holdMachineClass(spec);
    if (held !== undefined) return held;
    if (machine.cluster === '') {
      throw new ProviderError('InvalidArgument', 'the label names the cluster, and is missing', {
        field: 'metadata.labels[machine.openshift.io/cluster-api-cluster]',
      });
    }
    const owner = ownerOf(deps, machine.ref, machine.cluster);
    const { providerSpec } = spec;
    const provider = deps.providers.providerFor(providerSpec);
    // Machines of one spec ask the same of the same cloud.
    const place = `${provider.name} ${machine.ref.namespace} ${machine.specHash}`;
    // Async, since it may throw at once: then nobody would wait for what the other one throws.
    const accountOf = async () => provider.accountOf?.(provider.credentialsOf({ owner, providerSpec }));
    const { answer } = await askForParameters(place, machine.ref.uid, async () => {
      const [parameters, account] = await Promise.all([provider.resolve({ owner, providerSpec }), accountOf()]);
      return { parameters, account };
    });
    const { parameters, account } = answer;
    const secret = await readUserData(deps, machine.ref, parameters.userDataSecret);
    if (secret?.outcome === 'missing') return secret;
    const launch: PreparedLaunch = {
      attempt,
      token: tokenOf(machine.ref.uid, attempt),
      preparedAt: timestamp(clock),
      specHash: machine.specHash,
      parameters,
      idempotency: provider.idempotency,
      ...(account === undefined ? {} : { account }),
      ...(secret === undefined ? {} : { userData: secret.version }),
    };
    return { outcome: 'prepared', launch };
  }

  async function addFinalizer(ref: ObjectRef): Promise<void> {
    await reader.writing(ref, () =>
      kube.apply(
        dialectOf(ref).machines,
        ref.namespace,
        ref.name,
        { metadata: { uid: ref.uid, finalizers: [FINALIZER] } },
        { fieldManager: MACHINE_FIELD_MANAGER },
      ),
    );
  }
}

/** Without tokens even a first call is not sent unseen: Temporal may have been restored to a past that knows of no call. */
function looksFirst({ launch, lookFirst, trustToken }: LaunchInstance): boolean {
  return launch.idempotency === 'lookup' || (lookFirst && trustToken !== true);
}

type UserData =
  | { readonly outcome: 'read'; readonly content: Uint8Array; readonly version: UserDataVersion }
  | { readonly outcome: 'missing'; readonly reason: 'SecretMissing'; readonly message: string };

/** The user-data goes from the Secret to the cloud; what is kept of it is which version it was. */
async function readUserData(
  deps: ActivityDeps,
  ref: ObjectRef,
  name: string | undefined,
): Promise<UserData | undefined> {
  if (name === undefined) return undefined;
  const secret = await readSecret(deps.kube, ref.namespace, name);
  if (secret === undefined) {
    const message = `providerSpec.value.userDataSecret.name: Secret ${ref.namespace}/${name} does not exist`;
    return { outcome: 'missing', reason: 'SecretMissing', message };
  }
  const content = secret.data[USER_DATA_KEY];
  if (content === undefined) {
    const message = `providerSpec.value.userDataSecret.name: Secret ${ref.namespace}/${name} has no key "${USER_DATA_KEY}"`;
    return { outcome: 'missing', reason: 'SecretMissing', message };
  }
  const { uid, resourceVersion } = secret;
  return { outcome: 'read', content, version: { name, uid, resourceVersion } };
}

function isSameVersion(a: UserDataVersion | undefined, b: UserDataVersion | undefined): boolean {
  return a?.uid === b?.uid && a?.resourceVersion === b?.resourceVersion;
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
