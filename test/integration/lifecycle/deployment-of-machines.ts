import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { KubeClient } from '../../../k8s/client.ts';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { OwnerReference } from '../../../k8s/object-meta.ts';
import type { LedgerInstance } from '../../../devstack/doubles/cloud/ledger.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { providerSpecOf } from './manifests.ts';
import { given } from '../../../providers/given.ts';

const VERSION = 'example.com/version';

export interface DeploymentWish {
  readonly replicas: number;
  /** The label `pool` of what it selects and makes. @default its name */
  readonly pool?: string;
  /** Of rollingUpdate. @default as the API server has it */
  readonly rollingUpdate?: object;
  /** Beside or instead of what the simulated provider is asked by default. */
  readonly providerSpec?: Readonly<Record<string, unknown>>;
  /** Of the template's spec, beside providerSpec. */
  readonly template?: object;
  /** Of the deployment's spec. */
  readonly spec?: object;
}

export interface SetWish extends Pick<DeploymentWish, 'replicas' | 'providerSpec' | 'template'> {
  /** Whose it is. @default nobody's */
  readonly owner?: OwnerReference;
}

/** A MachineDeployment of a test, and what belongs to it: whatever has the label `pool` with its name. */
export class DeploymentOfMachines {
  readonly name: string;
  readonly #namespace: string;
  readonly #kube: KubeClient;

  /** @param kube of the shared stack by default */
  constructor(namespace: string, name: string, kube = getStack().kube) {
    this.#namespace = namespace;
    this.name = name;
    this.#kube = kube;
  }

  async create({ replicas, pool = this.name, rollingUpdate, spec, ...made }: DeploymentWish): Promise<void> {
    const { apiVersion, kind } = MACHINE_DEPLOYMENTS;
    await this.#kube.create(MACHINE_DEPLOYMENTS, this.#namespace, {
      apiVersion,
      kind,
      metadata: { name: this.name, namespace: this.#namespace },
      spec: {
        replicas,
        selector: { matchLabels: { pool } },
        template: this.#templateOf(pool, made),
        ...given({ strategy: rollingUpdate && { type: 'RollingUpdate', rollingUpdate } }),
        ...spec,
      },
    });
  }

  /** A MachineSet that selects the same machines, as somebody made it who knows of no deployment. */
  createSet(name: string, { replicas, owner, ...made }: SetWish): Promise<MachineSetObject> {
    const { apiVersion, kind } = MACHINE_SETS;
    return this.#kube.create<MachineSetObject>(MACHINE_SETS, this.#namespace, {
      apiVersion,
      kind,
      metadata: {
        name,
        namespace: this.#namespace,
        labels: { pool: this.name },
        ...given({ ownerReferences: owner && [owner] }),
      },
      spec: { replicas, selector: { matchLabels: { pool: this.name } }, template: this.#templateOf(this.name, made) },
    });
  }

  change(spec: object): Promise<unknown> {
    return this.#kube.mergePatch(MACHINE_DEPLOYMENTS, this.#namespace, this.name, { spec });
  }

  /** Changes the template: its machines tell which one they are of ({@link versions}). */
  release(version: string): Promise<unknown> {
    return this.change({ template: { metadata: { annotations: { [VERSION]: version } } } });
  }

  /** Another field of the provider's part of the template, which rolls as well. */
  ask(providerSpec: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.change({ template: { spec: { providerSpec: { value: providerSpec } } } });
  }

  read(): Promise<MachineDeploymentObject> {
    return this.#kube.get<MachineDeploymentObject>(MACHINE_DEPLOYMENTS, this.#namespace, this.name);
  }

  delete(): Promise<unknown> {
    return this.#kube.delete(MACHINE_DEPLOYMENTS, this.#namespace, this.name);
  }

  /** Waits until its status answers to its newest spec and is as wanted. */
  until(
    what: string,
    isIt: (seen: MachineDeploymentObject) => boolean,
    timeoutMs = 120_000,
  ): Promise<MachineDeploymentObject> {
    return until(
      `${this.name}: ${what}`,
      () => this.read(),
      (seen) => seen.status?.observedGeneration === seen.metadata.generation && isIt(seen),
      { timeoutMs },
    );
  }

  untilProgressing(reason: string, timeoutMs?: number): Promise<MachineDeploymentObject> {
    return this.until(reason, (seen) => progressOf(seen)?.reason === reason, timeoutMs);
  }

  untilRolledOut(revision: number, timeoutMs?: number): Promise<MachineDeploymentObject> {
    return this.until(
      `revision ${revision} is rolled out`,
      (seen) => progressOf(seen)?.reason === 'NewReplicaSetAvailable' && seen.status?.revision === revision,
      timeoutMs,
    );
  }

  async machines(): Promise<MachineObject[]> {
    return (await this.#kube.list<MachineObject>(MACHINES, this.#own)).items;
  }

  async sets(): Promise<MachineSetObject[]> {
    return (await this.#kube.list<MachineSetObject>(MACHINE_SETS, this.#own)).items;
  }

  /** Which template each of its machines is of, in order: as it was released, or `first`. */
  async versions(): Promise<string[]> {
    return (await this.machines()).map(({ metadata }) => metadata.annotations?.[VERSION] ?? 'first').sort();
  }

  async uids(): Promise<string[]> {
    return (await this.machines()).map(({ metadata }) => metadata.uid).sort();
  }

  #templateOf(pool: string, { providerSpec, template }: Pick<DeploymentWish, 'providerSpec' | 'template'>): object {
    const labels = { [CLUSTER_LABEL]: this.#namespace, pool };
    return { metadata: { labels }, spec: { providerSpec: providerSpecOf(providerSpec), ...template } };
  }

  get #own() {
    return { namespace: this.#namespace, labelSelector: `pool=${this.name}` };
  }
}

export function progressOf({ status }: MachineDeploymentObject) {
  return status?.conditions?.find(({ type }) => type === 'Progressing');
}

/** Its Node is Ready, and nobody asked it to end. */
export function isServing({ metadata, status }: MachineObject): boolean {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'NodeReady' && is === 'True') === true;
  return isReady && metadata.deletionTimestamp === undefined;
}

/** The most of these instances that lived at one time, by the cloud's own record. */
export function mostAtOnce(instances: readonly LedgerInstance[]): number {
  const changes = instances
    .flatMap(({ createdAt, endedAt }) => [
      { at: Date.parse(createdAt), by: 1 },
      ...(endedAt === null ? [] : [{ at: Date.parse(endedAt), by: -1 }]),
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let [living, most] = [0, 0];
  for (const { by } of changes) {
    living += by;
    most = Math.max(most, living);
  }
  return most;
}
