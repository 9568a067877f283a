import type { Provider } from '../provider.ts';
import { isThere, orDefault, withCommonDefaults } from '../spec-defaults.ts';

/** Where AWSMachineProviderConfig has what a MachineClass and a Cluster fill in: the region is one of its placement. */
export const withAwsDefaults: NonNullable<Provider['withDefaults']> = (spec, defaults) => {
  const filled = withCommonDefaults(spec, defaults);
  const { region } = defaults;
  const placement = isThere(spec['placement']) ? spec['placement'] : {};
  if (region === undefined || typeof placement !== 'object' || placement === null) return filled;
  return {
    ...filled,
    placement: { ...placement, region: orDefault((placement as { region?: unknown }).region, region) },
  };
};
