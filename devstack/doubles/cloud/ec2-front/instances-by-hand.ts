/** What happens to instances without anybody having called the API, and what their hypervisors know of them. */

import type { HandOperation } from '../by-hand.ts';
import type { CloudInstance } from '../cloud-instance.ts';
import type { CallFacts } from '../front-door.ts';
import { unknownInstances, type Instances } from '../instances.ts';
import { machineOfTags } from './machine-tags.ts';
import type { MotoClient } from './moto-client.ts';
import { QueryRequest } from './query-request.ts';

/** An instance as hollow nodes and tests see it. */
export interface HypervisorInstance {
  readonly id: string;
  /** `aws:///<zone>/<id>` */
  readonly providerID: string;
  readonly state: CloudInstance['state'];
  readonly region: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly addresses: CloudInstance['addresses'];
  readonly joins: boolean;
  readonly token: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Operations of which moto has to know: its load balancers look at states. */
const MOTOS_ACTION = { terminate: 'TerminateInstances', stop: 'StopInstances', start: 'StartInstances' } as const;

export class InstancesByHand {
  readonly #moto: MotoClient;
  readonly #instances: Instances;
  readonly #record: (operation: string, facts: CallFacts) => void;

  constructor(moto: MotoClient, instances: Instances, record: (operation: string, facts: CallFacts) => void) {
    this.#moto = moto;
    this.#instances = instances;
    this.#record = record;
  }

  /** The instances that have not ended: without lag, faults, outages, or a place in the ledger. */
  list(): HypervisorInstance[] {
    return this.#instances.live().map((each) => this.#view(each));
  }

  async operate(operation: HandOperation, id: string): Promise<HypervisorInstance> {
    const instance = this.#require(id);
    const changed = this.#instances.operate(operation, instance);
    if (operation !== 'vanish' && operation !== 'reappear') {
      await this.#tellMoto(MOTOS_ACTION[operation], instance);
    }
    return this.#changed(operation, changed);
  }

  /** Whether the instance's node registers. */
  setJoins(id: string, joins: boolean): HypervisorInstance {
    return this.#changed('joins', this.#instances.setJoins(this.#require(id), joins));
  }

  #require(id: string): CloudInstance {
    const instance = this.#instances.get(id);
    if (instance === undefined) throw unknownInstances([id]);
    return instance;
  }

  #changed(operation: string, instance: CloudInstance): HypervisorInstance {
    const { id, tags, token = null } = instance;
    this.#record(operation, { instance: id, machine: machineOfTags(tags), token });
    return this.#view(instance);
  }

  async #tellMoto(action: string, { id, region }: CloudInstance): Promise<void> {
    const body = new URLSearchParams({ Action: action, Version: '2016-11-15', 'InstanceId.1': id });
    await this.#moto.call(new QueryRequest(body.toString(), `Credential=front/20000101/${region}/ec2/aws4_request`));
  }

  #view(instance: CloudInstance): HypervisorInstance {
    const { id, region, zone, instanceType, addresses, joins, token = '', tags } = instance;
    const state = this.#instances.stateOf(instance);
    return { id, providerID: `aws:///${zone}/${id}`, state, region, zone, instanceType, addresses, joins, token, tags };
  }
}
