import { asyncLocalStorage } from '@temporalio/activity';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { MeasuredCall } from '../providers/measured-provider.ts';
import type { RateLimits } from '../providers/rate-limited.ts';
import { objectOfWorkflow, type NamedObject } from '../process/object-of-workflow.ts';
import type { ReadinessCheck } from '../process/health.ts';
import { addReadiness } from '../process/readiness-metric.ts';
import { createCloudMetrics } from './cloud-metrics.ts';
import { createGuardMetrics } from './guard-metrics.ts';
import { createRateMetrics } from './rate-metrics.ts';

export interface WorkerMetrics {
  readonly registry: Registry;
  /** Counts a call to a cloud. */
  readonly onCloudCall: (call: MeasuredCall) => void;
  /** Shows how calls fare that are held to these limits. */
  readonly showRates: (limits: RateLimits) => void;
  /** Shows which clouds are not asked because they hang. */
  readonly cloudGuard: ReturnType<typeof createGuardMetrics>;
}

/** Every metric of a worker that is ours; those of the SDK's core come beside them. */
export function createWorkerMetrics(checks: () => readonly ReadinessCheck[]): WorkerMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addReadiness(registry, checks);
  return {
    registry,
    onCloudCall: createCloudMetrics(registry, objectOfActivity),
    showRates: createRateMetrics(registry),
    cloudGuard: createGuardMetrics(registry),
  };
}

/** The object whose workflow the running activity is of. */
function objectOfActivity(): NamedObject | undefined {
  const workflowId = asyncLocalStorage.getStore()?.info.workflowExecution?.workflowId;
  return workflowId === undefined ? undefined : objectOfWorkflow(workflowId);
}
