import { Gauge, type Registry } from 'prom-client';
import type { ReadinessCheck } from './health.ts';

/** Whether a process is ready, check by check: what `/readyz` says, for alerts. */
export function addReadiness(registry: Registry, checks: () => readonly ReadinessCheck[]): void {
  const gauge = new Gauge({
    name: 'millwright_ready',
    help: '1 where this check of /readyz holds, else 0.',
    labelNames: ['check'],
    registers: [registry],
    collect() {
      for (const { name, isOk } of checks()) gauge.set({ check: name }, isOk ? 1 : 0);
    },
  });
}
