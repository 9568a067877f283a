import type { WorkflowClientInterceptor } from '@temporalio/client';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ApiRegistry } from '../../k8s/dialects/registry.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { ReadinessCheck } from '../../process/health.ts';
import type { Clock } from '../../providers/clock.ts';
import { addReadiness } from '../../process/readiness-metric.ts';
import type { MachineFacts } from './machine-facts.ts';
import { addObjectMetrics } from './object-metrics.ts';
import type { ObjectIndex } from './object-index.ts';
import { createTemporalCallMetrics } from './temporal-call-metrics.ts';
import type { Change } from './wake.ts';

export interface WatcherMetricsOptions {
  /** Where they go, beside those of the process. */
  readonly registry: Registry;
  readonly index: ObjectIndex;
  /** Whose objects are in it. */
  readonly apis: ApiRegistry;
  readonly temporalNamespace: string;
  readonly checks: () => readonly ReadinessCheck[];
  /** Whether this watcher is the one that signals. */
  readonly isActive: () => boolean;
  /** Workflows that are to be signalled, or were a moment ago. */
  readonly pendingSignals: () => number;
  readonly clock: Pick<Clock, 'now' | 'timeOfDay'>;
}

/** From a launch of seconds to a machine that was long in trouble. */
const TRANSITION_SECONDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600];

/** Every metric of a watcher. */
export class WatcherMetrics {
  readonly registry: Registry;
  readonly temporalCalls: WorkflowClientInterceptor;
  readonly #isActive: () => boolean;
  readonly #clock: Pick<Clock, 'timeOfDay'>;
  readonly #transitions: Histogram<'phase'>;
  readonly #remediations: Counter<'name' | 'namespace'>;
  readonly #index: ObjectIndex;

  constructor(options: WatcherMetricsOptions) {
    const { registry, index, apis, temporalNamespace, checks, isActive, pendingSignals, clock } = options;
    const registers = [registry];
    this.registry = registry;
    this.#index = index;
    this.#isActive = isActive;
    this.#clock = clock;
    addReadiness(registry, checks);
    addObjectMetrics(registry, index, apis);
    this.temporalCalls = createTemporalCallMetrics(registry, temporalNamespace, clock);
    this.#transitions = new Histogram({
      name: 'mapi_machine_phase_transition_seconds',
      help: 'Seconds from the creation of a Machine until it turned to a phase, as the active watcher sees it.',
      labelNames: ['phase'],
      buckets: TRANSITION_SECONDS,
      registers,
    });
    this.#remediations = new Counter({
      name: 'mapi_machinehealthcheck_remediation_success_total',
      help: 'Machines that a MachineHealthCheck sees to and that were deleted, by it or by others, or rebooted, as the active watcher saw it.',
      labelNames: ['name', 'namespace'],
      registers,
    });
    const active: Gauge = new Gauge({
      name: 'millwright_watcher_active',
      help: '1 where this watcher holds the Lease and signals, else 0.',
      registers,
      collect: () => active.set(isActive() ? 1 : 0),
    });
    const pending: Gauge = new Gauge({
      name: 'millwright_watcher_signal_queue',
      help: 'Workflows that are to be signalled, or were signalled a moment ago.',
      registers,
      collect: () => pending.set(pendingSignals()),
    });
  }

  /** Several watchers see each change: the active one counts it. */
  onMachine(change: Change<MachineFacts>): void {
    this.#countRemediation(change);
    const { before, after } = change;
    const phase = after?.phase;
    if (after === undefined || phase === undefined || phase === before?.phase || !this.#isActive()) return;
    // Seen for the first time after a list: when it turned to its phase is not known.
    if (before === undefined && phase !== 'Provisioning') return;
    const seconds = (this.#clock.timeOfDay() - after.createdAt) / 1000;
    if (Number.isFinite(seconds)) this.#transitions.observe({ phase }, Math.max(0, seconds));
  }

  #countRemediation({ before, after }: Change<MachineFacts>): void {
    if (before === undefined || after === undefined || !this.#isActive()) return;
    const isDeleted = after.isDeleting && !before.isDeleting;
    const isRebooted = after.isRebooted && !before.isRebooted;
    const { remediatedBy: name, ref } = after;
    if (name === undefined || !(isDeleted || isRebooted)) return;
    const { namespace } = ref;
    // Of a check that is gone the claim is left.
    const isThere = this.#checks().some((check) => check.name === name && check.namespace === namespace);
    if (isThere) this.#remediations.inc({ name, namespace });
  }

  #checks(): ObjectRef[] {
    return Array.from(this.#index.ofRole.machineHealthCheck.values(), ({ ref: check }) => check);
  }
}
