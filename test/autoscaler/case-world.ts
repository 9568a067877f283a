import type { MachineDeploymentObject } from '../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import type { KubeClient } from '../../k8s/client.ts';
import {
  AUTOSCALER_MAX_SIZE_ANNOTATION,
  AUTOSCALER_MIN_SIZE_ANNOTATION,
  CLUSTER_LABEL,
} from '../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS, MACHINES, MACHINE_SETS } from '../../k8s/dialects/openshift/resources.ts';
import { unlessGone } from '../../k8s/kube-error.ts';
import { PODS } from '../../k8s/resources.ts';
import { POOL_LABEL } from './stand-in-world.ts';
import { given } from '../../providers/given.ts';

const EVERY_MS = 500;

/** Of a group's machines, where it names no other. */
export const DEFAULT_TYPE = 'sim.small';

export interface GroupWish {
  readonly kind: 'MachineSet' | 'MachineDeployment';
  readonly name: string;
  readonly replicas: number;
  readonly min: number;
  readonly max: number;
  /** Its Nodes are for the pods of this pool. @default its name */
  readonly pool?: string;
  readonly instanceType?: string;
  /** More annotations. */
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Pod {
  readonly spec: { readonly nodeName?: string };
}

/** Where cases are played: one namespace of a stack whose watcher and worker run. */
export class CaseWorld {
  readonly kube: KubeClient;
  readonly namespace: string;
  /** How an instance type of the simulated cloud behaves from now on. */
  readonly behave: (instanceType: string, behaviour: { readonly capacity?: number }) => Promise<void>;
  /** Of the pods. @default the cluster's */
  readonly schedulerName: string | undefined;

  constructor(options: Pick<CaseWorld, 'kube' | 'namespace' | 'behave'> & { readonly schedulerName?: string }) {
    this.kube = options.kube;
    this.namespace = options.namespace;
    this.behave = options.behave;
    this.schedulerName = options.schedulerName;
  }

  async makeGroup({
    kind,
    name,
    replicas,
    min,
    max,
    pool = name,
    instanceType,
    annotations,
  }: GroupWish): Promise<void> {
    const resource = kind === 'MachineSet' ? MACHINE_SETS : MACHINE_DEPLOYMENTS;
    const labels = { group: name };
    const value = {
      apiVersion: 'machine.millwright.dev/v1alpha1',
      kind: 'SimulatedMachineProviderConfig',
      instanceType: instanceType ?? DEFAULT_TYPE,
    };
    await this.kube.create(resource, this.namespace, {
      apiVersion: resource.apiVersion,
      kind: resource.kind,
      metadata: {
        name,
        namespace: this.namespace,
        annotations: {
          [AUTOSCALER_MIN_SIZE_ANNOTATION]: String(min),
          [AUTOSCALER_MAX_SIZE_ANNOTATION]: String(max),
          ...annotations,
        },
      },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels: { [CLUSTER_LABEL]: this.namespace, ...labels } },
          spec: { metadata: { labels: { [POOL_LABEL]: pool } }, providerSpec: { value } },
        },
      },
    });
  }

  /** Has the machines of a deployment replaced by those of another type. */
  async changeType({ name }: Pick<GroupWish, 'name'>, instanceType: string): Promise<void> {
    const template = { spec: { providerSpec: { value: { instanceType } } } };
    await this.kube.mergePatch(MACHINE_DEPLOYMENTS, this.namespace, name, { spec: { template } });
  }

  async replicasOf({ kind, name }: Pick<GroupWish, 'kind' | 'name'>): Promise<number> {
    const resource = kind === 'MachineSet' ? MACHINE_SETS : MACHINE_DEPLOYMENTS;
    const { spec } = await this.kube.get<MachineSetObject | MachineDeploymentObject>(resource, this.namespace, name);
    return spec.replicas;
  }

  /** Of a group, those included that are being deleted. */
  async machinesOf(group: string): Promise<readonly MachineObject[]> {
    const { items } = await this.kube.list<MachineObject>(MACHINES, { namespace: this.namespace });
    return items.filter(({ metadata }) => metadata.labels?.['group'] === group);
  }

  /** Pods of which one fills a Node of the pool. */
  async runPods(pool: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.kube.create(PODS, this.namespace, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } },
        spec: {
          ...given({ schedulerName: this.schedulerName }),
          nodeSelector: { [POOL_LABEL]: pool },
          terminationGracePeriodSeconds: 1,
          automountServiceAccountToken: false,
          containers: [{ name: 'main', image: 'none', resources: { requests: { cpu: '2500m' } } }],
        },
      });
    }
  }

  async endPod(name: string): Promise<void> {
    await unlessGone(this.kube.delete(PODS, this.namespace, name));
  }

  /** Name of the Node that the pod is on; undefined: none yet. */
  async nodeOfPod(name: string): Promise<string | undefined> {
    return (await this.kube.get<Pod>(PODS, this.namespace, name)).spec.nodeName;
  }

  /** Looks for so long whether it stays so. @throws Error that says what was seen instead */
  async stays<T>(what: string, forMs: number, look: () => Promise<T>, isIt: (seen: T) => boolean): Promise<void> {
    const end = Date.now() + forMs;
    while (Date.now() < end) {
      const seen = await look();
      if (!isIt(seen)) throw new Error(`it is not so any more that ${what}: ${JSON.stringify(seen)}`);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  /** Looks until it is so. @throws Error that says what was seen last */
  async until<T>(what: string, withinMs: number, look: () => Promise<T>, isIt: (seen: T) => boolean): Promise<T> {
    const end = Date.now() + withinMs;
    for (;;) {
      const seen = await look();
      if (isIt(seen)) return seen;
      if (Date.now() > end)
        throw new Error(`not within ${withinMs / 1000} s: ${what}; last seen: ${JSON.stringify(seen)}`);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }
}
