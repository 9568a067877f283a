/** The calls besides RunInstances: what moto answers, corrected by what the front knows. */

import { isInstanceId } from '../../../../providers/aws/provider-id.ts';
import { CloudError } from '../cloud-error.ts';
import type { CloudInstance } from '../cloud-instance.ts';
import type { Instances } from '../instances.ts';
import { ec2Answer, wire, type WireAnswer } from './aws-errors.ts';
import { instanceIdsIn } from './instance-ids.ts';
import { planFilters } from './describe-filters.ts';
import { stateElement, withStates, type ToldState } from './instance-xml.ts';
import type { Moto } from './moto-client.ts';
import type { QueryRequest } from './query-request.ts';
import { changeChildren, element, parseXml, type XmlElement } from './xml.ts';

/** Most ids that a filter of the front is translated to; with more, moto's whole answer is searched. */
const MOST_IDS = 200;

export async function serveCall(request: QueryRequest, moto: Moto, instances: Instances): Promise<WireAnswer> {
  switch (request.action) {
    case 'DescribeInstances':
      return describeInstances(request, moto, instances);
    case 'TerminateInstances':
      return changeStates(request, moto, instances, (instance) => instances.operate('terminate', instance));
    case 'RebootInstances':
      return reboot(request, moto, instances);
    case 'StopInstances':
      return changeStates(request, moto, instances, (instance) => instances.operate('stop', instance));
    case 'StartInstances':
      return changeStates(request, moto, instances, (instance) => instances.operate('start', instance));
    case 'CreateTags': {
      const ids = request.list('ResourceId').filter(isInstanceId);
      // moto takes any id.
      instances.view().require(ids);
      const answer = await moto.call(request);
      const tagged = ids.flatMap((id) => instances.get(id) ?? []);
      for (const instance of tagged) instances.addTags(instance, request.tags());
      return answer;
    }
    case 'RegisterTargets':
    case 'RegisterInstancesWithLoadBalancer':
    case 'DeregisterInstancesFromLoadBalancer':
      return changeLoadBalancer(request, moto, instances);
    default:
      return moto.call(request);
  }
}

async function describeInstances(request: QueryRequest, moto: Moto, instances: Instances): Promise<WireAnswer> {
  const view = instances.view();
  view.require(request.list('InstanceId'));
  const { upstream, fits, narrows } = planFilters(request);
  const passes = (instance: CloudInstance | undefined): boolean =>
    view.isVisible(instance) && fits({ ...instance, currentState: view.stateOf(instance) });
  let filters = upstream;
  if (narrows) {
    const ids = [...view.all()].filter(passes).map(({ id }) => id);
    if (ids.length === 0) return ec2Answer('DescribeInstances', [element('reservationSet', [])]);
    const byId = { name: 'instance-id', values: ids };
    if (ids.length <= MOST_IDS && !upstream.some(({ name }) => name === 'instance-id')) filters = [...upstream, byId];
  }
  const { body } = await moto.call(request, request.withFilters(filters));
  const stateOf = (id: string): ToldState | undefined => {
    const instance = view.get(id);
    if (instance === undefined || !passes(instance)) return undefined;
    return { state: view.stateOf(instance), isTakenBack: instance.takenBack === true };
  };
  const answer = changeChildren(parseXml(body), 'reservationSet', (set) =>
    changeChildren(set, 'item', (reservation) => withStates(reservation, stateOf)),
  );
  return wire(200, answer);
}

/** moto does the same, so that its load balancers know; states are the front's. */
async function changeStates(
  request: QueryRequest,
  moto: Moto,
  instances: Instances,
  change: (instance: CloudInstance) => CloudInstance,
): Promise<WireAnswer> {
  const ids = request.list('InstanceId');
  instances.view().require(ids);
  const before = ids.flatMap((id) => instances.get(id) ?? []);
  const previous = before.map((instance) => instances.stateOf(instance));
  // It does not know the instances of another account.
  await moto.call(request);
  const changed = before.map(change);
  const items: XmlElement[] = changed.map((instance, i) =>
    element('item', [
      element('instanceId', instance.id),
      stateElement('currentState', instances.stateOf(instance)),
      stateElement('previousState', previous[i] ?? 'pending'),
    ]),
  );
  return ec2Answer(request.action, [element('instancesSet', items)]);
}

/** Its answer says nothing but that it was taken; an instance that does not run refuses it. */
async function reboot(request: QueryRequest, moto: Moto, instances: Instances): Promise<WireAnswer> {
  const ids = request.list('InstanceId');
  instances.view().require(ids);
  // moto reboots terminated ones, too, and has them run again.
  for (const id of ids) {
    const instance = instances.get(id);
    if (instance !== undefined) instances.operate('reboot', instance);
  }
  return moto.call(request);
}

/** moto takes any id with a classic load balancer, throws where there is none of the name, and has no pending instances. */
async function changeLoadBalancer(request: QueryRequest, moto: Moto, instances: Instances): Promise<WireAnswer> {
  const name = request.get('LoadBalancerName');
  if (name !== '') {
    const params = { Action: 'DescribeLoadBalancers', Version: request.version, 'LoadBalancerNames.member.1': name };
    await moto.call(request, new URLSearchParams(params));
    const isLeaving = request.action === 'DeregisterInstancesFromLoadBalancer';
    const isKnown = (instance: CloudInstance | undefined) =>
      instance !== undefined && (isLeaving || instances.stateOf(instance) !== 'terminated');
    const unknown = instanceIdsIn(request).find((id) => !isKnown(instances.get(id)));
    if (unknown !== undefined) {
      throw new CloudError('InvalidInstance', `Could not find EC2 instance ${unknown}.`);
    }
  } else {
    const targets = instanceIdsIn(request).flatMap((id) => instances.get(id) ?? []);
    const idle = targets.filter((instance) => instances.stateOf(instance) !== 'running').map(({ id }) => id);
    if (idle.length > 0) {
      throw new CloudError(
        'InvalidTarget',
        `The following targets are not in a running state and cannot be registered: '${idle.join("', '")}'`,
      );
    }
  }
  return moto.call(request);
}
