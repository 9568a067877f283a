import { NODES } from '../../../k8s/resources.ts';
import type { DescribedInstance } from '../../../devstack/doubles/cloud/cloud-instance.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { aNode } from '../../world/builders/a-node.ts';
import type { Agenda } from '../time/agenda.ts';
import type { Random } from '../time/random.ts';

export interface KubeletOptions {
  readonly api: ApiServer;
  readonly agenda: Agenda;
  readonly random: Random;
  /** The instances that have not ended. */
  readonly living: () => readonly DescribedInstance[];
  /** Whether this instance's kubelet ever comes up. */
  readonly joins: (instance: DescribedInstance) => boolean;
  /** Whether it comes up after the reboot that was just made. */
  readonly bootsAgain: (instance: DescribedInstance) => boolean;
}

/** Of a Node: Machines have a label of their own. */
export const ZONE_LABEL = 'topology.kubernetes.io/zone';
/** Between two looks at what runs, in milliseconds. */
const LOOK_MS = 2000;
/** From a reboot to what the kubelet tells then, about, in milliseconds. */
const BOOT_MS = 8000;
/** Silence after which a Node counts as not ready, in milliseconds. */
const GRACE_MS = 40_000;
/** Within so long after the API server was away each kubelet has reported again, in milliseconds. */
const HEARD_MS = 40_000;

/** The zone of a Node: every other one is in the same. */
function zoneOf(name: string): string {
  return Number(name.slice('node-'.length)) % 2 === 0 ? 'a' : 'b';
}

/** What the kubelets of all instances do: their Nodes register, and fall silent with them, or without them. */
export class Kubelets {
  readonly #options: KubeletOptions;
  /** Names of the Nodes of instances that run, and whose kubelets do, by providerID. */
  readonly #nodes = new Map<string, string>();
  /** The same of all that ever ran: an instance that is started again has the name that it had. */
  readonly #names = new Map<string, string>();
  /** Until when kubelets hang, by providerID: their instances run. */
  readonly #hanging = new Map<string, number>();
  /** How often each instance was rebooted, as its kubelet knows it, by providerID. */
  readonly #reboots = new Map<string, number>();
  /** Until when all those of a zone hang, by the zone. */
  readonly #lost = new Map<string, number>();
  /** Until when no kubelet reaches the API server. */
  #unheardUntil = 0;

  constructor(options: KubeletOptions) {
    this.#options = options;
  }

  start(): void {
    this.#look();
  }

  /** The kubelet of an instance says nothing for a while, and the instance runs. */
  hang(providerID: string, forMs: number): void {
    this.#hanging.set(providerID, this.#options.agenda.now + forMs);
  }

  /** So do all kubelets of a zone. */
  hangZone(zone: string, forMs: number): void {
    this.#lost.set(zone, this.#options.agenda.now + forMs);
  }

  /** The API server is away for a while. Then it has not heard of any Node for as long: each is silent until its kubelet reports. */
  goUnheard(forMs: number): void {
    const { agenda, random } = this.#options;
    this.#unheardUntil = Math.max(this.#unheardUntil, agenda.now + forMs);
    agenda.after(forMs, () => {
      if (this.#isUnheard) return;
      for (const [providerID, name] of this.#nodes) {
        this.#showSilent(name);
        agenda.after(random.between(1000, HEARD_MS), () => this.#register(providerID, name));
      }
    });
  }

  get #isUnheard(): boolean {
    return this.#unheardUntil > this.#options.agenda.now;
  }

  /** No zone is lost any more. */
  wakeZones(): void {
    this.#lost.clear();
  }

  #hangs({ providerID }: DescribedInstance): boolean {
    const zone = zoneOf(this.#names.get(providerID) ?? '');
    return Math.max(this.#hanging.get(providerID) ?? 0, this.#lost.get(zone) ?? 0) > this.#options.agenda.now;
  }

  /** A kubelet that hangs comes up with its instance: unless that never does, and the cloud says that it runs. */
  #followReboots(): void {
    const { agenda, random, living, bootsAgain } = this.#options;
    for (const instance of living()) {
      const { providerID, reboots = 0 } = instance;
      if ((this.#reboots.get(providerID) ?? 0) === reboots) continue;
      this.#reboots.set(providerID, reboots);
      if (!bootsAgain(instance)) {
        this.hang(providerID, Infinity);
        continue;
      }
      this.#hanging.delete(providerID);
      const name = this.#nodes.get(providerID);
      // One that hangs has no place there, and registers anew.
      if (name !== undefined) agenda.after(random.around(BOOT_MS), () => this.#register(providerID, name));
    }
  }

  #look(): void {
    const { agenda, random, living, joins } = this.#options;
    this.#followReboots();
    const running = living().filter((instance) => instance.state === 'running' && !this.#hangs(instance));
    for (const instance of running) {
      if (this.#nodes.has(instance.providerID) || !joins(instance)) continue;
      const name = this.#names.get(instance.providerID) ?? `node-${this.#names.size + 1}`;
      this.#names.set(instance.providerID, name);
      this.#nodes.set(instance.providerID, name);
      agenda.after(random.around(3000), () => this.#register(instance.providerID, name));
    }
    const there = new Set(running.map(({ providerID }) => providerID));
    for (const [providerID, name] of this.#nodes) {
      if (there.has(providerID)) continue;
      this.#nodes.delete(providerID);
      agenda.after(GRACE_MS, () => this.#fallSilent(providerID, name));
    }
    agenda.after(LOOK_MS, () => this.#look());
  }

  #register(providerID: string, name: string): void {
    const { agenda, api, random } = this.#options;
    if (this.#nodes.get(providerID) !== name) return;
    if (this.#isUnheard) return void agenda.after(LOOK_MS, () => this.#register(providerID, name));
    const labels = { [ZONE_LABEL]: zoneOf(name) };
    const { metadata, ...registered } = aNode({ name, providerID, metadata: { labels } });
    const nodeInfo = { bootID: `${providerID} ${this.#reboots.get(providerID) ?? 0}` };
    const node = { ...registered, status: { ...registered.status, nodeInfo } };
    const known = api.peek(NODES, undefined, name);
    if (known !== undefined) return api.put({ ...known, status: node.status } as never);
    const { uid: _uid, resourceVersion: _version, creationTimestamp: _made, ...own } = metadata;
    api.put({ ...node, metadata: { ...own, uid: random.uuid() } });
  }

  #fallSilent(providerID: string, name: string): void {
    if (this.#nodes.has(providerID)) return;
    if (this.#isUnheard) this.#options.agenda.after(LOOK_MS, () => this.#fallSilent(providerID, name));
    else this.#showSilent(name);
  }

  #showSilent(name: string): void {
    const { api } = this.#options;
    const node = api.peek(NODES, undefined, name);
    if (node === undefined) return;
    const lastTransitionTime = new Date(this.#options.agenda.now).toISOString();
    const conditions = [{ type: 'Ready', status: 'Unknown', lastTransitionTime }];
    const { status } = node as { readonly status?: object };
    api.put({ ...node, status: { ...status, conditions } } as never);
  }
}
