import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { DISRUPTION_BUDGETS, PODS } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** What runs on the Nodes of machines, and its budgets: in one namespace. */
export class Workloads {
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Undefined: there is no such pod. */
  pod(name: string): Promise<Pod | undefined> {
    return unlessGone(getStack().kube.get<Pod>(PODS, this.#namespace, name));
  }

  /** A pod `<app>-1` that is Ready on the Node of this Machine. */
  async runPod(machine: MachineObject, app: string): Promise<void> {
    const name = `${app}-1`;
    await getStack().kube.create(PODS, this.#namespace, {
      metadata: { name, labels: { app } },
      spec: {
        nodeName: machine.status?.nodeRef?.name,
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'none' }],
        tolerations: [{ operator: 'Exists' }],
      },
    });
    const isReady = (pod?: Pod) => pod?.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True');
    await until(
      `${name} is Ready`,
      () => this.pod(name),
      (pod) => isReady(pod) === true,
    );
  }

  /** A budget of the app's pods, which its controller has counted. */
  async limit(name: string, app: string, minAvailable: number): Promise<void> {
    const { kube } = getStack();
    const spec = { minAvailable, selector: { matchLabels: { app } } };
    await kube.create(DISRUPTION_BUDGETS, this.#namespace, { metadata: { name }, spec });
    await until(
      `${name} is counted`,
      () => kube.get<{ status?: { currentHealthy?: number } }>(DISRUPTION_BUDGETS, this.#namespace, name),
      ({ status }) => status?.currentHealthy === 1,
    );
  }

  /** The budget allows everything from here on. */
  async relax(name: string): Promise<void> {
    await getStack().kube.mergePatch(DISRUPTION_BUDGETS, this.#namespace, name, { spec: { minAvailable: 0 } });
  }
}
