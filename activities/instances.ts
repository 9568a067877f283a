import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import DataLoader from 'dataloader';
import type { Machine, MachineSpec } from '../k8s/model/machine.ts';
import {
  credentialsKey,
  ProviderError,
  type Credentials,
  type Instance,
  type Provider,
} from '../providers/provider.ts';
import { createFindClaimant } from './claims.ts';
import { cloudOf, namedProvider, ownerOf } from './cloud-of.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps } from './deps.ts';
import { cloudFailureOf, refuseForeign } from './failures.ts';
import { whileHeartbeating } from './heartbeat.ts';
import { isGone } from '../workflows/machine/instance-facts.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import { requireLooked, requireLookedActive, requireMachine } from './machines.ts';
import { listMachines } from './read-machines.ts';

type Port = Pick<MachineActivities, 'findInstances' | 'lookAtInstance' | 'lookAtLeftover' | 'terminateInstance'>;

/** How long a look at an instance waits for others to share one call with, in milliseconds. */
const GATHER_MS = 200;
/**
 * Between two such calls with the same credentials, in milliseconds: while many machines come up or go down, each call
 * answers for all that asked meanwhile.
 */
const LOOKS_APART_MS = 1000;
/** How old a look may be by which an instance is ended, in milliseconds: a pause that was set meanwhile counts. */
const TERMINATION_LOOK_MS = 1000;
/** How long a call may keep a workflow task waiting, in milliseconds. */
const SHORT_CALL_MS = 4000;
/** Fewer absent instances than this are judged one by one. */
const FEWEST_FOR_DOUBT = 2;

/** Activities on instances that exist, or may. */
export function createInstanceActivities(deps: ActivityDeps): Port {
  const describers = new Map<string, DataLoader<string, Instance | undefined>>();
  const absences = new Map<string, (key: string) => Promise<string | undefined>>();
  const findClaimant = createFindClaimant(deps);

  return {
    async findInstances(request) {
      const { machine, spec } = await requireMachine(deps, request);
      try {
        const { provider, credentials } = cloudOf(deps, machine, spec, request.parameters);
        const owner = ownerOf(request.ref, request.machineCluster);
        const found = await provider.findByMachine(credentials, owner, request.token);
        return { outcome: 'answered', instances: await ownOf(machine, found, request.token) };
      } catch (error) {
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },

    async lookAtInstance(request) {
      const { machine, spec } = await requireLooked(deps, request);
      try {
        const { provider, credentials } = cloudOf(deps, machine, spec, request.parameters);
        const instance = await describerOf(provider, credentials).load(request.id);
        if (instance !== undefined) {
          const { launch, instance: recorded, cloud } = machine.status;
          const isLaunched = launch !== undefined && recorded !== undefined;
          const claimant = isLaunched ? undefined : await findClaimant(machine, instance);
          if (claimant !== undefined) return { outcome: 'foreign', message: claimant };
          const isFrozen = launch !== undefined || cloud !== undefined;
          return {
            outcome: 'found',
            instance,
            ...(isFrozen ? {} : { cloud: { provider: provider.name, credentials } }),
          };
        }
        const doubt = await doubtAbsence(provider, credentials, machine.cluster);
        return doubt === undefined ? { outcome: 'absent' } : { outcome: 'untrusted', message: doubt };
      } catch (error) {
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },

    async lookAtLeftover(request) {
      refuseForeign(deps, request);
      const { provider: name, credentials } = request.cloud;
      try {
        const instance = await describerOf(namedProvider(deps, name), credentials).load(request.id);
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
        const state = await whileHeartbeating((signal) =>
          isLocal
            ? withinMs(SHORT_CALL_MS, signal, (limited) => provider.terminate(credentials, request.id, limited))
            : provider.terminate(credentials, request.id, signal),
        );
        const { id, lookAfterMs } = request;
        if (lookAfterMs === undefined || state === 'terminated') return { outcome: 'asked', state };
        await delay(lookAfterMs);
        // The answer that counts is there already, and a look may lag behind it.
        const look = withinMs(SHORT_CALL_MS, new AbortController().signal, () =>
          describerOf(provider, credentials).load(id),
        );
        const seen = await look.catch(() => undefined);
        return { outcome: 'asked', state: seen !== undefined && isGone(seen.state) ? seen.state : state };
      } catch (error) {
        if (error instanceof ProviderError && error.code === 'NotFound') return { outcome: 'unknownInstance' };
        const failure = cloudFailureOf(error);
        if (failure.notSent === true) return { outcome: 'failed', failure };
        deps.log.warn({ object: request.ref, instance: request.id, failure }, 'could not ask for its termination');
        return { outcome: 'failed', failure };
      }
    },
  };

  /**
   * The instances that are this Machine's: launched for it, or, where nothing of ours was launched, of its name, without
   * an owner, and nobody else's.
   */
  async function ownOf(
    machine: Machine,
    found: readonly Instance[],
    token: string | undefined,
  ): Promise<readonly Instance[]> {
    const launched = found.filter(
      (i) => i.machineUid === machine.ref.uid || (token !== undefined && i.token === token),
    );
    if (launched.length > 0 || token !== undefined) return launched;
    const claimants = await Promise.all(found.map((instance) => findClaimant(machine, instance)));
    return found.filter((instance, index) => instance.machineUid === undefined && claimants[index] === undefined);
  }

  /** Machines that look at the same time share one call per credentials; a lone one waits as long as it takes to gather. */
  function describerOf(provider: Provider, credentials: Credentials): DataLoader<string, Instance | undefined> {
    const key = `${provider.name} ${credentialsKey(credentials)}`;
    const known = describers.get(key);
    if (known !== undefined) return known;
    let lastCallAt = 0;
    const loader = new DataLoader<string, Instance | undefined>(
      async (ids) => {
        lastCallAt = Date.now();
        const instances = await provider.describe(credentials, ids);
        const byId = new Map(instances.map((i) => [i.id, i]));
        return ids.map((id) => byId.get(id));
      },
      {
        cache: false,
        maxBatchSize: provider.describeBatchSize,
        batchScheduleFn: (run) => {
          setTimeout(run, Math.max(GATHER_MS, lastCallAt + LOOKS_APART_MS - Date.now()));
        },
      },
    );
    describers.set(key, loader);
    return loader;
  }

  /** When more than half of what these credentials should show is absent, it is the view that is wrong. */
  function doubtAbsence(provider: Provider, credentials: Credentials, cluster: string): Promise<string | undefined> {
    const key = `${provider.name} ${credentialsKey(credentials)} ${cluster}`;
    const known = absences.get(key);
    if (known !== undefined) return known(key);
    const ask = coalesce(() => compareWithMachines(provider, credentials, cluster), GATHER_MS);
    absences.set(key, ask);
    return ask(key);
  }

  async function compareWithMachines(
    provider: Provider,
    credentials: Credentials,
    cluster: string,
  ): Promise<string | undefined> {
    const expected = await instancesOnRecord(deps, provider, credentials, cluster);
    const shown = new Set((await provider.list(credentials, cluster)).map((i) => i.id));
    const absent = expected.filter((id) => !shown.has(id)).length;
    if (absent < FEWEST_FOR_DOUBT || absent * 2 <= expected.length) return undefined;
    return `${absent} of ${expected.length} instances of these credentials are absent at once: that is taken for a wrong view of the cloud, and nobody acts on it`;
  }
}

/** Ids of the instances that Machines of this cluster have with these credentials, terminated ones left out. */
export async function instancesOnRecord(
  deps: ActivityDeps,
  provider: Provider,
  credentials: Credentials,
  cluster: string,
): Promise<string[]> {
  return (await listMachines(deps)).flatMap(({ machine, spec }) => {
    const { instance } = machine.status;
    if (instance === undefined || instance.state === 'terminated' || machine.cluster !== cluster) return [];
    return isServedBy(deps, provider, credentials, machine, spec) ? [instance.id] : [];
  });
}

function isServedBy(
  deps: ActivityDeps,
  provider: Provider,
  credentials: Credentials,
  machine: Machine,
  spec: MachineSpec,
): boolean {
  try {
    const own = cloudOf(deps, machine, spec);
    return own.provider === provider && credentialsKey(own.credentials) === credentialsKey(credentials);
  } catch {
    // A spec that names no provider that is known has no part in this listing.
    return false;
  }
}

/** Ends a call to the cloud, and the wait for it, after some milliseconds. */
async function withinMs<T>(ms: number, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = AbortSignal.timeout(ms);
  const late = new Promise<never>((_resolve, reject) => {
    limit.addEventListener('abort', () => {
      reject(new ProviderError('DeadlineExceeded', `the cloud did not answer within ${ms / 1000} s`));
    });
  });
  return Promise.race([call(AbortSignal.any([signal, limit])), late]);
}
