import { Counter, Gauge, type Registry } from 'prom-client';
import type { CallRate, RateLimits } from '../providers/rate-limited.ts';

const labelNames = ['provider', 'action'];

/**
 * What is shown of the limits that calls are held to; answers how to have more of them shown. Labels are actions of a cloud's
 * API that Millwright calls: about ten.
 */
export function createRateMetrics(registry: Registry): (limits: RateLimits) => void {
  const followed: RateLimits[] = [];
  const registers = [registry];
  const rates = (): readonly CallRate[] => followed.flatMap((limits) => limits.rates());

  const waitingCalls = new Gauge({
    name: 'millwright_cloud_calls_waiting',
    help: 'Calls that wait, for some seconds at most, for their turn under the limits of their account.',
    labelNames,
    registers,
    collect() {
      waitingCalls.reset();
      for (const { provider, action, waiting } of rates()) waitingCalls.set({ provider, action }, waiting);
    },
  });
  const turnedAwayCalls = new Counter({
    name: 'millwright_cloud_calls_turned_away_total',
    help: 'Calls that were not sent, because their turn was too far off: their machines sleep until it comes.',
    labelNames,
    registers,
    collect() {
      turnedAwayCalls.reset();
      for (const { provider, action, turnedAway } of rates()) turnedAwayCalls.inc({ provider, action }, turnedAway);
    },
  });
  const callsPerSecond = new Gauge({
    name: 'millwright_cloud_calls_per_second',
    help: 'Calls a second that this worker lets through by now: of the account and region where these are fewest. Falls where the cloud throttles.',
    labelNames,
    registers,
    collect() {
      callsPerSecond.reset();
      for (const { provider, action, perSecond } of rates()) callsPerSecond.set({ provider, action }, perSecond);
    },
  });
  return (limits) => followed.push(limits);
}
