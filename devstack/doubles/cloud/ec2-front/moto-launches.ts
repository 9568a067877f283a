/** RunInstances, with client tokens as EC2 has them: moto stores a token and launches again all the same. */

import { CloudError } from '../cloud-error.ts';
import type { CloudInstance } from '../cloud-instance.ts';
import type { CloudEngine } from '../engine.ts';
import type { CallFacts } from '../front-door.ts';
import { ec2Answer, type WireAnswer } from './aws-errors.ts';
import { readLaunched, withStates, withTags } from './instance-xml.ts';
import type { Moto } from './moto-client.ts';
import type { QueryRequest } from './query-request.ts';
import { child, element, parseXml, textOf, type XmlElement } from './xml.ts';
import { given } from '../../../../providers/given.ts';

/** Parameters that say nothing about what is to be launched. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['Action', 'Version', 'ClientToken', 'DryRun']);

export class MotoLaunches {
  readonly #moto: Moto;
  readonly #engine: CloudEngine;
  /** What moto answered to the launch of each instance. */
  readonly #reservations = new Map<string, XmlElement>();
  readonly #zoneOfSubnet = new Map<string, Promise<string>>();

  constructor(moto: Moto, engine: CloudEngine) {
    this.#moto = moto;
    this.#engine = engine;
  }

  /**
   * Makes an instance, or finds the one that this token has made in this zone.
   * @param failBefore called where a failure "before the effect" belongs: the token is bound by then
   */
  async launch(request: QueryRequest, facts: CallFacts, failBefore: () => void): Promise<WireAnswer> {
    requireOne(request);
    const token = request.get('ClientToken') || undefined;
    const launch = {
      instanceType: request.get('InstanceType'),
      token,
      zone: token === undefined ? '' : await this.#zoneOf(request),
      parameters: comparedParameters(request),
    };
    return this.#answer(
      await this.#engine.launches.launch(launch, facts, failBefore, () => this.#make(request, token)),
    );
  }

  async #make(request: QueryRequest, token: string | undefined): Promise<CloudInstance> {
    const { body } = await this.#moto.call(request);
    const reservation = parseXml(body);
    const instance = this.#engine.instances.add({
      ...readLaunched(reservation),
      region: request.region,
      tags: instanceTags(request),
      ...given({ token }),
    });
    this.#reservations.set(instance.id, reservation);
    return instance;
  }

  /** The reservation as moto told it, with the instance as it is now. */
  #answer(instance: CloudInstance): WireAnswer {
    const reservation = this.#reservations.get(instance.id) ?? element('RunInstancesResponse', []);
    const tagged = withTags(reservation, instance.tags);
    const state = this.#engine.instances.stateOf(instance);
    const current = withStates(tagged, () => ({ state, isTakenBack: instance.takenBack === true }));
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
export function instanceTags(request: QueryRequest): CloudInstance['tags'] {
  const ofInstance = request.tagSpecifications().filter(({ resourceType }) => resourceType === 'instance');
  return Object.assign({}, ...ofInstance.map(({ tags }) => tags));
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
