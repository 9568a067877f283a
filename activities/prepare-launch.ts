import { tokenOf } from '../k8s/launch-token.ts';
import { purposeOf } from '../k8s/model/drain.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import type { CompletedMachine, MachineSpec, MachineStatus, PreparedLaunch } from '../k8s/model/machine.ts';
import { timestamp } from '../providers/clock.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { CredentialsRequest, LaunchParameters, Provider } from '../providers/provider.ts';
import type { CloudFailure } from '../workflows/machine/launch-record.ts';
import type { PrepareAnswer, PrepareLaunch } from '../workflows/machine/launch-activities.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import type { SeenStatus } from '../workflows/seen-status.ts';
import { createAskOn } from './ask-on.ts';
import { ownerOf } from './cloud-of.ts';
import type { MachineDeps } from './deps.ts';
import { inWordsOfItsSource } from './effective-spec.ts';
import { cloudFailureOf, isObjectChanged } from './failures.ts';
import { makesRoom } from './launch-guards.ts';
import { lineUp } from './launch-turn.ts';
import { createHoldMachineClass } from './hold-machine-class.ts';
import type { SeenMachine } from './machine-reader.ts';
import { placeKey } from './place.ts';
import { seenStatusOf } from './seen-versions.ts';
import { readUserData } from './user-data.ts';
import { applyMachineStatus } from './write-machine-status.ts';
import { given } from '../providers/given.ts';

/** Looks at a Machine that others write between the look and the write. */
const TRIES = 3;

/** What a spec asks of its cloud, and whose account that is. */
interface Resolved {
  readonly parameters: LaunchParameters;
  readonly account: string | undefined;
}

type Frozen =
  | { readonly outcome: 'prepared'; readonly launch: PreparedLaunch }
  | Extract<PrepareAnswer, { outcome: 'missing' }>;

/**
 * Freezes what to launch in the Machine's status. That it may is decided by a look, and the write is of the version that was
 * looked at: where anybody wrote since, another worker of ours as well, it looks again and decides anew.
 */
export function createPrepareLaunch(deps: MachineDeps): Pick<MachineActivities, 'prepareLaunch'> {
  const { kube, apis, reader, launches, clock, slowPlaces } = deps;
  const holdMachineClass = createHoldMachineClass(deps);
  const askForParameters = createAskOn<Resolved>(clock, slowPlaces, { asks: 'specs' });

  return { prepareLaunch: (request) => launches.doing(() => lookAndPrepare(request)) };

  async function lookAndPrepare(request: PrepareLaunch): Promise<PrepareAnswer> {
    for (let left = TRIES; ; left -= 1) {
      const seen = left === TRIES ? await reader.seen(request) : await reader.live(request);
      try {
        return await prepare(request, seen);
      } catch (error) {
        if (!isObjectChanged(error) || left === 1) throw error;
      }
    }
  }

  async function prepare(request: PrepareLaunch, seen: SeenMachine): Promise<PrepareAnswer> {
    const { machine, spec } = seen;
    const { status } = machine;
    if (purposeOf(machine) === 'deletion' || machine.paused) return { outcome: 'changed' };
    if (machine.providerID !== undefined || status.instance !== undefined) return { outcome: 'changed' };
    const stored = status.launch;
    if (stored !== undefined && !makesRoom(stored, request))
      return { outcome: 'prepared', launch: stored, found: true, ...given({ seen: seen.seen }) };

    const early = await lineUp(deps, machine, spec, request.attempt);
    if (early !== undefined) return { outcome: 'failed', failure: early };
    let frozen: Frozen;
    try {
      frozen = await freeze(machine, spec, request.attempt);
    } catch (error) {
      return refused(cloudFailureOf(error), spec);
    }
    if (frozen.outcome === 'missing') return frozen;
    // A call of this attempt that was given up stays so.
    const givenUp = stored?.attempt === request.attempt ? stored.callsGivenUp : undefined;
    const launch = { ...frozen.launch, ...given({ callsGivenUp: givenUp }) };
    const written = await write(seen, { ...request.status, launch });
    return { outcome: 'prepared', launch, found: false, ...given({ seen: written }) };
  }

  /** Writes over the version that was seen, and no other; our finalizer is on it before. */
  async function write({ machine, meta }: SeenMachine, status: MachineStatus): Promise<SeenStatus | undefined> {
    const { ref, hasFinalizer } = machine;
    const { resource, finalizer } = apis.kindOf('machine', ref);
    const { resourceVersion } = meta;
    let over: string | undefined = resourceVersion;
    if (!hasFinalizer) {
      const body = { metadata: { uid: ref.uid, resourceVersion, finalizers: [finalizer] } };
      const options = { fieldManager: MACHINE_FIELD_MANAGER };
      const held = await reader.writing(ref, () => kube.apply(resource, ref.namespace, ref.name, body, options));
      over = held?.metadata.resourceVersion;
    }
    const stored = await reader.writing(ref, () => applyMachineStatus(deps, ref, status, over));
    return stored && seenStatusOf(stored);
  }

  async function freeze(machine: CompletedMachine, spec: MachineSpec, attempt: number): Promise<Frozen> {
    const held = await holdMachineClass(spec);
    if (held !== undefined) return held;
    const { parameters, account, idempotency } = await resolve(machine, spec);
    const secret = await readUserData(deps, machine.ref, parameters.userDataSecret, (text) =>
      inWordsOfItsSource(text, spec),
    );
    if (secret?.outcome === 'missing') return secret;
    const launch: PreparedLaunch = {
      attempt,
      token: tokenOf(machine.ref.uid, attempt),
      preparedAt: timestamp(clock),
      specHash: machine.specHash,
      parameters,
      idempotency,
      ...given({ account, userData: secret?.version }),
    };
    return { outcome: 'prepared', launch };
  }

  async function resolve(
    machine: CompletedMachine,
    { providerSpec }: MachineSpec,
  ): Promise<Resolved & Pick<PreparedLaunch, 'idempotency'>> {
    if (machine.clusterName === '') {
      const { clusterField: field } = deps.apis.kindOf('machine', machine.ref);
      throw new ProviderError('InvalidArgument', 'it names the cluster, and is missing', { field });
    }
    const owner = ownerOf(deps, machine.ref, machine.clusterName);
    const provider = deps.providers.providerFor(providerSpec);
    const { idempotency } = provider;
    // Async, since it may throw at once.
    const accountOf = async () => provider.accountOf?.(provider.credentialsOf({ owner, providerSpec }));
    const question = `${machine.ref.uid} ${machine.specHash}`;
    const { answer } = await askForParameters(placeOfSpec(provider, { owner, providerSpec }), question, async () => {
      const account = accountOf();
      // Waited for below, unless the resolution fails: that one tells all that is wrong with the spec.
      account.catch(() => {});
      const parameters = await provider.resolve({ owner, providerSpec });
      const told = await account;
      if (told === undefined && provider.accountOf !== undefined) {
        const message = 'nobody tells which account the credentials lead to: what is not found there counts as absent';
        deps.log.warn({ object: machine.ref }, message);
      }
      return { parameters, account: told };
    });
    return { ...answer, idempotency };
  }
}

/** Where a spec is resolved. One that does not tell is asked for nowhere: what is wrong with it, its resolution says at once. */
function placeOfSpec(provider: Provider, request: CredentialsRequest): string {
  try {
    return placeKey({ provider, credentials: provider.credentialsOf(request) });
  } catch {
    return provider.name;
  }
}

function refused(failure: CloudFailure, spec: MachineSpec): PrepareAnswer {
  if (failure.retryClass !== 'invalid') return { outcome: 'failed', failure };
  const message = inWordsOfItsSource(failure.message, spec);
  const field = failure.field === undefined ? undefined : inWordsOfItsSource(failure.field, spec);
  const { outsideSpec } = failure;
  return {
    outcome: 'invalid',
    message,
    ...given({ field, outsideSpec }),
  };
}
