import type { Provider } from '../provider.ts';
import { isBlank, isThere, withCommonDefaults } from '../spec-defaults.ts';
import { regionOfZone } from './provider-id.ts';

/**
 * Where AWSMachineProviderConfig has what a MachineClass and a Cluster fill in: the region is one of its placement. A zone
 * says its region, so that none is filled in beside it: it could be another one.
 */
export const withAwsDefaults: NonNullable<Provider['withDefaults']> = (spec, defaults) => {
  const filled = withCommonDefaults(spec, defaults);
  const { region } = defaults;
  const placement = isThere(spec['placement']) ? spec['placement'] : {};
  if (region === undefined || typeof placement !== 'object' || placement === null || Array.isArray(placement)) {
    return filled;
  }
  const own = placement as { readonly region?: unknown; readonly availabilityZone?: unknown };
  if (!isBlank(own.region) || saysRegion(own.availabilityZone)) return filled;
  return { ...filled, placement: { ...placement, region } };
};

function saysRegion(zone: unknown): boolean {
  return typeof zone === 'string' && regionOfZone(zone) !== undefined;
}
