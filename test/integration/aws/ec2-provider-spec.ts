/** A launch as users write it, whose image, subnet and group moto has. */
export const EC2_PROVIDER_SPEC = {
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'AWSMachineProviderConfig',
  ami: { id: 'ami-785db401' },
  instanceType: 'm5.large',
  placement: { region: 'us-east-1', availabilityZone: 'us-east-1a' },
  subnet: {
    filters: [
      { name: 'availability-zone', values: ['us-east-1a'] },
      { name: 'default-for-az', values: ['true'] },
    ],
  },
  securityGroups: [{ filters: [{ name: 'group-name', values: ['default'] }] }],
  userDataSecret: { name: 'user-data' },
  credentialsSecret: { name: 'aws-credentials' },
} as const;
