/** For tests: a spec in which every field is set. */

export const fullSpec = {
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'AWSMachineProviderConfig',
  metadata: { name: 'ignored' },
  ami: { filters: [{ name: 'name', values: ['rhcos-*'] }] },
  instanceType: 'm6i.large',
  cpuOptions: { confidentialCompute: 'AMDEncryptedVirtualizationNestedPaging' },
  tags: [
    { name: 'team', value: 'blue' },
    { name: 'team', value: 'red' },
    { name: 'kubernetes.io/cluster/c1', value: 'shared' },
    { name: 'Name', value: 'other' },
    { name: 'millwright/machine-uid', value: 'forged' },
  ],
  iamInstanceProfile: { id: 'worker-profile' },
  userDataSecret: { name: 'worker-user-data' },
  credentialsSecret: { name: 'cloud' },
  keyName: 'key',
  deviceIndex: 0,
  publicIp: true,
  networkInterfaceType: 'EFA',
  securityGroups: [
    { filters: [{ name: 'tag:Name', values: ['c1-node'] }] },
    { id: 'sg-2' },
    { arn: 'arn:aws:ec2:eu-west-1:123456789012:security-group/sg-3' },
  ],
  subnet: { filters: [{ name: 'tag:Name', values: ['c1-private'] }] },
  placement: {
    region: 'eu-west-1',
    availabilityZone: 'eu-west-1b',
    tenancy: 'host',
    host: {
      affinity: 'DedicatedHost',
      dedicatedHost: { allocationStrategy: 'UserProvided', id: 'h-0123456789abcdef0' },
    },
  },
  loadBalancers: [
    { name: 'c1-int', type: 'network' },
    { name: 'c1-old', type: 'classic' },
  ],
  blockDevices: [
    {
      ebs: {
        encrypted: true,
        kmsKey: { arn: 'arn:aws:kms:eu-west-1:123456789012:key/1' },
        iops: 4000,
        throughputMib: 250,
        volumeSize: 120,
        volumeType: 'gp3',
      },
    },
    { deviceName: '/dev/sdb', ebs: { iops: 100, volumeType: 'gp2', deleteOnTermination: false } },
    { deviceName: '/dev/sdc', noDevice: '' },
    { deviceName: '/dev/sdd', virtualName: 'ephemeral0' },
  ],
  spotMarketOptions: { maxPrice: '0.25' },
  metadataServiceOptions: { authentication: 'Required' },
  placementGroupName: 'group',
  placementGroupPartition: 3,
  capacityReservationId: 'cr-0123456789abcdef0',
  marketType: 'Spot',
};
