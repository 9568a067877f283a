import { APIS } from '../../k8s/dialects/registry.ts';
import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createMachineDeps, type ActivityDeps } from '../../activities/deps.ts';
import { createInstanceActivities } from '../../activities/instances.ts';
import { createLaunchInstance } from '../../activities/launch-instance.ts';
import { createLoadBalancerActivities } from '../../activities/load-balancers.ts';
import { createPrepareLaunch } from '../../activities/prepare-launch.ts';
import { createSurplusActivities } from '../../activities/surplus.ts';
import { tokenOf } from '../../k8s/launch-token.ts';
import { CLUSTER_LABEL, FINALIZER } from '../../k8s/dialects/openshift/labels.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { systemClock } from '../../providers/clock.ts';
import type { Provider } from '../../providers/provider.ts';
import { createProviderRegistry } from '../../providers/registry.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import type { MachineTarget } from '../../workflows/machine/machine-activities.ts';
import { FakeKube } from './fake-kube.ts';
import { ScriptedCloud } from './scripted-cloud.ts';
import { given } from '../../providers/given.ts';

const API = 'machine.openshift.io/v1beta1';
const CLUSTER = 'uid-of-the-cluster';

/** What tells one Machine of a test from the others. */
export interface MachineFacts {
  readonly instanceId?: string;
  readonly deleting?: boolean;
  readonly paused?: boolean;
  readonly phase?: string;
  /** Fields of providerSpec.value. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** Fields of the frozen launch's parameters; absent: it was not launched by us. */
  readonly launched?: Readonly<Record<string, unknown>>;
}

/** The real activities that call the cloud, on Machines and a cloud in memory. */
export function createCloudActivities(wrap: (provider: Provider) => Provider = (provider) => provider) {
  const cloud = new ScriptedCloud();
  const kube = new FakeKube();
  const deps = createMachineDeps({
    kube: kube.client,
    apis: APIS,
    providers: createProviderRegistry([wrap(cloud.provider)]),
    settings: DEFAULT_MACHINE_SETTINGS,
    clusterUid: CLUSTER,
    clusterNames: [],
    events: { record: async () => {} },
    clock: systemClock,
    log: { warn() {}, error() {}, info() {} } as unknown as ActivityDeps['log'],
  });
  const activities = {
    ...createInstanceActivities(deps),
    ...createPrepareLaunch(deps),
    ...createLaunchInstance(deps),
    ...createLoadBalancerActivities(deps),
    ...createSurplusActivities(deps),
  };
  return {
    cloud,
    kube,
    addMachine: (name: string, facts: MachineFacts = {}) => {
      kube.add(machineObject(name, facts));
    },
    /**
     * Runs an activity as a local one, unless it is said to be recorded.
     * @param disturb may cancel it
     */
    run: <T>(
      start: (own: typeof activities) => Promise<T>,
      info: Partial<Info> = {},
      disturb: (environment: MockActivityEnvironment) => void = () => {},
    ): Promise<T> => {
      const asked = { isLocal: true, currentAttemptScheduledTimestampMs: Date.now() };
      const environment = new MockActivityEnvironment({ ...asked, ...info });
      disturb(environment);
      return environment.run(() => start(activities));
    },
  };
}

export function targetOf(name: string): MachineTarget {
  const ref: ObjectRef = { apiVersion: API, kind: 'Machine', namespace: 'ns', name, uid: `uid-Machine-${name}` };
  return { ref, clusterUid: CLUSTER };
}

function machineObject(name: string, { instanceId, deleting, paused, phase, spec, launched }: MachineFacts) {
  const parameters = {
    provider: 'fake',
    credentials: { namespace: 'ns' },
    zone: 'zone-a',
    instanceType: 't',
    request: {},
    ...launched,
  };
  const token = tokenOf(targetOf(name).ref.uid, 1);
  const idempotency = 'token';
  const launch = { attempt: 1, token, preparedAt: '2026-01-01T00:00:00Z', specHash: 'h', parameters, idempotency };
  const providerStatus = {
    ...(instanceId === undefined ? {} : { instanceId, instanceState: 'running' }),
    ...(launched === undefined ? {} : { launch }),
  };
  const metadata = {
    name,
    namespace: 'ns',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { [CLUSTER_LABEL]: 'c' },
    finalizers: [FINALIZER],
    ...(deleting === true ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    ...(paused === true ? { annotations: { 'cluster.x-k8s.io/paused': '' } } : {}),
  };
  return {
    apiVersion: API,
    kind: 'Machine',
    metadata,
    spec: { providerSpec: { value: { kind: 'Fake', ...spec } } },
    status: { providerStatus, ...given({ phase }) },
  };
}
