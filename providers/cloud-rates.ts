/** The operator's own limits of calls, as text: what `--cloud-rates` takes. */

import type { RateRule } from './rate-limits.ts';

/** Limits by the provider's name. */
export type CloudRates = Readonly<Record<string, readonly RateRule[]>>;

const ENTRY = /^([a-z][a-z0-9+.-]*)(?::([A-Za-z]*\*?))?=(?:(none)|(\d+(?:\.\d+)?)\+(\d+(?:\.\d+)?))$/;

/**
 * Reads `aws:RunInstances=10+4,aws:Describe*=200+40,simulated=none`: for each provider and action (or the beginning of several
 * and `*`; none: all) how many calls at once and how many a second after that, or `none`: as many as there are. Of several that
 * fit an action the first counts.
 *
 * @throws Error that says what is wrong
 */
export function parseCloudRates(text: string): CloudRates {
  const rates: Record<string, RateRule[]> = {};
  for (const entry of text.split(',').map((each) => each.trim())) {
    if (entry === '') continue;
    const [, provider = '', actions = '*', none, burst, perSecond] = ENTRY.exec(entry) ?? [];
    const limit = none === undefined ? { burst: Number(burst), perSecond: Number(perSecond) } : ('none' as const);
    if (provider === '' || actions === '' || (limit !== 'none' && !(limit.burst >= 1 && limit.perSecond > 0))) {
      throw new Error(
        `${JSON.stringify(entry)} has to be <provider>[:<action>]=<calls at once>+<calls a second> or …=none, ` +
          'e.g. aws:RunInstances=10+4',
      );
    }
    (rates[provider] ??= []).push({ actions, limit });
  }
  return rates;
}
