import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { ObjectMeta } from '../../../k8s/object-meta.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES, NODES } from '../../../k8s/resources.ts';
import { isAtRest } from '../lifecycle/own-namespace.ts';
import { until } from '../until.ts';
import type { OutageStack } from './outage-stack.ts';

/** Instance types, and what is slow about each: so that an outage finds machines in each step of their way up. */
const QUICK = 'sim.small';
const SLOW_TO_ANSWER = 'sim.large';
const SLOW_TO_RUN = 'sim.xlarge';

const RUNNING = 10;
/** Of the ten that provision, half wait for the launch's answer and half for their instance to run. */
const SLOW_EACH = 5;

/** Between "the launch is prepared" and "its call has reached the cloud", in milliseconds, at the very most. */
const CALL_MS = 1000;

/** Everything by which one could tell that a machine was touched. */
interface Traces {
  readonly providerID: string | undefined;
  readonly nodeRef: { readonly name: string; readonly uid: string } | undefined;
  /** uid of the Node that has the name now. */
  readonly nodeUid: string | undefined;
  /** When phase, nodeRef or error last changed. */
  readonly lastUpdated: string | undefined;
  readonly instances: readonly string[];
  readonly launches: number;
  readonly terminates: number;
}

export async function prepareTypes(outages: OutageStack): Promise<void> {
  await outages.setBehaviour(SLOW_TO_ANSWER, { launchLatencyMs: 8000 });
  await outages.setBehaviour(SLOW_TO_RUN, { pendingMs: 10_000 });
}

/** Machines of one Kubernetes namespace. */
export class Fleet {
  readonly #outages: OutageStack;
  readonly #namespace: string;
  #size = 0;

  private constructor(outages: OutageStack, namespace: string) {
    this.#outages = outages;
    this.#namespace = namespace;
  }

  /** Ten machines that run, and ten on their way: five whose launch the cloud is at, five whose instance is pending. */
  static async bringUp(outages: OutageStack, namespace: string): Promise<Fleet> {
    await outages.kube.create(NAMESPACES, undefined, { metadata: { name: namespace } });
    const fleet = new Fleet(outages, namespace);
    await fleet.create('running', RUNNING, QUICK);
    await fleet.untilAllRun();
    await Promise.all([
      fleet.create('launching', SLOW_EACH, SLOW_TO_ANSWER),
      fleet.create('pending', SLOW_EACH, SLOW_TO_RUN),
    ]);
    await until(
      'five machines wait for the answer to their launch and five for their instance to run',
      () => fleet.machines(),
      (machines) =>
        machines.filter(isLaunching).length === SLOW_EACH && machines.filter(isPending).length === SLOW_EACH,
      { everyMs: 100 },
    );
    await new Promise((resolve) => setTimeout(resolve, CALL_MS));
    return fleet;
  }

  async create(prefix: string, count: number, instanceType: string = QUICK): Promise<void> {
    const names = Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`);
    await Promise.all(
      names.map((name) =>
        this.#outages.kube.create(MACHINES, this.#namespace, manifest(name, this.#namespace, instanceType)),
      ),
    );
    this.#size += count;
  }

  async delete(name: string): Promise<void> {
    this.#size -= 1;
    await this.#outages.kube.delete(MACHINES, this.#namespace, name);
  }

  async machines(prefix = ''): Promise<MachineObject[]> {
    const { items } = await this.#outages.kube.list<MachineObject>(MACHINES, { namespace: this.#namespace });
    return items.filter(({ metadata }) => metadata.name.startsWith(prefix));
  }

  /** Waits until exactly the wanted machines are there and every one runs, with all that is read of a running instance. */
  async untilAllRun(timeoutMs = 90_000): Promise<void> {
    await until(
      `all ${this.#size} machines of ${this.#namespace} run`,
      async () => {
        const machines = await this.machines();
        return { total: machines.length, waiting: machines.filter((m) => !isAtRest(m)).map(describeMachine) };
      },
      ({ total, waiting }) => total === this.#size && waiting.length === 0,
      { timeoutMs },
    );
  }

  /** By name of the machine. */
  async traces(prefix = ''): Promise<Readonly<Record<string, Traces>>> {
    const { instances, calls } = await this.#outages.readLedger();
    const nodes = await this.#outages.kube.list<{ metadata: ObjectMeta }>(NODES);
    const nodeUids = new Map(nodes.items.map(({ metadata }) => [metadata.name, metadata.uid]));
    const machines = await this.machines(prefix);
    return Object.fromEntries(
      machines.map(({ metadata: { name, uid }, spec, status }) => {
        const countOf = (action: string) => calls.filter((c) => c.machine === uid && c.action === action).length;
        const { nodeRef } = status ?? {};
        const traces: Traces = {
          providerID: spec.providerID,
          nodeRef: nodeRef === undefined ? undefined : { name: nodeRef.name ?? '', uid: nodeRef.uid ?? '' },
          nodeUid: nodeUids.get(nodeRef?.name ?? ''),
          lastUpdated: status?.lastUpdated,
          instances: instances.filter((i) => i.machine === uid).map((i) => `${i.id} ${i.state}`),
          launches: countOf('launch'),
          terminates: countOf('terminate'),
        };
        return [name, traces];
      }),
    );
  }

  /** What the cloud's ledger holds against "at most one instance per machine, ever": a sentence each. */
  async doubles(): Promise<readonly string[]> {
    const { instances, calls } = await this.#outages.readLedger();
    const machines = await this.machines();
    return machines.flatMap(({ metadata: { name, uid }, status }) => {
      const own = instances.filter((i) => i.machine === uid);
      const terminates = calls.filter((c) => c.machine === uid && c.action === 'terminate').length;
      const [only] = own;
      const isRight =
        own.length === 1 &&
        only?.state === 'running' &&
        only.id === status?.providerStatus?.instanceId &&
        terminates === 0;
      const list = own.map((i) => `${i.id} ${i.state}`).join(', ');
      return isRight ? [] : [`${name}: instances in its life: ${list}; terminate calls: ${terminates}`];
    });
  }
}

/** Its launch is prepared, and not answered. */
function isLaunching({ spec, status }: MachineObject): boolean {
  return spec.providerID === undefined && status?.providerStatus?.launch !== undefined;
}

/** It has an instance, and no Node. */
function isPending({ spec, status }: MachineObject): boolean {
  return spec.providerID !== undefined && status?.phase === 'Provisioned';
}

function describeMachine({ metadata, status }: MachineObject): string {
  return `${metadata.name} ${status?.phase ?? 'without phase'}: ${status?.waiting?.message ?? ''}`;
}

function manifest(name: string, namespace: string, instanceType: string): object {
  return {
    apiVersion: MACHINES.apiVersion,
    kind: MACHINES.kind,
    metadata: { name, namespace, labels: { 'machine.openshift.io/cluster-api-cluster': 'outages' } },
    spec: {
      metadata: { labels: { 'node-role.kubernetes.io/worker': '' } },
      providerSpec: {
        value: { apiVersion: 'machine.millwright.dev/v1alpha1', kind: 'SimulatedMachineProviderConfig', instanceType },
      },
    },
  };
}
