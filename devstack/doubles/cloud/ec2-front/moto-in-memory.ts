/**
 * What the front needs of moto, in this process and at once: it makes instances, shows them, tags them. For unit tests and the simulation;
 * `test/integration/aws/cloud-conformance.test.ts` compares what comes of it with the real one. What has `nope` in its name does not exist.
 */

import type { Clock } from '../../../../providers/clock.ts';
import { addressesOf } from '../cloud-instance.ts';
import { errorOfMoto, wire, type WireAnswer } from './aws-errors.ts';
import { tagSetOf } from './instance-xml.ts';
import { BalancersInMemory } from './balancers-in-memory.ts';
import { instanceTags } from './moto-launches.ts';
import type { Moto } from './moto-client.ts';
import { QueryRequest, type Filter } from './query-request.ts';
import { element, printXml, type XmlElement } from './xml.ts';

interface MotoInstance {
  readonly id: string;
  readonly reservation: XmlElement[];
  readonly fields: readonly XmlElement[];
  readonly tags: Readonly<Record<string, string>>;
}

const ACCOUNT = '123456789012';
const ZONES: Readonly<Record<string, string>> = {
  'us-east-1a': 'subnet-a',
  'us-east-1b': 'subnet-b',
  'us-east-1c': 'subnet-1',
};

export class MotoInMemory implements Moto {
  /** What it was asked. */
  readonly asked: URLSearchParams[] = [];
  readonly balancers = new BalancersInMemory();
  readonly #instances = new Map<string, MotoInstance>();
  readonly #clock: Pick<Clock, 'timeOfDay'>;
  readonly #newId: (n: number) => string;

  /** @param newId of the n-th instance */
  constructor(clock: Pick<Clock, 'timeOfDay'>, newId: (n: number) => string) {
    this.#clock = clock;
    this.#newId = newId;
  }

  async call(request: QueryRequest, params: URLSearchParams = request.params): Promise<WireAnswer> {
    this.asked.push(params);
    const asked = params === request.params ? request : new QueryRequest(params.toString(), undefined);
    const answer = this.#answer(asked);
    if (answer.status >= 400) throw errorOfMoto(answer, asked.action);
    return answer;
  }

  async close(): Promise<void> {}

  #answer(request: QueryRequest): WireAnswer {
    const ok = (...children: readonly XmlElement[]) => wire(200, element(`${request.action}Response`, children));
    switch (request.action) {
      case 'RunInstances':
        if (request.get('ImageId').includes('nope'))
          return refusal('InvalidAMIID.NotFound', 'The image id does not exist');
        if (request.get('InstanceType').includes('nope'))
          return refusal('InvalidInstanceType.NotFound', 'There is no such type');
        return ok(...reservationOf(this.#run(request)));
      case 'DescribeInstances': {
        const found = [...this.#instances.values()].filter((instance) => isMeant(instance, request.filters()));
        return ok(
          element(
            'reservationSet',
            found.map((each) => element('item', reservationOf(each))),
          ),
        );
      }
      case 'CreateTags':
        for (const id of request.list('ResourceId')) {
          const known = this.#instances.get(id);
          if (known !== undefined) this.#instances.set(id, { ...known, tags: { ...known.tags, ...request.tags() } });
        }
        return ok(element('return', 'true'));
      case 'DescribeImages':
        if (request.get('ImageId.1').includes('nope'))
          return refusal('InvalidAMIID.NotFound', 'The image id does not exist');
        return ok(element('imagesSet', []));
      case 'DescribeInstanceTypes':
        if (request.get('InstanceType.1').includes('nope'))
          return refusal('InvalidInstanceType', 'There is no such type');
        return ok(element('instanceTypeSet', request.list('InstanceType').map(typeOf)));
      case 'DescribeSubnets':
        return ok(element('subnetSet', subnetsOf(request)));
      case 'DescribeSecurityGroups':
        return ok(element('securityGroupInfo', [element('item', [element('groupId', 'sg-1')])]));
      case 'GetCallerIdentity':
        return ok(element('GetCallerIdentityResult', [element('Account', ACCOUNT)]));
      case 'DescribeHosts':
        return { status: 500, body: '<!doctype html>\n<html lang=en><h1>Internal Server Error</h1>' };
      default: {
        const balanced = this.balancers.answer(request);
        if (balanced === 'none') return refusal('LoadBalancerNotFound', 'There is no such load balancer');
        return ok(...(balanced ?? [element('return', 'true')]));
      }
    }
  }

  #run(request: QueryRequest): MotoInstance {
    const n = this.#instances.size + 1;
    const id = this.#newId(n);
    const zone = request.get('Placement.AvailabilityZone') || 'us-east-1c';
    const [ip, name] = addressesOf(n, request.region);
    const fields = [
      element('instanceId', id),
      element('imageId', request.get('ImageId')),
      element('clientToken', request.get('ClientToken')),
      element('instanceType', request.get('InstanceType')),
      element('privateIpAddress', ip?.address ?? ''),
      element('privateDnsName', name?.address ?? ''),
      element('launchTime', new Date(this.#clock.timeOfDay()).toISOString()),
      element('placement', [element('availabilityZone', zone)]),
      element('instanceState', [element('code', '16'), element('name', 'running')]),
    ];
    const made = {
      id,
      reservation: [element('reservationId', `r-${id.slice(2)}`), element('ownerId', ACCOUNT)],
      fields,
      tags: instanceTags(request),
    };
    this.#instances.set(id, made);
    return made;
  }
}

/** All types have the same, but those of GPUs. */
function typeOf(name: string): XmlElement {
  const gpus = element('gpus', [
    element('item', [element('manufacturer', 'NVIDIA'), element('name', 'T4'), element('count', '1')]),
  ]);
  return element('item', [
    element('instanceType', name),
    element('vCpuInfo', [element('defaultVCpus', '2')]),
    element('memoryInfo', [element('sizeInMiB', '8192')]),
    element('processorInfo', [element('supportedArchitectures', [element('item', 'x86_64')])]),
    ...(name.startsWith('g') ? [element('gpuInfo', [gpus])] : []),
  ]);
}

function reservationOf({ reservation, fields, tags }: MotoInstance): XmlElement[] {
  return [...reservation, element('instancesSet', [element('item', [...fields, tagSetOf(tags)])])];
}

/** Filters by id and by tag; others let all pass. */
function isMeant({ id, tags }: MotoInstance, filters: readonly Filter[]): boolean {
  return filters.every(({ name, values }) => {
    if (name === 'instance-id') return values.includes(id);
    if (name === 'tag-key') return values.some((key) => key in tags);
    if (!name.startsWith('tag:')) return true;
    const value = tags[name.slice('tag:'.length)];
    return value !== undefined && values.includes(value);
  });
}

function subnetsOf(request: QueryRequest): XmlElement[] {
  const ids = request.list('SubnetId');
  const zones = request.filters().find(({ name }) => name === 'availability-zone')?.values;
  return Object.entries(ZONES)
    .filter(([zone, id]) => (ids.length === 0 || ids.includes(id)) && (zones?.includes(zone) ?? true))
    .map(([zone, id]) =>
      element('item', [
        element('subnetId', id),
        element('vpcId', 'vpc-1'),
        element('availabilityZone', zone),
        element('availableIpAddressCount', '4000'),
      ]),
    );
}

function refusal(code: string, message: string): WireAnswer {
  const error = element('Error', [element('Code', code), element('Message', message)]);
  return { status: 400, body: printXml(element('Response', [element('Errors', [error])])) };
}
