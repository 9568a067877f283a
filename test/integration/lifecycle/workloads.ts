import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { KubeClient } from '../../../k8s/client.ts';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { DEPLOYMENTS, DISRUPTION_BUDGETS, PODS } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { given } from '../../../providers/given.ts';
import { isServing, type MaybeReady } from './ready-record.ts';

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const EVERYTHING = [{ operator: 'Exists' }];
/** Keeps a pod that is asked to end. */
const ENDING = 'example.com/ending';

interface PodRun {
  /** What of its Node it stays in spite of. @default everything */
  readonly tolerations?: readonly object[];
  /** It has a grace period of 10 s, and is there until `letEnd`: the stack's kubelets end pods at once. @default false */
  readonly endsWhenLet?: boolean;
}

export interface WorkloadsWhere {
  /** @default the administrator's of the shared stack */
  readonly kube?: KubeClient;
  /** Who binds the pods of Deployments. @default the scheduler that has the namespace's name */
  readonly schedulerName?: string;
}

/** What runs on the Nodes of machines, and its budgets: in one namespace. */
export class Workloads {
  readonly #namespace: string;
  readonly #kube: KubeClient;
  readonly #schedulerName: string;

  constructor(namespace: string, { kube = getStack().kube, schedulerName = namespace }: WorkloadsWhere = {}) {
    this.#namespace = namespace;
    this.#kube = kube;
    this.#schedulerName = schedulerName;
  }

  /** Undefined: there is no such pod. */
  pod(name: string): Promise<Pod | undefined> {
    return unlessGone(this.#kube.get<Pod>(PODS, this.#namespace, name));
  }

  /**
   * A pod `<app>-1` that is Ready on the Node of this Machine.
   */
  async runPod(machine: MachineObject, app: string, run: PodRun = {}): Promise<void> {
    const { tolerations = EVERYTHING, endsWhenLet = false } = run;
    const name = `${app}-1`;
    await this.#kube.create(PODS, this.#namespace, {
      metadata: { name, labels: { app }, ...given({ finalizers: endsWhenLet ? [ENDING] : undefined }) },
      spec: {
        nodeName: machine.status?.nodeRef?.name,
        terminationGracePeriodSeconds: endsWhenLet ? 10 : 1,
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'none' }],
        tolerations,
      },
    });
    const isReady = (pod?: Pod) => pod?.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True');
    await until(
      `${name} is Ready`,
      () => this.pod(name),
      (pod) => isReady(pod) === true,
    );
  }

  /** A pod that {@link runPod} made so comes to its end. */
  async letEnd(name: string): Promise<void> {
    await unlessGone(this.#kube.mergePatch(PODS, this.#namespace, name, { metadata: { finalizers: null } }));
  }

  /** So many replicas on Nodes with these labels, as far apart as can be. */
  async deploy(name: string, replicas: number, nodeSelector: Readonly<Record<string, string>>): Promise<void> {
    const labels = { app: name };
    const spec = {
      ...podSpec(this.#schedulerName, nodeSelector),
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: labels },
        },
      ],
    };
    await this.#kube.create(DEPLOYMENTS, this.#namespace, {
      metadata: { name },
      spec: {
        replicas,
        minReadySeconds: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
      },
    });
    const query = { namespace: this.#namespace, labelSelector: `app=${name}` };
    await until(
      `${replicas} pods of ${name} are Ready`,
      () => this.#kube.list<MaybeReady>(PODS, query),
      ({ items }) => items.filter(isServing).length === replicas,
    );
  }

  /** A budget of the app's pods, which its controller has counted. */
  async limit(name: string, app: string, minAvailable: number): Promise<void> {
    const spec = { minAvailable, selector: { matchLabels: { app } } };
    await this.#kube.create(DISRUPTION_BUDGETS, this.#namespace, { metadata: { name }, spec });
    await until(
      `${name} is counted`,
      () => this.#kube.get<{ status?: { currentHealthy?: number } }>(DISRUPTION_BUDGETS, this.#namespace, name),
      ({ status }) => (status?.currentHealthy ?? 0) >= Math.max(1, minAvailable),
    );
  }

  /** The budget allows everything from here on. */
  async relax(name: string): Promise<void> {
    await this.#kube.mergePatch(DISRUPTION_BUDGETS, this.#namespace, name, { spec: { minAvailable: 0 } });
  }
}

/** Of pods that the scheduler of this name binds. */
export function podSpec(schedulerName: string, nodeSelector: Readonly<Record<string, string>>): object {
  return {
    nodeSelector,
    schedulerName,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image: 'none' }],
  };
}
