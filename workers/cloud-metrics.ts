import { Counter, Histogram, type Registry } from 'prom-client';
import type { MeasuredCall } from '../providers/measured-provider.ts';
import type { NamedObject } from '../process/object-of-workflow.ts';

/** A fast read to a call that has run into its time-out. */
const CALL_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * What is counted of the calls to clouds. The names are those of Machine Controller Manager and of the Machine API where
 * they mean the same: a call of the provider interface is what the first calls a driver request.
 *
 * @param concerned the object whose activity makes the call; undefined: it is made for many
 */
export function createCloudMetrics(
  registry: Registry,
  concerned: () => Pick<NamedObject, 'namespace' | 'name'> | undefined,
): (call: MeasuredCall) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'mcm_cloud_api_requests_total',
    help: 'Calls to the cloud, by what they ask for. A look for the instances of a machine is one, though it may take four reads.',
    labelNames: ['provider', 'service'],
    registers,
  });
  const failedRequests = new Counter({
    name: 'mcm_cloud_api_requests_failed_total',
    help: 'Calls to the cloud that were answered with an error, or not at all.',
    labelNames: ['provider', 'service'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'mcm_cloud_api_api_request_duration_seconds',
    help: 'How long calls to the cloud took, failed ones included.',
    labelNames: ['provider', 'service'],
    buckets: CALL_SECONDS,
    registers,
  });
  const driverSeconds = new Histogram({
    name: 'mcm_cloud_api_driver_request_duration_seconds',
    help: 'How long calls of the provider took: those to the cloud, and the resolving of a spec, which reads only what is not cached.',
    labelNames: ['provider', 'operation'],
    buckets: CALL_SECONDS,
    registers,
  });
  const failedDrivers = new Counter({
    name: 'mcm_cloud_api_driver_requests_failed_total',
    help: 'Calls of the provider that failed, by the error code they are classed under.',
    labelNames: ['provider', 'operation', 'error_code'],
    registers,
  });
  const failedCreates = new Counter({
    name: 'mapi_instance_create_failed',
    help: 'Launches that were not answered with an instance, by machine.',
    labelNames: ['name', 'namespace', 'reason'],
    registers,
  });
  const failedDeletes = new Counter({
    name: 'mapi_instance_delete_failed',
    help: 'Terminations that failed, by machine. That the instance is gone already is no failure.',
    labelNames: ['name', 'namespace', 'reason'],
    registers,
  });

  return ({ provider, operation, seconds, errorCode, isNotSent, owner }) => {
    if (isNotSent === true) return;
    driverSeconds.observe({ provider, operation }, seconds);
    if (errorCode !== undefined) failedDrivers.inc({ provider, operation, error_code: errorCode });
    if (operation !== 'resolve') {
      const labels = { provider, service: operation };
      requests.inc(labels);
      requestSeconds.observe(labels, seconds);
      if (errorCode !== undefined) failedRequests.inc(labels);
    }
    const machine = owner ?? concerned();
    if (errorCode === undefined || machine === undefined) return;
    const failure = { name: machine.name, namespace: machine.namespace, reason: errorCode };
    if (operation === 'launch') failedCreates.inc(failure);
    if (operation === 'terminate' && errorCode !== 'NotFound') failedDeletes.inc(failure);
  };
}
