import { ApplicationFailure } from '@temporalio/common';
import type { Machine } from '../k8s/model/machine.ts';
import { claimOf } from '../k8s/model/claim.ts';
import { delay } from '../providers/clock.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { Instance, InstanceState, Provider } from '../providers/provider.ts';
import { requireAccount } from './account.ts';
import type { Adoption, SortedOut } from './adoption.ts';
import { createAskOn, PATIENCE_MS, endsWithin } from './ask-on.ts';
import { isPlainlyOwn } from './belonging.ts';
import { cloudOf, namedProvider, ownerOf } from './cloud-of.ts';
import type { MachineDeps } from './deps.ts';
import { createDoubtAbsence } from './doubt-absence.ts';
import { cloudFailureOf, isNoInstance, refuseForeign } from './failures.ts';
import { shownOrFreeAddresses } from './shown-or-free-addresses.ts';
import { isGone } from '../workflows/machine/instance-facts.ts';
import type {
  FindInstances,
  InstanceLook,
  LeftoverLook,
  LookAtLeftover,
  TerminateAnswer,
} from '../workflows/machine/instance-activities.ts';
import type { Balanced } from '../workflows/machine/load-balancer-activities.ts';
import type { MachineActivities, MachineTarget } from '../workflows/machine/machine-activities.ts';
import { ACT_MS, active } from './machine-reader.ts';
import { placeKey, type Place } from './place.ts';
import { given } from '../providers/given.ts';

type Port = Pick<MachineActivities, 'findInstances' | 'lookAtInstance' | 'lookAtLeftover' | 'terminateInstance'>;

/** Activities on instances that exist, or may. */
export function createInstanceActivities(deps: MachineDeps, adoption: Adoption): Port {
  const { reader, clock, slowPlaces, describeInstance } = deps;
  const doubtAbsence = createDoubtAbsence(deps);
  const askForInstances = createAskOn<SortedOut>(clock, slowPlaces);
  const askForLook = createAskOn<InstanceLook>(clock, slowPlaces);
  const askForEnd = createAskOn<Exclude<TerminateAnswer, { outcome: 'failed' }>>(clock, slowPlaces);
  const askForLeftover = createAskOn<LeftoverLook>(clock, slowPlaces);

  return {
    async findInstances(request) {
      const { machine, spec } = await reader.live(request);
      try {
        const place = cloudOf(deps, machine, spec, request.parameters);
        const question = JSON.stringify([request.ref.uid, request.token, request.ownOnly]);
        const startedAt = clock.timeOfDay();
        const { answer, agoMs } = await askForInstances(placeKey(place), question, () => find(place, machine, request));
        const lookedAt = agoMs === undefined ? startedAt : clock.timeOfDay() - agoMs;
        const claim = answer.another === undefined ? undefined : await claimOn(request);
        return { outcome: 'answered', ...answer, lookedAt, ...given({ agoMs, claim }) };
      } catch (error) {
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },

    async lookAtInstance(request) {
      const { machine, spec } = await reader.seen(request);
      try {
        const place = cloudOf(deps, machine, spec, request.parameters);
        const malformed = refuseMalformed(deps, place.provider, machine, request.id);
        if (malformed !== undefined) return malformed;
        const question = `${request.ref.uid} ${request.id}`;
        const { answer, agoMs } = await askForLook(placeKey(place), question, () => look(place, machine, request.id));
        if (answer.outcome === 'foreign') return { ...answer, ...given({ claim: await claimOn(request) }) };
        return agoMs === undefined ? answer : { ...answer, agoMs };
      } catch (error) {
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },

    async lookAtLeftover(request) {
      refuseForeign(deps, request);
      const { provider: name, credentials } = request.cloud;
      try {
        const provider = namedProvider(deps, name);
        if (!provider.isInstanceId(request.id)) return { outcome: 'unknown' };
        const place = { provider, credentials };
        const { answer } = await askForLeftover(placeKey(place), request.id, () => followLeftover(place, request));
        return answer;
      } catch (error) {
        if (passes(error)) throw retriedLater(error);
        deps.log.warn({ object: request.ref, instance: request.id, error: String(error) }, 'could not look at it');
        return { outcome: 'unknown' };
      }
    },

    async terminateInstance(request) {
      const { machine, spec } = active(await reader.seen(request, ACT_MS));
      const { ref, id, lookAfterMs, isKnownOwn } = request;
      const startedAt = clock.now();
      try {
        const place = cloudOf(deps, machine, spec, request.parameters);
        const malformed = refuseMalformed(deps, place.provider, machine, id);
        if (malformed !== undefined) return malformed;
        const { answer } = await askForEnd(placeKey(place), `${ref.uid} ${id}`, () =>
          terminate(place, machine, id, isKnownOwn === true),
        );
        if (answer.outcome === 'foreign') return { ...answer, ...given({ claim: await claimOn(request) }) };
        if (answer.outcome !== 'asked' || answer.state === 'terminated') return answer;
        const leftMs = () => startedAt + PATIENCE_MS - clock.now();
        await delay(clock, Math.min(lookAfterMs, leftMs()));
        // The answer that counts is there already, and a look may lag behind it.
        const seen = describeInstance(place, id).catch(() => undefined);
        const shown = (await endsWithin(clock, seen, leftMs())) ? await seen : undefined;
        return { outcome: 'asked', state: shown !== undefined && isGone(shown.state) ? shown.state : answer.state };
      } catch (error) {
        if (isNoInstance(error)) return { outcome: 'unknownInstance' };
        const failure = cloudFailureOf(error);
        if (failure.notSent === true) return { outcome: 'failed', failure };
        deps.log.warn({ object: ref, instance: id, failure }, 'could not ask for its termination');
        return { outcome: 'failed', failure };
      }
    },
  };

  /** What the Machine notes by now of an instance that it claimed: a look need not show the tags yet. */
  async function claimOn(target: MachineTarget): Promise<string | undefined> {
    return claimOf((await reader.live(target)).meta);
  }

  async function followLeftover(place: Place, request: LookAtLeftover): Promise<LeftoverLook> {
    const { ref, id, account, ends, isKnownOwn } = request;
    const instance = await describeInstance(place, id);
    await requireAccount(deps, place, { ref, status: given({ account }) }, instance);
    // The status that named it may have been edited.
    const isOwn = isKnownOwn === true || (instance !== undefined && isPlainlyOwn({ ref, status: {} }, instance));
    if (ends !== true || !isOwn) return lookOf(instance?.state);
    const undetached = request.balanced && (await detachLeftover(place, request, request.balanced, instance));
    const state =
      instance === undefined || isGone(instance.state)
        ? instance?.state
        : await place.provider.terminate(place.credentials, id);
    if (passes(undetached)) throw undetached;
    const isDetached = request.balanced !== undefined && undetached === undefined;
    return { ...lookOf(state), ...given({ isDetached: isDetached || undefined }) };
  }

  /** Answers why it could not be: that keeps no instance running. */
  async function detachLeftover(
    { provider, credentials }: Place,
    { ref, id }: LookAtLeftover,
    { loadBalancers, addresses: told = [] }: Balanced,
    { addresses = [] }: Partial<Instance> = {},
  ): Promise<unknown> {
    try {
      const known = await shownOrFreeAddresses(deps, ref.uid, addresses, told);
      await provider.loadBalancing?.deregister(credentials, loadBalancers, { id, addresses: known });
      return undefined;
    } catch (error) {
      const names = loadBalancers.map(({ name }) => name);
      deps.log.warn(
        { object: ref, instance: id, loadBalancers: names, error: String(error) },
        'could not take it from behind its load balancers',
      );
      return error;
    }
  }

  async function find(place: Place, machine: Machine, request: FindInstances): Promise<SortedOut> {
    const { token, ownOnly } = request;
    const owner = ownerOf(deps, request.ref, request.clusterName);
    const search = { owner, ...given({ token }) };
    const found = await deps.findByMachine(place, search);
    await requireAccount(deps, place, machine, found[0]);
    // While a launch is under way nothing is adopted beside it: what it came to is settled first.
    if (token === undefined && ownOnly !== true) return adoption.sortOut(place, machine, found);
    const own = found.filter(
      (instance) => (token !== undefined && instance.token === token) || isPlainlyOwn(machine, instance),
    );
    return { instances: own };
  }

  async function look(place: Place, machine: Machine, id: string): Promise<InstanceLook> {
    const { provider, credentials } = place;
    const instance = await describeInstance(place, id);
    await requireAccount(deps, place, machine, instance);
    if (instance !== undefined) {
      const { launch, cloud } = machine.status;
      const claimed = await claim(place, machine, instance);
      if (claimed.outcome === 'foreign') return claimed;
      const isFrozen = launch !== undefined || cloud !== undefined;
      return { ...claimed, ...given({ cloud: isFrozen ? undefined : { provider: provider.name, credentials } }) };
    }
    const doubt = await doubtAbsence(place);
    return doubt === undefined ? { outcome: 'absent' } : { outcome: 'untrusted', message: doubt };
  }

  /** Where the workflow did not see the launch that made it, it is proved to be the Machine's right before its end. */
  async function terminate(
    place: Place,
    machine: Machine,
    id: string,
    isKnownOwn: boolean,
  ): Promise<Exclude<TerminateAnswer, { outcome: 'failed' }>> {
    const { provider, credentials } = place;
    if (!isKnownOwn) {
      const instance = await describeInstance(place, id);
      await requireAccount(deps, place, machine, instance);
      if (instance === undefined) return { outcome: 'unknownInstance' };
      const claimed = await claim(place, machine, instance);
      if (claimed.outcome === 'foreign') return claimed;
      if (instance.state === 'terminated') return { outcome: 'asked', state: instance.state };
    }
    try {
      return { outcome: 'asked', state: await provider.terminate(credentials, id) };
    } catch (error) {
      // Another account does not know it either.
      if (isNoInstance(error)) await requireAccount(deps, place, machine, undefined);
      throw error;
    }
  }

  /** The instance, if it is the Machine's, or from now on is. */
  async function claim(
    place: Place,
    machine: Machine,
    instance: Instance,
  ): Promise<Extract<InstanceLook, { outcome: 'found' | 'foreign' }>> {
    if (isPlainlyOwn(machine, instance)) return { outcome: 'found', instance };
    const whose = await adoption.judge(place, machine, instance);
    if (whose.outcome === 'another') return { outcome: 'foreign', message: whose.message };
    if (whose.outcome === 'own' || isGone(instance.state)) return { outcome: 'found', instance };
    return { outcome: 'found', instance: await adoption.adopt(place, machine, instance) };
  }
}

/**
 * What is no id of the cloud shares no call with other Machines' ids: in a filter it might mean them all.
 * @throws ProviderError InvalidArgument where a launch of ours is on record: its instance has another id
 */
function refuseMalformed(
  { apis }: Pick<MachineDeps, 'apis'>,
  provider: Provider,
  machine: Machine,
  id: string,
): Extract<InstanceLook, { outcome: 'foreign' }> | undefined {
  if (provider.isInstanceId(id)) return undefined;
  const { providerIDField } = apis.kindOf('machine', machine.ref);
  const message = `${JSON.stringify(id.slice(0, 100))}, which ${providerIDField} or the status names, is no id of an instance of ${provider.name}`;
  if (machine.status.launch !== undefined) throw new ProviderError('InvalidArgument', message);
  return { outcome: 'foreign', message };
}

/** One absence is no proof. */
function lookOf(state: InstanceState | undefined): Pick<LeftoverLook, 'outcome'> {
  if (state === undefined) return { outcome: 'absent' };
  return { outcome: state === 'terminated' ? 'gone' : 'there' };
}

/** A provider that this worker does not have will not come by waiting. */
function passes(error: unknown): error is ProviderError {
  return (
    error instanceof ProviderError &&
    error.code !== 'FailedPrecondition' &&
    ['soon', 'throttled'].includes(error.retryClass)
  );
}

/** Longer than a local activity waits for its next try without giving its workflow task back. */
const RETRY_BY_TIMER_MS = 6000;

/** Tried again after a timer: until then no workflow task is kept waiting. */
function retriedLater({ code, message, details }: ProviderError): ApplicationFailure {
  const nextRetryDelay = Math.max(details.retryAfterMs ?? 0, RETRY_BY_TIMER_MS);
  return ApplicationFailure.create({ type: code, message, nextRetryDelay });
}
