import { readPod, type StoredPod } from '../../../k8s/model/pod.ts';
import { DRAINING, OUT_OF_SERVICE, type Node } from '../../../k8s/model/node.ts';
import { hasTaint, tolerates } from '../../../k8s/model/taint.ts';
import { DAEMON_SETS, DISRUPTION_BUDGETS, NODES, PODS } from '../../../k8s/resources.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { aBudget } from '../../world/builders/a-budget.ts';
import { aPod } from '../../world/builders/a-pod.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { countBudgets } from '../../world/kubernetes/disruption.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { GivenObject } from '../../world/kubernetes/registry.ts';
import type { Agenda } from '../time/agenda.ts';
import type { Random } from '../time/random.ts';
import { given } from '../../../providers/given.ts';
import { Deployments, ownerOf, putReplicaSet, type PodOwner } from './deployments.ts';
import { Volumes } from './volumes.ts';
import { askOfDrains, JOB, WORKLOADS, type Workload, type WorkloadsRun } from './workload-kinds.ts';

/** The share of rounds in which one is started. */
const JOBS = 0.4;
/** How long one runs, and how long what is left of it stays, in milliseconds. */
const JOB_MS = 5000;

const DAEMON = { kind: 'DaemonSet', uid: 'uid-of-the-agent' };
/** When the first pods come, in milliseconds: on the first Node alone few drains would meet them. */
const FIRST_MS = 45_000;
/** Between two rounds of each controller, in milliseconds. */
const ROUND_MS = 700;
/** From the decision of the scheduler, by what it saw then, to the pod's being bound: most, in milliseconds. */
const BINDING_MS = 700;
/** The share of the pods of a Node that is out of service that are taken from it in a round. */
const CLEARED = 0.05;
/** How long a pod takes to be Ready, in milliseconds. */
const START_MS = 4000;

interface Options {
  readonly api: ApiServer;
  readonly agenda: Agenda;
  readonly random: Random;
  /** Whether the Node is one of this cluster. */
  readonly isOwn: (node: Node) => boolean;
  readonly run: WorkloadsRun;
}

/** Workloads, and what keeps them: scheduler, kubelets, and the controllers of replicas, budgets and pods. */
export class Workloads {
  readonly #options: Options;
  readonly #deployments: Deployments;
  readonly #volumes: Volumes;
  /** Those of which a number of pods is kept. */
  readonly #kept: readonly Workload[];
  /** Pods on Nodes whose kubelet is silent, by name. */
  readonly #silent = new Set<string>();
  /** Pods that were asked to end, by uid. */
  readonly #ending = new Map<string, number>();
  #count = 0;
  /** Pods or budgets changed since they were counted. */
  #isUncounted = true;

  constructor(options: Options) {
    this.#options = options;
    this.#deployments = new Deployments(options.api);
    this.#volumes = new Volumes(options);
    this.#kept = options.run === 'all' ? WORKLOADS : [];
  }

  start(): void {
    const { api, agenda } = this.#options;
    const { apiVersion, kind } = DAEMON_SETS;
    api.put({ apiVersion, kind, metadata: { name: 'agent', namespace: NAMESPACE, uid: DAEMON.uid } });
    for (const { app, minAvailable, deployment } of [...this.#kept, JOB]) {
      if (minAvailable !== undefined) api.put(aBudget(app, { minAvailable }));
      if (deployment === undefined) putReplicaSet(api, ownerOf(app));
    }
    if (this.#kept.length > 0) this.#deployments.start();
    api.store.onChange(({ resource }) => {
      if (resource === PODS || resource === DISRUPTION_BUDGETS) this.#isUncounted = true;
    });
    agenda.after(FIRST_MS, () => this.#round());
  }

  #round(): void {
    const { agenda, random, api } = this.#options;
    const pods = this.#pods();
    for (const workload of this.#kept) this.#keep(workload, pods);
    this.#keepDaemons();
    if (random.chance(JOBS)) this.#startOne(JOB);
    const nodes = new Map(this.#nodes().map((node) => [node.metadata.name, node]));
    this.#endPods(nodes);
    this.#volumes.round(this.#pods(), nodes);
    if (this.#isUncounted) countBudgets(api);
    this.#isUncounted = false;
    agenda.after(random.around(ROUND_MS), () => this.#round());
  }

  /** As its controller and the scheduler do: as many as are wanted, on Nodes that are Ready and not cordoned. */
  #keep(workload: Workload, pods: readonly StoredPod[]): void {
    if (workload.deployment !== undefined) {
      for (const owner of this.#deployments.keep(workload, pods)) this.#startOne(workload, owner);
      return;
    }
    const own = pods.filter(({ metadata }) => metadata.labels?.['app'] === workload.app);
    const living = own.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
    const missing = workload.replicas - living;
    if (missing <= 0) return;
    for (let count = 0; count < missing; count += 1) this.#startOne(workload);
  }

  #startOne(workload: Workload, owner = ownerOf(workload.app)): void {
    const { agenda, random } = this.#options;
    const node = random.pick(this.#openNodes());
    if (node === undefined) return;
    const name = `${workload.app}-${(this.#count += 1)}`;
    this.#create(name, node, { pending: true, workload, owner });
    agenda.after(random.below(BINDING_MS), () => this.#bind(name, node));
  }

  #keepDaemons(): void {
    const open = this.#nodes().filter((node) => isReady(node) && !hasTaint(node.spec?.taints, DRAINING));
    for (const node of open) {
      const name = `agent-${node.metadata.name}`;
      if (this.#options.api.store.get(PODS, NAMESPACE, name) !== undefined) continue;
      this.#create(name, node, { pending: false });
    }
  }

  #create(
    name: string,
    node: Node,
    { pending, workload, owner }: Readonly<{ pending: boolean; workload?: Workload; owner?: PodOwner }>,
  ) {
    const { api, random } = this.#options;
    // Pods of DaemonSets have one as well: nobody waits for that.
    const { app = 'agent', graceSeconds = 10, isCritical, hasVolume } = workload ?? { hasVolume: true };
    const { labels, annotations } = app === JOB.app ? askOfDrains(random) : {};
    const { metadata, spec, ...pod } = aPod({
      name,
      labels: { app, ...labels },
      ...given({ metadata: annotations && { annotations } }),
      owner: owner ?? DAEMON,
      graceSeconds,
      ...given({
        claims: hasVolume === true ? [this.#volumes.claimFor(name)] : undefined,
        priorityClassName: isCritical === true ? 'system-cluster-critical' : undefined,
        phase: pending ? 'Pending' : undefined,
      }),
      node: node.metadata.name,
    });
    const { nodeName: _none, ...unbound } = spec ?? {};
    const made: GivenObject & { readonly spec: unknown } = {
      ...pod,
      metadata: { ...metadata, uid: random.uuid() },
      spec: pending ? unbound : spec,
    };
    api.put(made);
  }

  /** The binding takes effect, whatever became of the Node meanwhile. */
  #bind(name: string, node: Node): void {
    const { api, agenda, random } = this.#options;
    const pod = api.peek(PODS, NAMESPACE, name);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const bound: KubeObject = { ...pod, spec: { ...specOf(pod), nodeName: node.metadata.name } };
    api.put(bound);
    agenda.after(random.around(START_MS), () => this.#run(name));
  }

  #run(name: string): void {
    const { api, agenda, random } = this.#options;
    const pod = api.peek(PODS, NAMESPACE, name);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const running: KubeObject = { ...pod, status: aPod({ name }).status };
    api.put(running);
    if (pod.metadata.labels?.['app'] === JOB.app) agenda.after(random.around(JOB_MS), () => this.#finish(name));
  }

  #finish(name: string): void {
    const { api, agenda, random } = this.#options;
    const pod = api.peek(PODS, NAMESPACE, name);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const finished: KubeObject = { ...pod, status: aPod({ name, phase: 'Succeeded' }).status };
    api.put(finished);
    agenda.after(random.around(JOB_MS), () => {
      if (api.store.get(PODS, NAMESPACE, name) !== undefined) api.drop(PODS, NAMESPACE, name);
    });
  }

  /** Kubelets end what was asked to end; what was on a Node that is gone is collected; on a silent one nothing is Ready. */
  #endPods(nodes: ReadonlyMap<string, Node>): void {
    const { api, agenda, random } = this.#options;
    for (const stored of this.#pods()) {
      const { name, uid, deletionTimestamp } = stored.metadata;
      const { nodeName } = stored.spec ?? {};
      if (nodeName === undefined) {
        if (deletionTimestamp !== undefined) api.drop(PODS, NAMESPACE, name);
        continue;
      }
      const node = nodes.get(nodeName);
      if (node === undefined) api.drop(PODS, NAMESPACE, name);
      else if (!isReady(node)) {
        this.#fallSilent(name);
        this.#clear(stored, node);
      } else if (deletionTimestamp !== undefined) {
        const endsAt = Date.parse(deletionTimestamp);
        const atOnce = agenda.now + random.around(3000);
        const at = this.#ending.get(uid) ?? (random.chance(0.7) ? Math.min(atOnce, endsAt) : endsAt);
        this.#ending.set(uid, Math.min(at, endsAt));
        if (agenda.now >= Math.min(at, endsAt)) api.drop(PODS, NAMESPACE, name);
      } else this.#speakAgain(name);
    }
  }

  /** Kubernetes takes what does not tolerate it from a Node that is out of service: after a while. */
  #clear(stored: StoredPod, { spec }: Node): void {
    const { api, random } = this.#options;
    const { tolerations, name } = readPod(stored);
    if (!hasTaint(spec?.taints, OUT_OF_SERVICE) || tolerates(tolerations, OUT_OF_SERVICE)) return;
    if (random.chance(CLEARED)) api.drop(PODS, NAMESPACE, name);
  }

  #fallSilent(name: string): void {
    const { api } = this.#options;
    const pod = api.peek(PODS, NAMESPACE, name);
    if (pod === undefined || !readPod(pod as unknown as StoredPod).isReady) return;
    const { conditions } = aPod({ unheardFrom: new Date(this.#options.agenda.now).toISOString() }).status ?? {};
    const silent: KubeObject = { ...pod, status: { ...(pod['status'] as object), conditions } };
    this.#silent.add(name);
    api.put(silent);
  }

  /** Its kubelet is back. */
  #speakAgain(name: string): void {
    if (this.#silent.delete(name)) this.#run(name);
  }

  #pods(): readonly StoredPod[] {
    return asPods(this.#options.api.store.all(PODS));
  }

  /** Where a pod may go, as its scheduler sees it. */
  #openNodes(): readonly Node[] {
    const { isOwn } = this.#options;
    return this.#nodes().filter((node) => isReady(node) && node.spec?.unschedulable !== true && isOwn(node));
  }

  #nodes(): readonly Node[] {
    return asNodes(this.#options.api.store.all(NODES));
  }
}

// Nobody changes them: a copy of each, as a client gets it, takes long.
const asPods = (stored: readonly object[]) => stored as readonly StoredPod[];
const asNodes = (stored: readonly object[]) => stored as readonly Node[];

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

function specOf(pod: KubeObject): object {
  return pod['spec'] as object;
}
