import { request } from 'undici';
import type { MachineDeploymentObject } from '../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../k8s/dialects/openshift/labels.ts';
import type { Node } from '../../k8s/model/node.ts';
import { formatSelector } from '../../k8s/selector.ts';
import type { Access } from './access.ts';

const API = '/apis/machine.openshift.io/v1beta1';
export const TAINT = 'ToBeDeletedByClusterAutoscaler';

/** What cluster-autoscaler scales. */
export type Group = MachineSetObject | MachineDeploymentObject;

/** An answer that says no; its status is what cluster-autoscaler decides by. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly status: number;

  constructor(what: string, status: number, message: string) {
    super(`${what}: HTTP ${status}: ${message}`);
    this.status = status;
  }
}

interface Listed<T> {
  readonly items: readonly T[];
}

/**
 * The requests of cluster-autoscaler 1.36 with the provider clusterapi, one by one, as the same user: nothing of ours stands between them
 * and the API server.
 */
export class AutoscalerCalls {
  readonly #access: Access;
  readonly #namespace: string;

  constructor(access: Access, namespace: string) {
    this.#access = access;
    this.#namespace = namespace;
  }

  /** The resources of the group's version, subresources included: without machines and machinesets it does not start. */
  async discover(): Promise<readonly string[]> {
    const { resources } = await this.#call<{ resources: readonly { readonly name: string }[] }>('GET', API);
    return resources.map(({ name }) => name);
  }

  /** In one namespace, as its informers list them. */
  async groups(): Promise<readonly Group[]> {
    const [sets, deployments] = await Promise.all([
      this.#call<Listed<MachineSetObject>>('GET', this.#path('machinesets')),
      this.#call<Listed<MachineDeploymentObject>>('GET', this.#path('machinedeployments')),
    ]);
    const isOfDeployment = ({ metadata }: MachineSetObject) =>
      metadata.ownerReferences?.some(({ kind }) => kind === 'MachineDeployment') === true;
    // Items of a list name no kind.
    return [
      ...sets.items.filter((set) => !isOfDeployment(set)).map((set) => ({ ...set, kind: 'MachineSet' as const })),
      ...deployments.items.map((deployment) => ({ ...deployment, kind: 'MachineDeployment' as const })),
    ];
  }

  async sets(): Promise<readonly MachineSetObject[]> {
    return (await this.#call<Listed<MachineSetObject>>('GET', this.#path('machinesets'))).items;
  }

  /** By the group's selector, whatever set they are of. */
  async members({ spec }: Group): Promise<readonly MachineObject[]> {
    const selector = encodeURIComponent(formatSelector(spec.selector));
    return (await this.#call<Listed<MachineObject>>('GET', `${this.#path('machines')}?labelSelector=${selector}`))
      .items;
  }

  async machine(name: string): Promise<MachineObject> {
    return this.#call('GET', this.#path('machines', name));
  }

  async nodes(): Promise<readonly Node[]> {
    return (await this.#call<Listed<Node>>('GET', '/api/v1/nodes')).items;
  }

  async getReplicas(group: Group): Promise<number> {
    const scale = await this.#call<{ spec: { replicas?: number } }>('GET', `${this.#pathOf(group)}/scale`);
    return scale.spec.replicas ?? 0;
  }

  async setReplicas(group: Group, replicas: number): Promise<void> {
    await this.#call('PATCH', `${this.#pathOf(group)}/scale`, { spec: { replicas } });
  }

  /** Reads and writes the whole Machine. Somebody who wrote in between makes it fail: it comes back in its next loop. */
  async mark(name: string): Promise<void> {
    const machine = await this.machine(name);
    if (machine.metadata.deletionTimestamp !== undefined) return;
    await this.putMarked(machine);
  }

  async putMarked({ metadata, ...machine }: MachineObject, now = new Date()): Promise<void> {
    const annotations = { ...metadata.annotations, [DELETE_MACHINE_ANNOTATION]: goTime(now) };
    await this.#call('PUT', this.#path('machines', metadata.name), {
      ...machine,
      metadata: { ...metadata, annotations },
    });
  }

  async unmark(name: string): Promise<void> {
    const { metadata, ...machine } = await this.machine(name);
    const { [DELETE_MACHINE_ANNOTATION]: _mark, ...annotations } = metadata.annotations ?? {};
    await this.#call('PUT', this.#path('machines', name), { ...machine, metadata: { ...metadata, annotations } });
  }

  /** Takes Machines away: for each the mark first, then one replica less; where that fails, the mark comes off. */
  async deleteNodes(group: Group, names: readonly string[], least: number): Promise<void> {
    if ((await this.getReplicas(group)) - names.length < least)
      throw new Error('min size reached, nodes will not be deleted');
    for (const name of names) {
      await this.mark(name);
      try {
        await this.setReplicas(group, (await this.getReplicas(group)) - 1);
      } catch (error) {
        await this.unmark(name);
        throw error;
      }
    }
  }

  /** Before it takes a Node's Machine away. */
  async taint({ metadata: { name }, spec }: Node, now = new Date()): Promise<void> {
    const taints = [
      ...(spec?.taints ?? []),
      { key: TAINT, value: String(Math.floor(now.getTime() / 1000)), effect: 'NoSchedule' },
    ];
    await this.#call('PATCH', `/api/v1/nodes/${name}`, { spec: { taints, unschedulable: true } });
  }

  /** After it gave up. */
  async untaint({ metadata: { name } }: Pick<Node, 'metadata'>): Promise<void> {
    const node = await this.#call<Node>('GET', `/api/v1/nodes/${name}`);
    const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== TAINT);
    await this.#call('PATCH', `/api/v1/nodes/${name}`, { spec: { taints, unschedulable: null } });
  }

  /** Any other read that its role allows. */
  read<T>(path: string): Promise<T> {
    return this.#call('GET', path);
  }

  #path(plural: string, name?: string): string {
    return `${API}/namespaces/${this.#namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
  }

  #pathOf({ kind, metadata }: Group): string {
    return this.#path(`${kind.toLowerCase()}s`, metadata.name);
  }

  async #call<T>(method: 'GET' | 'PUT' | 'PATCH', path: string, body?: object): Promise<T> {
    const { server, token, dispatcher } = this.#access;
    const answer = await request(server + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher,
    });
    const told = (await answer.body.json()) as T & { readonly message?: string };
    if (answer.statusCode < 300) return told;
    throw new CallRefused(`${method} ${path}`, answer.statusCode, told.message ?? '');
  }
}

/** As Go writes a time. */
export function goTime(at: Date): string {
  const [date = '', time = ''] = at.toISOString().split('T');
  return `${date} ${time.slice(0, -1)}456789 +0000 UTC m=+12.345678901`;
}
