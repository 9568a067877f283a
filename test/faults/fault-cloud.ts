import { createSimulatedCloudClassifier } from '../../devstack/fault-proxy/simulated-cloud-classifier.ts';
import type { Classifier } from '../../devstack/fault-proxy/proxied-request.ts';
import { getStack } from '../integration/stack.ts';

/** A cloud as the fault tests use it: where it is, how its requests are told apart, what a machine in it asks for. */
export interface FaultCloud {
  /** Its `GET /ledger` judges. */
  readonly endpoint: string;
  readonly providerSpec: Readonly<Record<string, unknown>>;
  newClassifier(): Classifier;
  /** Environment of a worker that is to find the cloud at this endpoint, e.g. at a proxy before it. */
  workerEnv(endpoint: string): Readonly<Record<string, string>>;
  /** Instances show this late at most: proofs by look-ups have to span more. In seconds. @default 0 */
  readonly lagSeconds?: number;
  /** Puts what the spec refers to into a test's namespace. */
  prepare(namespace: string): Promise<void>;
}

/** The simulated cloud of the shared stack. */
export function simulatedFaultCloud(): FaultCloud {
  return {
    endpoint: getStack().cloud.endpoint,
    providerSpec: {
      apiVersion: 'machine.millwright.dev/v1alpha1',
      kind: 'SimulatedMachineProviderConfig',
      instanceType: 'sim.small',
    },
    newClassifier: createSimulatedCloudClassifier,
    workerEnv: (endpoint) => ({ MILLWRIGHT_SIMULATED_ENDPOINT: endpoint }),
    prepare: async () => {},
  };
}
