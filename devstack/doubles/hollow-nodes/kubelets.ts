import type { KubeClient } from '../../../k8s/client.ts';
import { isNotFound } from '../../../k8s/kube-error.ts';
import { NODES } from '../../../k8s/resources.ts';
import { INSTANCE_LABEL, KUBELET_LABEL, KUBELET_RUNNING, KUBELET_STOPPED } from '../../../k8s/model/hollow-node.ts';
import { bootIDOf, hasKubelet, nodeOf, planNodes, type HollowInstance, type HollowNode } from './plan-nodes.ts';

export interface KubeletsOptions {
  readonly client: KubeClient;
  /** Scheme of the instances' providerIDs (`simulated`, `aws`); Nodes of other clouds are left alone. */
  readonly cloud: string;
  readonly listInstances: () => Promise<readonly HollowInstance[]>;
  /** Milliseconds from "seen running" to "Node registered". */
  readonly joinDelayMs: number;
  /**
   * The cluster has Nodes of other clouds of this kind: only those of instances that were listed here are looked after, and
   * each is named by its instance, since addresses may be the same. @default false
   */
  readonly sharesCluster?: boolean;
  /** Told of Nodes that are registered, fall silent or beat again. */
  readonly say: (line: string) => void;
}

/** Nodes are listed this often at most, in milliseconds: so much, and so much for each. What we write ourselves we know without. */
const LIST_NODES_EVERY_MS = { least: 3000, perNode: 5 } as const;

/** An instance that has not run for so long counts as one that never did, in milliseconds. */
const FORGOTTEN_AFTER_MS = 60_000;

/**
 * The kubelets of every instance of a cloud, as far as Nodes show them. Keeps nothing that it could not find out again:
 * the Nodes and the cloud are its memory.
 */
export class Kubelets {
  readonly #options: KubeletsOptions;
  readonly #runningSince = new Map<string, number>();
  readonly #lastRunning = new Map<string, number>();
  readonly #listed = new Set<string>();
  #nodes = new Map<string, HollowNode>();
  #listedAt = 0;

  constructor(options: KubeletsOptions) {
    this.#options = options;
  }

  /** One look at cloud and cluster, and what follows from it. Rejects where either did not answer; call it again. */
  async tick(now = Date.now()): Promise<void> {
    const instances = await this.#options.listInstances();
    for (const { id } of instances) this.#listed.add(id);
    this.#noteRunning(instances, now);
    const { least, perNode } = LIST_NODES_EVERY_MS;
    if (now - this.#listedAt >= least + perNode * this.#nodes.size) await this.#listNodes(now);
    const sightings = { runningSince: this.#runningSince, lastRunning: this.#lastRunning };
    const plan = planNodes(instances, [...this.#nodes.values()], sightings, now, this.#options.joinDelayMs);
    const results = await Promise.allSettled([
      ...plan.register.map((instance) => this.#register(instance)),
      ...plan.wake.map((name) => this.#setBeats(name, true)),
      ...plan.silence.map((name) => this.#setBeats(name, false)),
      ...plan.boot.map(({ name, bootID }) => this.#boot(name, bootID)),
    ]);
    const failed = results.find((result) => result.status === 'rejected');
    if (!failed) return;
    this.#listedAt = 0; // What we think we know of the Nodes may be wrong.
    throw failed.reason;
  }

  #noteRunning(instances: readonly HollowInstance[], now: number): void {
    const running = new Set(instances.filter(hasKubelet).map(({ id }) => id));
    for (const id of running) {
      if (!this.#runningSince.has(id)) this.#runningSince.set(id, now);
      this.#lastRunning.set(id, now);
    }
    for (const [id, at] of this.#lastRunning) if (now - at > FORGOTTEN_AFTER_MS) this.#lastRunning.delete(id);
    for (const id of this.#runningSince.keys()) if (!running.has(id)) this.#runningSince.delete(id);
  }

  async #listNodes(now: number): Promise<void> {
    const { items } = await this.#options.client.list<ListedNode>(NODES, { labelSelector: INSTANCE_LABEL });
    const { cloud, sharesCluster = false } = this.#options;
    const ours = items.filter(
      ({ metadata, spec }) =>
        spec.providerID?.startsWith(`${cloud}://`) === true &&
        (!sharesCluster || this.#listed.has(metadata.labels[INSTANCE_LABEL] ?? '')),
    );
    this.#nodes = new Map(
      ours.map(({ metadata: { name, labels }, status }) => [
        name,
        {
          name,
          instanceId: labels[INSTANCE_LABEL] ?? '',
          beats: labels[KUBELET_LABEL] === KUBELET_RUNNING,
          isStopped: labels[KUBELET_LABEL] === KUBELET_STOPPED,
          bootID: status?.nodeInfo?.bootID ?? '',
        },
      ]),
    );
    this.#listedAt = now;
  }

  async #register(instance: HollowInstance): Promise<void> {
    const { sharesCluster = false } = this.#options;
    const node = nodeOf(instance, new Date(), sharesCluster ? instance.id : undefined);
    const { name } = node.metadata;
    await this.#options.client.create(NODES, undefined, node, { fieldManager: 'kubelet' });
    const bootID = bootIDOf(instance);
    this.#nodes.set(name, { name, instanceId: instance.id, beats: true, isStopped: false, bootID });
    this.#options.say(`registered ${name} for ${instance.id}`);
  }

  async #setBeats(name: string, beats: boolean): Promise<void> {
    const labels = { [KUBELET_LABEL]: beats ? KUBELET_RUNNING : null };
    if (!(await this.#patch(name, { metadata: { labels } }))) return;
    this.#note(name, { beats });
    this.#options.say(beats ? `${name} beats again` : `${name} fell silent: its instance does not run`);
  }

  /** Its kubelet runs from then on, also where somebody had stopped it. */
  async #boot(name: string, bootID: string): Promise<void> {
    // First, since KWOK puts back the one that it has seen when it makes the Node Ready.
    if (!(await this.#patch(name, { status: { nodeInfo: { bootID } } }, { subresource: 'status' }))) return;
    if (!(await this.#patch(name, { metadata: { labels: { [KUBELET_LABEL]: KUBELET_RUNNING } } }))) return;
    this.#note(name, { beats: true, isStopped: false, bootID });
    this.#options.say(`${name} has booted again (${bootID})`);
  }

  /** False: it is gone. */
  async #patch(name: string, body: object, options: { readonly subresource?: 'status' } = {}): Promise<boolean> {
    try {
      await this.#options.client.mergePatch(NODES, undefined, name, body, { fieldManager: 'kubelet', ...options });
      return true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#nodes.delete(name);
      return false;
    }
  }

  #note(name: string, changes: Partial<HollowNode>): void {
    const node = this.#nodes.get(name);
    if (node) this.#nodes.set(name, { ...node, ...changes });
  }
}

interface ListedNode {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly providerID?: string };
  readonly status?: { readonly nodeInfo?: { readonly bootID?: string } };
}
