import type { Machine } from '../k8s/model/machine.ts';
import type { Instance, LoadBalancer, LoadBalancing } from '../providers/provider.ts';
import { requireAccount } from './account.ts';
import type { Adoption } from './adoption.ts';
import { createAskOn } from './ask-on.ts';
import { isPlainlyOwn } from './belonging.ts';
import { cloudOf, ownerOf } from './cloud-of.ts';
import type { MachineDeps } from './deps.ts';
import { requireProviderSpec } from './effective-spec.ts';
import { cloudFailureOf } from './failures.ts';
import { shownOrFreeAddresses } from './shown-or-free-addresses.ts';
import { whileHeartbeating } from './heartbeat.ts';
import type { BalanceAnswer, BalanceInstance } from '../workflows/machine/load-balancer-activities.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import { active } from './machine-reader.ts';
import { placeKey, type Place } from './place.ts';

type Port = Pick<MachineActivities, 'attachLoadBalancers' | 'detachLoadBalancers'>;

type Balance = (signal?: AbortSignal) => Promise<BalanceAnswer>;

const NOTHING_TO_DO: BalanceAnswer = { outcome: 'done', loadBalancers: [] };

/** Activities that put instances behind the load balancers of their spec, and take them from there. */
export function createLoadBalancerActivities(deps: MachineDeps, adoption: Adoption): Port {
  const askOn = createAskOn<BalanceAnswer>(deps.clock, deps.slowPlaces);

  return {
    attachLoadBalancers: (request) =>
      balance(request, 'register', (_place, register) => whileHeartbeating(deps.clock, register)),
    detachLoadBalancers: (request) =>
      balance(request, 'deregister', async (place, deregister) => {
        const { answer } = await askOn(placeKey(place), `${request.ref.uid} ${request.id}`, deregister);
        return answer;
      }),
  };

  async function balance(
    request: BalanceInstance,
    how: Exclude<keyof LoadBalancing, 'loadBalancersOf'>,
    run: (place: Place, call: Balance) => Promise<BalanceAnswer>,
  ): Promise<BalanceAnswer> {
    const { machine, spec } = active(await deps.reader.live(request));
    try {
      const place = cloudOf(deps, machine, spec);
      const { provider, credentials } = place;
      const { loadBalancing } = provider;
      if (loadBalancing === undefined) return NOTHING_TO_DO;
      const { launch } = machine.status;
      const owner = ownerOf(deps, machine.ref, machine.clusterName);
      // An instance that came without a launch of ours has its load balancers in the spec alone.
      const loadBalancers: readonly LoadBalancer[] =
        launch === undefined
          ? loadBalancing.loadBalancersOf({ owner, providerSpec: requireProviderSpec(spec) })
          : (launch.parameters.loadBalancers ?? []);
      if (loadBalancers.length === 0) return NOTHING_TO_DO;
      return await run(place, async (signal) => {
        const isOwn = request.isKnownOwn === true;
        const { told = [] } = request;
        const [seen] = isOwn && told.length > 0 ? [] : await provider.describe(credentials, [request.id], signal);
        // On record, and never proved: another's instance stays where it is.
        if (!isOwn && seen !== undefined && !(await isItsByNow(place, machine, seen))) return NOTHING_TO_DO;
        // In another account there is no such load balancer, which is taken for done, or one of somebody else's.
        await requireAccount(deps, place, machine, seen);
        const shown = seen?.addresses ?? [];
        const known = shown.length > 0 ? shown : told;
        // A workflow that took over was never told one, and what the status says may have been edited: nothing is put anywhere by that.
        const addresses =
          how === 'register'
            ? known
            : await shownOrFreeAddresses(deps, machine.ref.uid, known, machine.status.addresses);
        const instance = { id: request.id, addresses };
        await loadBalancing[how](credentials, loadBalancers, instance, signal);
        return { outcome: 'done', loadBalancers: loadBalancers.map(({ name }) => name) };
      });
    } catch (error) {
      return { outcome: 'failed', failure: cloudFailureOf(error) };
    }
  }

  /** Its own; or claimed by it, and shown as that of the Machine before it, under this name. */
  async function isItsByNow(place: Place, machine: Machine, seen: Instance): Promise<boolean> {
    if (isPlainlyOwn(machine, seen)) return true;
    const whose = await adoption.judge(place, machine, seen);
    return whose.outcome === 'own' || (whose.outcome === 'adoptable' && whose.by === 'machineKey');
  }
}
