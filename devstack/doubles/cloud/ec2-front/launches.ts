/** RunInstances, with client tokens as EC2 has them: moto stores a token and launches again all the same. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviours } from '../behaviours.ts';
import { ClientTokens } from '../client-tokens.ts';
import { CloudError } from '../cloud-error.ts';
import type { CloudInstance } from '../cloud-instance.ts';
import type { CallFacts } from '../front-door.ts';
import { ec2Answer, type WireAnswer } from './aws-errors.ts';
import { withStates } from './instance-xml.ts';
import type { Instances } from './instances.ts';
import type { MotoClient } from './moto-client.ts';
import type { QueryRequest } from './query-request.ts';
import { child, element, parseXml, textOf } from './xml.ts';

/** Parameters that say nothing about what is to be launched. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['Action', 'Version', 'ClientToken', 'DryRun']);

export class Launches {
  readonly #moto: MotoClient;
  readonly #instances: Instances;
  readonly #behaviours: Behaviours;
  /** Forgotten with the process, as moto forgets its instances. */
  readonly #tokens = new ClientTokens(() => {});
  readonly #zoneOfSubnet = new Map<string, Promise<string>>();

  constructor(moto: MotoClient, instances: Instances, behaviours: Behaviours) {
    this.#moto = moto;
    this.#instances = instances;
    this.#behaviours = behaviours;
  }

  /**
   * Makes an instance, or finds the one that this token has made in this zone.
   * @param failBefore called where a failure "before the effect" belongs: the token is bound by then
   */
  async launch(request: QueryRequest, facts: CallFacts, failBefore: () => void): Promise<WireAnswer> {
    requireOne(request);
    const token = request.get('ClientToken');
    if (token === '') {
      failBefore();
      return this.#answer(await this.#make(request), facts);
    }
    const zone = await this.#zoneOf(request);
    const bound = this.#tokens.bind(zone, token, comparedParameters(request));
    failBefore();
    if (bound.instanceId === undefined) {
      bound.launching ??= this.#make(request).finally(() => delete bound.launching);
      bound.instanceId = (await bound.launching).id;
    }
    facts.instance = bound.instanceId;
    const instance = this.#instances.get(bound.instanceId);
    if (instance === undefined || instance.vanishedAt !== null || this.#instances.stateOf(instance) === 'terminated') {
      throw new CloudError(
        'IdempotentInstanceTerminated',
        `The instance of client token "${token}", ${bound.instanceId}, has been terminated.`,
      );
    }
    return this.#answer(instance, facts);
  }

  /** The effect comes after the latency: a client that gave up waiting finds the instance later. */
  async #make(request: QueryRequest): Promise<CloudInstance> {
    const instanceType = request.get('InstanceType');
    const { launchLatencyMs } = this.#behaviours.effective(instanceType);
    if (launchLatencyMs > 0) await sleep(launchLatencyMs);
    this.#instances.checkRoom(instanceType);
    const { body } = await this.#moto.call(request);
    return this.#instances.add(parseXml(body), {
      region: request.region,
      token: request.get('ClientToken'),
      tags: Object.assign({}, ...instanceTags(request)),
    });
  }

  /** The reservation as moto told it, with the instance as it is now. */
  #answer(instance: CloudInstance, facts: CallFacts): WireAnswer {
    facts.instance = instance.id;
    const reservation = this.#instances.reservationOf(instance.id) ?? element('RunInstancesResponse', []);
    const current = withStates(reservation, () => this.#instances.stateOf(instance));
    const children = current?.children.filter(({ name }) => name !== 'requestId');
    return ec2Answer('RunInstances', children ?? []);
  }

  /** Where the token counts: the zone that the call names or its subnet lies in; where neither, the region. */
  async #zoneOf(request: QueryRequest): Promise<string> {
    const named = request.get('Placement.AvailabilityZone');
    if (named !== '') return named;
    const subnet = request.get('SubnetId') || request.get('NetworkInterface.1.SubnetId');
    if (subnet === '') return request.region;
    const key = `${request.region} ${subnet}`;
    const known = this.#zoneOfSubnet.get(key);
    if (known !== undefined) return known;
    const asked = this.#askZone(request, subnet);
    this.#zoneOfSubnet.set(key, asked);
    // A subnet that does not exist yet may exist later.
    asked.catch(() => this.#zoneOfSubnet.delete(key));
    return asked;
  }

  async #askZone(request: QueryRequest, subnet: string): Promise<string> {
    const params = new URLSearchParams({
      Action: 'DescribeSubnets',
      Version: request.version,
      'SubnetId.1': subnet,
    });
    const { body } = await this.#moto.call(request, params);
    return textOf(child(parseXml(body), 'subnetSet', 'item'), 'availabilityZone');
  }
}

/** Tags of the instance itself, not of its volumes. */
export function instanceTags(request: QueryRequest): Readonly<Record<string, string>>[] {
  return request
    .tagSpecifications()
    .filter(({ resourceType }) => resourceType === 'instance')
    .map(({ tags }) => tags);
}

function comparedParameters(request: QueryRequest): Readonly<Record<string, string>> {
  return Object.fromEntries([...request.params].filter(([name]) => !NOT_COMPARED.has(name)));
}

function requireOne(request: QueryRequest): void {
  if (request.get('MinCount') === '1' && request.get('MaxCount') === '1') return;
  throw new CloudError(
    'UnsupportedOperation',
    'The embedded EC2 launches one instance a call: MinCount 1, MaxCount 1.',
  );
}
