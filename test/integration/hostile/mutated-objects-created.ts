import pLimit from 'p-limit';
import { KubeError } from '../../../k8s/kube-error.ts';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import {
  CLUSTERS,
  MACHINE_CLASSES,
  MACHINE_DEPLOYMENTS,
  MACHINE_HEALTH_CHECKS,
  MACHINE_SETS,
  MACHINES,
} from '../../../k8s/dialects/openshift/resources.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { fullSpec } from '../../../providers/aws/spec-for-tests.ts';
import { machineManifest, machineSetManifest, type MachineWish } from '../lifecycle/manifests.ts';
import { getStack } from '../stack.ts';
import { mutate, patchOf, sampleMutations } from './mutated-objects.ts';

/**
 * Objects of each sort in one round: 500 in all. A class and a Cluster each have a healthy Machine that goes by them; a check
 * selects the Machines of a set.
 */
const COUNTS = {
  machine: 150,
  awsMachine: 70,
  machineSet: 60,
  machineDeployment: 40,
  machineHealthCheck: 40,
  machineClass: 35,
  cluster: 35,
} as const;
/** Of those that have a status of more than counts every so manieth has it broken, besides its spec or instead of it. */
const STATUS_EVERY = 3;

export interface Created {
  readonly accepted: number;
  readonly refused: number;
  /** How many statuses were broken, and how many of these changes were refused. */
  readonly statuses: { readonly accepted: number; readonly refused: number };
}

type Mutations = ReturnType<typeof sampleMutations>[number];

/** Creates one round of broken objects, whose simulated instances are of this type. */
export async function createBroken(namespace: string, instanceType: string, seed: number): Promise<Created> {
  const { kube } = getStack();
  const limit = pLimit(16);
  const objects = { accepted: 0, refused: 0 };
  const statuses = { accepted: 0, refused: 0 };
  const isTaken = async (counts: typeof objects, write: Promise<unknown>): Promise<boolean> => {
    try {
      await write;
      counts.accepted += 1;
      return true;
    } catch (error) {
      // Only what the API server itself found wrong with the object counts as refused.
      if (!(error instanceof KubeError) || ![400, 403, 422].includes(error.status)) throw error;
      counts.refused += 1;
      return false;
    }
  };
  const create = (resource: Resource, object: object) => isTaken(objects, kube.create(resource, namespace, object));

  /** By turns under the workflow's hands, and before it does anything else: while the object is paused. */
  const createWithStatus = async (resource: Resource, name: string, object: object, status: Mutations, i: number) => {
    const isPaused = i % 2 === 0;
    const annotations = { [PAUSED_ANNOTATION]: '' };
    if (!(await create(resource, isPaused ? mutate(object, [paused(annotations)]) : object))) return;
    const patch = patchOf(status);
    await isTaken(statuses, kube.mergePatch(resource, namespace, name, patch, { subresource: 'status' }));
    if (isPaused) {
      const unpause = { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } };
      await kube.mergePatch(resource, namespace, name, unpause);
    }
  };

  const machine = (name: string, wish: MachineWish = {}) =>
    machineManifest(namespace, name, { ...wish, providerSpec: { instanceType, ...wish.providerSpec } });
  const set = (name: string) => machineSetManifest(namespace, name, { replicas: 1, providerSpec: { instanceType } });
  const machineStatuses = sampleMutations('machineStatus', COUNTS.machine, seed + 1);
  const setStatuses = sampleMutations('machineSetStatus', COUNTS.machineSet, seed + 1);
  const deploymentStatuses = sampleMutations('machineDeploymentStatus', COUNTS.machineDeployment, seed + 1);
  const checkStatuses = sampleMutations('machineHealthCheckStatus', COUNTS.machineHealthCheck, seed + 1);

  /** Every so manieth with its status broken, of these every other one with a spec that is sound. */
  const both = async (
    resource: Resource,
    name: string,
    sound: object,
    spec: Mutations,
    status: Mutations,
    i: number,
  ) => {
    if (i % STATUS_EVERY !== 0) return create(resource, mutate(sound, spec));
    const object = i % (STATUS_EVERY * 2) === 0 ? sound : mutate(sound, spec);
    return createWithStatus(resource, name, object, status, i / STATUS_EVERY);
  };

  await Promise.all([
    ...sampleMutations('machine', COUNTS.machine, seed).map((mutations, i) => {
      const name = `machine-${i}`;
      return limit(() => both(MACHINES, name, machine(name), mutations, machineStatuses[i] ?? [], i));
    }),
    ...sampleMutations('machineSet', COUNTS.machineSet, seed).map((mutations, i) => {
      const name = `set-${i}`;
      return limit(() => both(MACHINE_SETS, name, set(name), mutations, setStatuses[i] ?? [], i));
    }),
    ...sampleMutations('machineDeployment', COUNTS.machineDeployment, seed).map((mutations, i) => {
      const name = `deployment-${i}`;
      const sound = { ...set(name), kind: MACHINE_DEPLOYMENTS.kind };
      return limit(() => both(MACHINE_DEPLOYMENTS, name, sound, mutations, deploymentStatuses[i] ?? [], i));
    }),
    ...sampleMutations('machineHealthCheck', COUNTS.machineHealthCheck, seed).map((mutations, i) => {
      const name = `check-${i}`;
      const sound = healthCheck(namespace, name, `set-${i}`);
      return limit(() => both(MACHINE_HEALTH_CHECKS, name, sound, mutations, checkStatuses[i] ?? [], i));
    }),
    ...sampleMutations('awsMachine', COUNTS.awsMachine, seed).map((mutations, i) =>
      limit(() => create(MACHINES, mutate(awsMachine(namespace, `aws-${i}`, i), mutations))),
    ),
    ...sampleMutations('machineClass', COUNTS.machineClass, seed).map((mutations, i) =>
      limit(async () => {
        await create(MACHINE_CLASSES, mutate(machineClass(namespace, `class-${i}`, instanceType), mutations));
        const providerSpec = { valueFrom: { machineClass: { name: `class-${i}` } } };
        await create(MACHINES, machineManifest(namespace, `of-class-${i}`, { spec: { providerSpec } }));
      }),
    ),
    ...sampleMutations('cluster', COUNTS.cluster, seed).map((mutations, i) =>
      limit(async () => {
        await create(CLUSTERS, mutate(cluster(namespace, `cluster-${i}`), mutations));
        await create(MACHINES, machine(`of-cluster-${i}`, { labels: { [CLUSTER_LABEL]: `cluster-${i}` } }));
      }),
    ),
  ]);
  return { ...objects, statuses };
}

function paused(annotations: Readonly<Record<string, string>>) {
  return { path: ['metadata', 'annotations'], value: annotations };
}

/** With every field set; every other one without Secrets, so that it is looked up in the cloud. */
function awsMachine(namespace: string, name: string, i: number): object {
  const { userDataSecret, credentialsSecret, ...rest } = fullSpec;
  const providerSpec = i % 2 === 0 ? rest : { ...rest, userDataSecret, credentialsSecret };
  return machineManifest(namespace, name, { spec: { providerSpec: { value: providerSpec } } });
}

/** Of the Machines of this set. */
function healthCheck(namespace: string, name: string, set: string): object {
  const { apiVersion, kind } = MACHINE_HEALTH_CHECKS;
  const spec = {
    selector: { matchLabels: { set } },
    unhealthyConditions: [{ type: 'Ready', status: 'Unknown', timeout: '5m' }],
    unhealthyMachineConditions: [{ type: 'Sound', status: 'False', timeout: '5m' }],
    maxUnhealthy: '50%',
    nodeStartupTimeout: '10m',
    remediation: { steps: [{ action: 'Annotate', key: 'example.com/repair', timeout: '10m' }, { action: 'Replace' }] },
  };
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

function machineClass(namespace: string, name: string, instanceType: string): object {
  const { apiVersion, kind } = MACHINE_CLASSES;
  return { apiVersion, kind, metadata: { name, namespace }, provider: 'simulated', providerSpec: { instanceType } };
}

function cluster(namespace: string, name: string): object {
  const { apiVersion, kind } = CLUSTERS;
  const defaults = { tags: [{ name: 'team', value: 'blue' }] };
  return { apiVersion, kind, metadata: { name, namespace }, spec: { paused: false, defaults } };
}
