import type { LoadBalancer, LoadBalancing } from '../providers/provider.ts';
import { isLaunchedHere, isPlainlyOwn } from './belonging.ts';
import { cloudOf, ownerOf } from './cloud-of.ts';
import type { MachineDeps } from './deps.ts';
import { requireProviderSpec } from './effective-spec.ts';
import { cloudFailureOf } from './failures.ts';
import { whileHeartbeating } from './heartbeat.ts';
import type { BalanceAnswer, BalanceInstance, MachineActivities } from '../workflows/machine/machine-activities.ts';
import { active } from './machine-reader.ts';

type Port = Pick<MachineActivities, 'attachLoadBalancers' | 'detachLoadBalancers'>;

/** Activities that put instances behind the load balancers of their spec, and take them from there. */
export function createLoadBalancerActivities(deps: MachineDeps): Port {
  return {
    attachLoadBalancers: (request) => balance(request, 'register'),
    detachLoadBalancers: (request) => balance(request, 'deregister'),
  };

  async function balance(
    request: BalanceInstance,
    how: Exclude<keyof LoadBalancing, 'loadBalancersOf'>,
  ): Promise<BalanceAnswer> {
    const { machine, spec } = active(await deps.reader.live(request));
    try {
      const { provider, credentials } = cloudOf(deps, machine, spec);
      const { loadBalancing } = provider;
      if (loadBalancing === undefined) return { outcome: 'done', loadBalancers: [] };
      const { launch } = machine.status;
      const owner = ownerOf(deps, machine.ref, machine.cluster);
      // An instance that came without a launch of ours has its load balancers in the spec alone.
      const loadBalancers: readonly LoadBalancer[] =
        launch === undefined
          ? loadBalancing.loadBalancersOf({ owner, providerSpec: requireProviderSpec(spec) })
          : (launch.parameters.loadBalancers ?? []);
      if (loadBalancers.length === 0) return { outcome: 'done', loadBalancers: [] };
      if (!isLaunchedHere(machine, request.id)) {
        // On record, and never proved: another's instance stays where it is.
        const [seen] = await provider.describe(credentials, [request.id]);
        if (seen !== undefined && !isPlainlyOwn(machine, seen)) return { outcome: 'done', loadBalancers: [] };
      }
      const instance = { id: request.id, addresses: machine.status.addresses };
      await whileHeartbeating(deps.clock, (signal) => loadBalancing[how](credentials, loadBalancers, instance, signal));
      return { outcome: 'done', loadBalancers: loadBalancers.map(({ name }) => name) };
    } catch (error) {
      return { outcome: 'failed', failure: cloudFailureOf(error) };
    }
  }
}
