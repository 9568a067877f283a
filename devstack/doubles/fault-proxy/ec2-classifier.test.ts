import { expect, it } from '@jest/globals';
import { A_LAUNCH, signature } from '../cloud/ec2-front/front-for-tests.ts';
import { createEc2Classifier } from './ec2-classifier.ts';
import type { ProxiedRequest } from './proxied-request.ts';

const request = (action: string, params: Record<string, string> = {}, version = '2016-11-15'): ProxiedRequest => ({
  method: 'POST',
  url: '/',
  headers: { authorization: signature(version === '2016-11-15' ? 'ec2' : 'elasticloadbalancing') },
  body: Buffer.from(new URLSearchParams({ Action: action, Version: version, ...params }).toString()),
});
const by = (name: string, ...values: string[]): Record<string, string> => ({
  'Filter.1.Name': name,
  ...Object.fromEntries(values.map((value, i) => [`Filter.1.Value.${i + 1}`, value])),
});
const ANSWER = {
  status: 200,
  headers: {},
  body: Buffer.from(
    '<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>i-1</instanceId>' +
      '<clientToken>token-9</clientToken><privateIpAddress>10.0.0.1</privateIpAddress><tagSet>' +
      '<item><key>millwright/machine</key><value>default/web-9</value></item>' +
      '<item><key>millwright/machine-uid</key><value>uid-9</value></item></tagSet></item></instancesSet></item>' +
      '</reservationSet></DescribeInstancesResponse>',
  ),
};

const ELB = '2012-06-01';
const ELB_V2 = '2015-12-01';

it.each([
  ['launch instances default/web-1', request('RunInstances', A_LAUNCH)],
  ['describe instances/by-id default/web-9', request('DescribeInstances', { 'InstanceId.1': 'i-1' })],
  ['describe instances/by-id default/web-9,i-2', request('DescribeInstances', by('instance-id', 'i-2', 'i-1'))],
  [
    'describe instances/by-machine default/web-9',
    request('DescribeInstances', by('tag:millwright/machine-uid', 'uid-9')),
  ],
  ['describe instances/by-token default/web-9', request('DescribeInstances', by('client-token', 'token-9'))],
  ['describe instances/by-name web-9', request('DescribeInstances', by('tag:Name', 'web-9'))],
  ['describe instances/by-cluster c1', request('DescribeInstances', by('tag:kubernetes.io/cluster/c1', 'owned'))],
  ['describe instances/all ', request('DescribeInstances')],
  ['terminate instances default/web-9', request('TerminateInstances', { 'InstanceId.1': 'i-1' })],
  ['get images ', request('DescribeImages')],
  ['get subnets ', request('DescribeSubnets')],
  ['get security-groups ', request('DescribeSecurityGroups')],
  ['get loadbalancers ', request('DescribeLoadBalancers', {}, ELB_V2)],
  ['CreateTags other ', request('CreateTags')],
  [
    'register loadbalancers default/web-9',
    request('RegisterInstancesWithLoadBalancer', { 'Instances.member.1.InstanceId': 'i-1' }, ELB),
  ],
  ['register target-groups default/web-9', request('RegisterTargets', { 'Targets.member.1.Id': '10.0.0.1' }, ELB_V2)],
  ['deregister target-groups default/web-9', request('DeregisterTargets', { 'Targets.member.1.Id': 'i-1' }, ELB_V2)],
])('reads %s', (expected, proxied) => {
  const { classify, learn } = createEc2Classifier();
  learn?.(request('DescribeInstances'), ANSWER);
  const { verb, resource, object } = classify(proxied) ?? {};
  expect(`${verb} ${resource} ${object}`).toBe(expected);
});

it('knows the Machine of a token and a uid from the launch on', () => {
  const { classify } = createEc2Classifier();
  classify(request('RunInstances', A_LAUNCH));
  expect(classify(request('DescribeInstances', by('client-token', 'token-1')))?.object).toBe('default/web-1');
  expect(classify(request('DescribeInstances', by('tag:millwright/machine-uid', 'uid-1')))?.object).toBe(
    'default/web-1',
  );
});

it('does not number switches, health and ledger', () => {
  const { classify } = createEc2Classifier();
  const headers = {};
  const body = Buffer.from('');
  expect(classify({ method: 'GET', url: '/ledger', headers, body })).toBeUndefined();
  expect(classify({ method: 'PUT', url: '/behaviours/*', headers, body })).toBeUndefined();
  expect(classify({ method: 'POST', url: '/instances/i-1/stop', headers, body })).toBeUndefined();
});
