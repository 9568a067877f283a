/** Requests to EC2 and to its load balancers. */

import { wordOf } from '../cloud/ec2-front/actions.ts';
import { isDryRun } from '../cloud/ec2-front/dry-run.ts';
import { instanceIdsIn } from '../cloud/ec2-front/instance-ids.ts';
import { MACHINE_TAG, MACHINE_UID_TAG } from '../cloud/ec2-front/machine-tags.ts';
import { QueryRequest } from '../cloud/ec2-front/query-request.ts';
import { child, parseXml, textOf, type XmlElement } from '../cloud/ec2-front/xml.ts';
import type { Classifier } from './proxied-request.ts';
import type { ClassifiedRequest } from './request-point.ts';

export interface Ec2ClassifierOptions {
  /**
   * The Machine, as `namespace/name`, of a uid, token, instance id or address that neither a launch nor an answer through
   * this proxy has told yet. undefined: that text itself counts as the object. @default nothing is known
   */
  readonly machineOf?: (key: string) => string | undefined;
}

/** Resources of calls that are about something else than instances; `DescribeKeyPairs` and others go by their action. */
const RESOURCES: Readonly<Record<string, string>> = {
  DescribeAvailabilityZones: 'zones',
  DescribeImages: 'images',
  DescribeInstanceTypes: 'instance-types',
  DescribeLoadBalancers: 'loadbalancers',
  DescribeSecurityGroups: 'security-groups',
  DescribeSubnets: 'subnets',
  DescribeTargetGroups: 'target-groups',
  DescribeTargetHealth: 'target-groups/health',
  DescribeInstanceHealth: 'loadbalancers/health',
  RegisterTargets: 'target-groups',
  DeregisterTargets: 'target-groups',
  RegisterInstancesWithLoadBalancer: 'loadbalancers',
  DeregisterInstancesFromLoadBalancer: 'loadbalancers',
};

/**
 * Verbs are launch, describe, terminate, register, deregister, stop, start, else the AWS action; of reads of other things
 * than instances: get. Describes of instances are told apart by what they ask by: `instances/by-id`, `…/by-machine`,
 * `…/by-token`, `…/by-name`, `…/by-cluster`, `…/all`; other resources are `images`, `subnets`, `security-groups`,
 * `loadbalancers`, `target-groups`. The object is the Machine, `namespace/name`; where one call is about several they are
 * joined by commas, and by cluster it is the cluster. The front's switches, health and ledger are not numbered.
 */
export function createEc2Classifier(options: Ec2ClassifierOptions = {}): Classifier {
  /** Instance id, private address, machine uid and token → the Machine. */
  const machines = new Map<string, string>();
  const machineOf = (key: string): string => machines.get(key) ?? options.machineOf?.(key) ?? key;
  const machinesOf = (keys: readonly string[]): string => [...new Set(keys.map(machineOf))].toSorted().join(',');
  const remember = (machine: string, ...keys: string[]): void => {
    for (const key of keys) if (key !== '') machines.set(key, machine);
  };

  const classifyLaunch = (call: QueryRequest): ClassifiedRequest => {
    const tags = call.tagSpecifications().find(({ resourceType }) => resourceType === 'instance')?.tags ?? {};
    const machine = ownerOf(tags);
    if (machine !== '') remember(machine, tags[MACHINE_UID_TAG] ?? '', call.get('ClientToken'));
    return { verb: 'launch', resource: 'instances', object: machine };
  };

  const classifyDescribe = (call: QueryRequest): ClassifiedRequest => {
    const describe = (by: string, object: string): ClassifiedRequest => ({
      verb: 'describe',
      resource: `instances/${by}`,
      object,
    });
    const valuesOf = (name: string) => call.filters().find((filter) => filter.name === name)?.values;
    const ids = instanceIdsIn(call);
    if (ids.length > 0) return describe('by-id', machinesOf(ids));
    const uids = valuesOf(`tag:${MACHINE_UID_TAG}`);
    if (uids !== undefined) return describe('by-machine', machinesOf(uids));
    const tokens = valuesOf('client-token');
    if (tokens !== undefined) return describe('by-token', machinesOf(tokens));
    const names = valuesOf(`tag:${MACHINE_TAG}`) ?? valuesOf('tag:Name');
    if (names !== undefined) return describe('by-name', names.toSorted().join(','));
    const cluster = clusterIn(call);
    return cluster === '' ? describe('all', '') : describe('by-cluster', cluster);
  };

  return {
    classify: ({ method, url, headers, body }) => {
      if (method !== 'POST' || new URL(url, 'http://ec2').pathname !== '/') return undefined;
      const call = new QueryRequest(body.toString('utf8'), headers.authorization);
      if (call.action === '') return undefined;
      if (isDryRun(call)) return { verb: 'dryRun', resource: 'instances', object: '' };
      if (call.action === 'RunInstances') return classifyLaunch(call);
      if (call.action === 'DescribeInstances') return classifyDescribe(call);
      const word = wordOf(call.action);
      const verb = word.startsWith('Describe') ? 'get' : word;
      return {
        verb,
        resource: RESOURCES[call.action] ?? (word === call.action ? 'other' : 'instances'),
        object: machinesOf(instanceIdsIn(call)),
      };
    },
    learn: (_request, answer) => {
      const text = answer.body.toString('utf8');
      // Most answers tell of no instances; these two do.
      if (!/<(?:RunInstances|DescribeInstances)Response/.test(text)) return;
      for (const item of instancesIn(parseXml(text))) {
        const tags = tagsOf(item);
        const machine = ownerOf(tags);
        if (machine === '') continue;
        const keys = ['instanceId', 'privateIpAddress', 'clientToken'].map((field) => textOf(item, field));
        remember(machine, tags[MACHINE_UID_TAG] ?? '', ...keys);
      }
    },
  };
}

function instancesIn(root: XmlElement): XmlElement[] {
  const reservations = child(root, 'reservationSet')?.children ?? [root];
  return reservations.flatMap((reservation) => child(reservation, 'instancesSet')?.children ?? []);
}

function tagsOf(item: XmlElement): Readonly<Record<string, string>> {
  const tags = child(item, 'tagSet')?.children ?? [];
  return Object.fromEntries(tags.map((tag) => [textOf(tag, 'key'), textOf(tag, 'value')]));
}

/** `namespace/name`; empty where the tags name no Machine. */
function ownerOf(tags: Readonly<Record<string, string>>): string {
  return tags[MACHINE_TAG] ?? '';
}

/** The cluster whose tag is asked for, by `tag:kubernetes.io/cluster/<name>` or by `tag-key`. */
function clusterIn(call: QueryRequest): string {
  for (const { name, values } of call.filters()) {
    const key = name === 'tag-key' ? (values[0] ?? '') : name.replace(/^tag:/, '');
    const cluster = /^kubernetes\.io\/cluster\/(.+)$/.exec(key)?.[1];
    if (cluster !== undefined) return cluster;
  }
  return '';
}
