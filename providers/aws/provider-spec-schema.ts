/** The fields of `spec.providerSpec.value` of the kind AWSMachineProviderConfig, as a JSON Schema. */

import { SECRET_REFERENCE, USER_DATA_SECRET } from '../spec-schema.ts';

export const PROVIDER_SPEC_API_VERSION = 'machine.openshift.io/v1beta1';
export const PROVIDER_SPEC_KIND = 'AWSMachineProviderConfig';

/** What EC2 takes on one resource is 50; four are Millwright's own. */
const MOST_TAGS = 46;

const text = { type: 'string', minLength: 1, maxLength: 255 } as const;

const filters = {
  type: 'array',
  maxItems: 50,
  description: "Filters as EC2's Describe calls take them; all must match.",
  items: {
    type: 'object',
    required: ['name', 'values'],
    additionalProperties: false,
    properties: {
      name: { ...text, description: 'e.g. tag:Name.' },
      values: {
        type: 'array',
        minItems: 1,
        maxItems: 200,
        items: { type: 'string' },
        description: 'One of these must match.',
      },
    },
  },
} as const;

const arn = { type: 'string', minLength: 1, maxLength: 2048, pattern: '^arn:' } as const;

/** Where more than one is given, the id counts before the ARN and that before the filters, as in the Machine API. */
const reference = {
  type: 'object',
  additionalProperties: false,
  properties: { id: { ...text, description: 'Its id.' }, arn: { ...arn, description: 'Its ARN.' }, filters },
} as const;

const referenceWithoutFilters = {
  type: 'object',
  additionalProperties: false,
  properties: { id: text, arn },
} as const;

const ebs = {
  type: 'object',
  additionalProperties: false,
  properties: {
    encrypted: { type: 'boolean', description: "Default: the image's, and the account's setting." },
    kmsKey: { ...referenceWithoutFilters, description: "Key to encrypt with. Default: the account's key for EBS." },
    iops: { type: 'integer', minimum: 0, maximum: 256_000, description: 'For io1, io2 and gp3; 0: not set.' },
    throughputMib: { type: 'integer', minimum: 125, maximum: 2000, description: 'MiB/s, for gp3.' },
    volumeSize: { type: 'integer', minimum: 1, maximum: 65_536, description: "GiB. Default: the snapshot's." },
    volumeType: { enum: ['gp2', 'gp3', 'io1', 'io2', 'st1', 'sc1', 'standard'] },
    deleteOnTermination: { type: 'boolean', description: 'Default: true.' },
  },
} as const;

const blockDevice = {
  type: 'object',
  additionalProperties: false,
  properties: {
    deviceName: { ...text, description: "e.g. /dev/sdh. Default: the image's root device; one may leave it out." },
    ebs: { ...ebs, description: 'A volume that is made with the instance.' },
    noDevice: { type: 'string', maxLength: 255, description: 'Present, even if empty: no device of this name.' },
    virtualName: { ...text, pattern: '^ephemeral[0-9]+$', description: 'An instance store volume, ephemeralN.' },
  },
} as const;

const host = {
  type: 'object',
  required: ['affinity'],
  additionalProperties: false,
  properties: {
    affinity: { enum: ['AnyAvailable', 'DedicatedHost'] },
    dedicatedHost: {
      type: 'object',
      required: ['id'],
      additionalProperties: false,
      properties: {
        allocationStrategy: { const: 'UserProvided', description: 'Hosts are not allocated.' },
        id: { type: 'string', pattern: '^h-([0-9a-f]{8}|[0-9a-f]{17})$', description: 'Id of the host.' },
      },
    },
  },
} as const;

const placement = {
  type: 'object',
  additionalProperties: false,
  properties: {
    region: { ...text, description: "Default: that of the zone, else the worker's (AWS_REGION)." },
    availabilityZone: { ...text, description: "Default: the subnet's." },
    tenancy: { enum: ['default', 'dedicated', 'host'] },
    host: { ...host, description: 'A dedicated host that is there; only with tenancy host.' },
  },
} as const;

const loadBalancers = {
  type: 'array',
  maxItems: 50,
  description: 'Load balancers the instance goes behind.',
  items: {
    type: 'object',
    required: ['name', 'type'],
    additionalProperties: false,
    properties: { name: text, type: { enum: ['classic', 'network'] } },
  },
} as const;

const tags = {
  type: 'array',
  maxItems: MOST_TAGS,
  description: "More tags for the instance, its volumes and its network interface. Millwright's own count first.",
  items: {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 128, description: 'Not aws:…, which EC2 keeps for itself.' },
      value: { type: 'string', maxLength: 256, description: 'Default: empty.' },
    },
  },
} as const;

export const PROVIDER_SPEC_SCHEMA = {
  $id: 'https://millwright.dev/schemas/aws-machine-provider-config.json',
  title: PROVIDER_SPEC_KIND,
  description: 'What an EC2 instance is made of, as the Machine API of OpenShift has it.',
  type: 'object',
  required: ['kind', 'ami', 'instanceType'],
  additionalProperties: false,
  properties: {
    apiVersion: { enum: [PROVIDER_SPEC_API_VERSION, 'awsproviderconfig.openshift.io/v1beta1'] },
    kind: { const: PROVIDER_SPEC_KIND },
    metadata: { type: 'object', description: 'Accepted because clients write it; ignored.' },
    ami: { ...reference, description: 'Image to boot; of several that the filters find, the newest.' },
    instanceType: { ...text, description: 'e.g. m6i.xlarge.' },
    cpuOptions: {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties: { confidentialCompute: { enum: ['Disabled', 'AMDEncryptedVirtualizationNestedPaging'] } },
    },
    tags,
    iamInstanceProfile: { ...referenceWithoutFilters, description: 'Instance profile; its id is its name.' },
    userDataSecret: USER_DATA_SECRET,
    credentialsSecret: {
      ...SECRET_REFERENCE,
      description:
        "Secret in the Machine's namespace with aws_access_key_id and aws_secret_access_key. Default: what the AWS SDK " +
        'finds in the worker.',
    },
    keyName: { ...text, description: 'Key pair for SSH.' },
    deviceIndex: { type: 'integer', minimum: 0, maximum: 255, description: 'Of the network interface. Default: 0.' },
    publicIp: { type: 'boolean', description: "A public address. Default: the subnet's setting." },
    networkInterfaceType: { enum: ['ENA', 'EFA'] },
    securityGroups: {
      type: 'array',
      maxItems: 50,
      items: reference,
      description: "Security groups; filters look in the subnet's VPC. Default: the VPC's default group.",
    },
    subnet: { ...reference, description: "Subnet. Default: the default subnet of the placement's zone." },
    placement: { ...placement, description: 'Where the instance runs.' },
    loadBalancers,
    blockDevices: { type: 'array', maxItems: 50, items: blockDevice, description: "Besides the image's own." },
    spotMarketOptions: {
      type: 'object',
      description: 'Present: a spot instance, asked for once.',
      additionalProperties: false,
      properties: { maxPrice: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?$', description: 'USD per hour.' } },
    },
    metadataServiceOptions: {
      type: 'object',
      additionalProperties: false,
      properties: { authentication: { enum: ['Required', 'Optional'], description: 'Required: IMDSv2 only.' } },
    },
    placementGroupName: { ...text, description: 'A placement group that is there.' },
    placementGroupPartition: { type: 'integer', minimum: 1, maximum: 7, description: 'Partition of that group.' },
    capacityReservationId: { type: 'string', pattern: '^cr-[0-9a-f]{17}$' },
    marketType: { enum: ['OnDemand', 'Spot', 'CapacityBlock'] },
  },
} as const;
