import { CreateLoadBalancerCommand, ElasticLoadBalancingClient } from '@aws-sdk/client-elastic-load-balancing';
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand as CreateNetworkLoadBalancerCommand,
  CreateTargetGroupCommand,
  ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2';

/** What a test's own client of the embedded EC2 is made with. */
export function clientOptionsOf(endpoint: string) {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return { endpoint, region: 'us-east-1', credentials };
}

/** Both, as a providerSpec names them. */
export const LOAD_BALANCERS = [
  { name: 'old', type: 'classic' },
  { name: 'new', type: 'network' },
] as const;

/** A classic one named `old`, and a network one named `new`, whose target group's ARN is the answer. */
export async function createLoadBalancers(endpoint: string): Promise<string> {
  const options = clientOptionsOf(endpoint);
  const classic = new ElasticLoadBalancingClient(options);
  const network = new ElasticLoadBalancingV2Client(options);
  const compute = new EC2Client(options);
  const filter = { Name: 'availability-zone', Values: ['us-east-1a'] };
  const { Subnets } = await compute.send(new DescribeSubnetsCommand({ Filters: [filter] }));
  const { SubnetId = '', VpcId = '' } = Subnets?.[0] ?? {};
  const listener = { Protocol: 'TCP', LoadBalancerPort: 443, InstancePort: 443 };
  await classic.send(
    new CreateLoadBalancerCommand({
      LoadBalancerName: 'old',
      Listeners: [listener],
      AvailabilityZones: ['us-east-1a'],
    }),
  );
  const { LoadBalancers } = await network.send(
    new CreateNetworkLoadBalancerCommand({ Name: 'new', Type: 'network', Subnets: [SubnetId] }),
  );
  const { TargetGroups } = await network.send(
    new CreateTargetGroupCommand({ Name: 'workers', Protocol: 'TCP', Port: 443, VpcId }),
  );
  const TargetGroupArn = TargetGroups?.[0]?.TargetGroupArn ?? '';
  await network.send(
    new CreateListenerCommand({
      LoadBalancerArn: LoadBalancers?.[0]?.LoadBalancerArn ?? '',
      Protocol: 'TCP',
      Port: 443,
      DefaultActions: [{ Type: 'forward', TargetGroupArn }],
    }),
  );
  for (const client of [classic, network, compute]) client.destroy();
  return TargetGroupArn;
}
