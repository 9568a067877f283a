import { createSimulatedCloudClassifier } from '../../devstack/doubles/fault-proxy/simulated-cloud-classifier.ts';
import type { Classifier } from '../../devstack/doubles/fault-proxy/proxied-request.ts';
import { getStack } from '../integration/stack.ts';
import { startForgetfulCloud } from './forgetful-cloud.ts';

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

/** How late the cloud without tokens shows an instance, in seconds: a single look before a repeat would miss it. */
const SHOWS_LATE_SECONDS = 4;
const SHOWS_LATE_TYPE = 'sim.shows-late';

/** A fault cloud that somebody has to close. */
export interface OpenFaultCloud extends FaultCloud {
  close(): void;
}

/**
 * The same cloud without tokens, which the worker asks by look-up only, and which shows instances late.
 * @param lookUps false: nor does it find anything by look-up
 */
export async function openLookupOnlyCloud({ lookUps = true } = {}): Promise<OpenFaultCloud> {
  const cloud = simulatedFaultCloud();
  const forgetful = await startForgetfulCloud({ tokens: true, lookUps: !lookUps });
  return {
    ...cloud,
    endpoint: forgetful.url,
    providerSpec: { ...cloud.providerSpec, instanceType: SHOWS_LATE_TYPE },
    workerEnv: (endpoint) => ({ ...cloud.workerEnv(endpoint), MILLWRIGHT_SIMULATED_IDEMPOTENCY: 'lookup' }),
    lagSeconds: SHOWS_LATE_SECONDS,
    prepare: async (namespace) => {
      await cloud.prepare(namespace);
      const body = JSON.stringify({ visibleAfterMs: SHOWS_LATE_SECONDS * 1000 });
      const answer = await fetch(`${cloud.endpoint}/behaviours/${SHOWS_LATE_TYPE}`, { method: 'PUT', body });
      if (!answer.ok) throw new Error(`the simulated cloud does not take its behaviour: ${answer.status}`);
    },
    close: () => forgetful.close(),
  };
}
