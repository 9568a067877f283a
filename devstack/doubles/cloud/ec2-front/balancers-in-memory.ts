/** What the front needs of moto's load balancers, in this process: there is one of every name. What has `nope` in its name does not exist. */

import { instanceIdsIn } from './instance-ids.ts';
import type { QueryRequest } from './query-request.ts';
import { element, type XmlElement } from './xml.ts';

/** Who is behind a load balancer, by its name or by the target group's ARN. */
export interface Registration {
  readonly behind: string;
  /** An instance's id, or its address. */
  readonly target: string;
}

const ARN = 'arn:aws:elasticloadbalancing:us-east-1:123456789012';
/** Each network load balancer has one of either. */
const TARGET_TYPES = ['instance', 'ip'] as const;

export class BalancersInMemory {
  readonly #targets = new Map<string, Set<string>>();

  registrations(): readonly Registration[] {
    return [...this.#targets].flatMap(([behind, targets]) => [...targets].map((target) => ({ behind, target })));
  }

  /** Undefined: it is no call of theirs. 'none': there is no such load balancer. */
  answer(request: QueryRequest): readonly XmlElement[] | 'none' | undefined {
    switch (request.action) {
      case 'DescribeLoadBalancers': {
        const [classic] = request.list('LoadBalancerNames.member');
        const [name = classic ?? ''] = request.list('Names.member');
        if (name.includes('nope')) return 'none';
        const found = [
          element('LoadBalancerName', name),
          element('LoadBalancerArn', `${ARN}:loadbalancer/net/${name}`),
        ];
        return classic === undefined ? resultOf(request, 'LoadBalancers', [found]) : [];
      }
      case 'DescribeTargetGroups': {
        const name = request.get('LoadBalancerArn').split('/').at(-1) ?? '';
        const groups = TARGET_TYPES.map((type) => [
          element('TargetGroupArn', `${ARN}:targetgroup/${name}/${type}`),
          element('TargetType', type),
          element('IpAddressType', 'ipv4'),
        ]);
        return resultOf(request, 'TargetGroups', groups);
      }
      case 'RegisterTargets':
      case 'RegisterInstancesWithLoadBalancer':
        return this.#change(request, (targets, id) => targets.add(id));
      case 'DeregisterTargets':
      case 'DeregisterInstancesFromLoadBalancer':
        return this.#change(request, (targets, id) => targets.delete(id));
      default:
        return undefined;
    }
  }

  #change(request: QueryRequest, change: (targets: Set<string>, id: string) => void): readonly XmlElement[] {
    const behind = request.get('TargetGroupArn') || request.get('LoadBalancerName');
    const targets = this.#targets.get(behind) ?? new Set();
    this.#targets.set(behind, targets);
    for (const id of instanceIdsIn(request)) change(targets, id);
    return [element(`${request.action}Result`, [])];
  }
}

function resultOf({ action }: QueryRequest, list: string, members: readonly (readonly XmlElement[])[]): XmlElement[] {
  const items = members.map((fields) => element('member', fields));
  return [element(`${action}Result`, [element(list, items)])];
}
