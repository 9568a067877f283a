import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Machine } from '../k8s/model/machine.ts';
import { ProviderError, type Instance, type Provider } from '../providers/provider.ts';
import { requireAccount } from './account.ts';
import { createAdoption, type Place } from './adoption.ts';
import { isLaunchedHere, isPlainlyOwn } from './belonging.ts';
import { cloudOf, namedProvider, ownerOf } from './cloud-of.ts';
import type { ActivityDeps } from './deps.ts';
import { createDescribeInstance, withinMs } from './describe-instance.ts';
import { createDoubtAbsence } from './doubt-absence.ts';
import { cloudFailureOf, refuseForeign } from './failures.ts';
import { findByMachine } from './find-by-machine.ts';
import { whileHeartbeating } from './heartbeat.ts';
import { isGone } from '../workflows/machine/instance-facts.ts';
import type { InstanceLook, MachineActivities } from '../workflows/machine/machine-activities.ts';
import { requireLooked, requireLookedActive, requireMachine } from './machines.ts';

type Port = Pick<MachineActivities, 'findInstances' | 'lookAtInstance' | 'lookAtLeftover' | 'terminateInstance'>;

/** How old a look may be by which an instance is ended, in milliseconds: a pause that was set meanwhile counts. */
const TERMINATION_LOOK_MS = 1000;
/** How long a call may keep a workflow task waiting, in milliseconds. */
const SHORT_CALL_MS = 4000;

/** Activities on instances that exist, or may. */
export function createInstanceActivities(deps: ActivityDeps): Port {
  const describeInstance = createDescribeInstance();
  const doubtAbsence = createDoubtAbsence(deps);
  const adoption = createAdoption(deps);

  return {
    async findInstances(request) {
      const { machine, spec } = await requireMachine(deps, request);
      try {
        const place = cloudOf(deps, machine, spec, request.parameters);
        const owner = ownerOf(deps, request.ref, request.machineCluster);
        const { token } = request;
        const search = { owner, ...(token === undefined ? {} : { token }) };
        const lookedAt = Date.now();
        const found = await findByMachine(place.provider, place.credentials, search);
        await requireAccount(deps, place, machine, found[0]);
        // While a launch is under way nothing is adopted beside it: what it came to is settled first.
        if (token !== undefined || request.ownOnly === true) {
          const own = found.filter(
            (instance) => (token !== undefined && instance.token === token) || isPlainlyOwn(machine, instance),
          );
          return { outcome: 'answered', instances: own, lookedAt };
        }
        return { outcome: 'answered', ...(await adoption.sortOut(place, machine, found)), lookedAt };
      } catch (error) {
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },

    async lookAtInstance(request) {
      const { machine, spec } = await requireLooked(deps, request);
      try {
        const { provider, credentials } = cloudOf(deps, machine, spec, request.parameters);
        const malformed = refuseMalformed(provider, machine, request.id);
        if (malformed !== undefined) return malformed;
        const instance = await describeInstance(provider, credentials, request.id);
        await requireAccount(deps, { provider, credentials }, machine, instance);
        if (instance !== undefined) {
          const { launch, cloud } = machine.status;
          const claimed = await claim({ provider, credentials }, machine, instance);
          if (claimed.outcome === 'foreign') return claimed;
          const isFrozen = launch !== undefined || cloud !== undefined;
          return { ...claimed, ...(isFrozen ? {} : { cloud: { provider: provider.name, credentials } }) };
        }
        const doubt = await doubtAbsence(provider, credentials);
        return doubt === undefined ? { outcome: 'absent' } : { outcome: 'untrusted', message: doubt };
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
        const instance = await describeInstance(provider, credentials, request.id);
        // Absence is no proof.
        if (instance === undefined) return { outcome: 'unknown' };
        return { outcome: instance.state === 'terminated' ? 'gone' : 'there' };
      } catch (error) {
        const passes = error instanceof ProviderError && ['soon', 'throttled'].includes(error.retryClass);
        if (passes) throw error;
        deps.log.warn({ object: request.ref, instance: request.id, error: String(error) }, 'could not look at it');
        return { outcome: 'unknown' };
      }
    },

    async terminateInstance(request) {
      const { machine, spec } = await requireLookedActive(deps, request, TERMINATION_LOOK_MS);
      const { isLocal } = Context.current().info;
      try {
        const { provider, credentials } = cloudOf(deps, machine, spec, request.parameters);
        const malformed = refuseMalformed(provider, machine, request.id);
        if (malformed !== undefined) return malformed;
        if (!isLaunchedHere(machine, request.id)) {
          const instance = await describeInstance(provider, credentials, request.id);
          await requireAccount(deps, { provider, credentials }, machine, instance);
          if (instance === undefined) return { outcome: 'unknownInstance' };
          const claimed = await claim({ provider, credentials }, machine, instance);
          if (claimed.outcome === 'foreign') return claimed;
          if (instance.state === 'terminated') return { outcome: 'asked', state: instance.state };
        }
        const state = await whileHeartbeating((signal) =>
          isLocal
            ? withinMs(SHORT_CALL_MS, signal, (limited) => provider.terminate(credentials, request.id, limited))
            : provider.terminate(credentials, request.id, signal),
        ).catch(async (error: unknown) => {
          // Another account does not know it either.
          if (isNotFound(error)) await requireAccount(deps, { provider, credentials }, machine, undefined);
          throw error;
        });
        const { id, lookAfterMs } = request;
        if (lookAfterMs === undefined || state === 'terminated') return { outcome: 'asked', state };
        await delay(lookAfterMs);
        // The answer that counts is there already, and a look may lag behind it.
        const look = withinMs(SHORT_CALL_MS, new AbortController().signal, () =>
          describeInstance(provider, credentials, id),
        );
        const seen = await look.catch(() => undefined);
        return { outcome: 'asked', state: seen !== undefined && isGone(seen.state) ? seen.state : state };
      } catch (error) {
        if (isNotFound(error)) return { outcome: 'unknownInstance' };
        const failure = cloudFailureOf(error);
        if (failure.notSent === true) return { outcome: 'failed', failure };
        deps.log.warn({ object: request.ref, instance: request.id, failure }, 'could not ask for its termination');
        return { outcome: 'failed', failure };
      }
    },
  };

  /** The instance, if it is the Machine's, or from now on is. */
  async function claim(
    place: Place,
    machine: Machine,
    instance: Instance,
  ): Promise<Extract<InstanceLook, { outcome: 'found' | 'foreign' }>> {
    if (isPlainlyOwn(machine, instance)) return { outcome: 'found', instance };
    const whose = await adoption.judge(place, machine, instance);
    // What our own launch came to needs no tags, unless these name another Machine.
    if (isLaunchedHere(machine, instance.id) && !(whose.outcome === 'another' && whose.owner !== undefined)) {
      return { outcome: 'found', instance };
    }
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
  provider: Provider,
  machine: Machine,
  id: string,
): Extract<InstanceLook, { outcome: 'foreign' }> | undefined {
  if (provider.isInstanceId(id)) return undefined;
  const message = `${JSON.stringify(id.slice(0, 100))}, which spec.providerID or the status names, is no id of an instance of ${provider.name}`;
  if (machine.status.launch !== undefined) throw new ProviderError('InvalidArgument', message);
  return { outcome: 'foreign', message };
}

function isNotFound(error: unknown): boolean {
  return error instanceof ProviderError && error.code === 'NotFound';
}
