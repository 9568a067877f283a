/** The fields of `spec.providerSpec.value` of the kind SimulatedMachineProviderConfig, as a JSON Schema. */

import { SECRET_REFERENCE, USER_DATA_SECRET } from '../spec-schema.ts';

export const PROVIDER_SPEC_API_VERSION = 'machine.millwright.dev/v1alpha1';
export const PROVIDER_SPEC_KIND = 'SimulatedMachineProviderConfig';

/** What a spec that leaves a field out gets. */
export const PROVIDER_SPEC_DEFAULTS = { region: 'sim-1', zone: 'zone-a', image: 'image-default' } as const;

/** Tag that tells the token of a launch, where the cloud does not. */
export const LAUNCH_TOKEN_TAG = 'launchToken';
/** Tags that tell whose an instance is; Millwright sets them itself. */
const OWNER_TAGS = ['cluster', 'namespace', 'name', 'machineUid', 'clusterUid', LAUNCH_TOKEN_TAG] as const;

const name = { type: 'string', minLength: 1, maxLength: 63 } as const;

export const PROVIDER_SPEC_SCHEMA = {
  $id: 'https://millwright.dev/schemas/simulated-machine-provider-config.json',
  title: PROVIDER_SPEC_KIND,
  description: 'What an instance of the simulated cloud is made of.',
  type: 'object',
  required: ['apiVersion', 'kind', 'instanceType'],
  additionalProperties: false,
  properties: {
    apiVersion: { const: PROVIDER_SPEC_API_VERSION },
    kind: { const: PROVIDER_SPEC_KIND },
    metadata: { type: 'object', description: 'Accepted because clients write it; ignored.' },
    instanceType: {
      ...name,
      description: 'What the cloud should run, e.g. sim.medium: any name that begins with sim.',
    },
    region: { ...name, description: `Region. Default: ${PROVIDER_SPEC_DEFAULTS.region}, the one there is.` },
    zone: {
      ...name,
      description: `zone-a, zone-b or zone-c. Default: ${PROVIDER_SPEC_DEFAULTS.zone}.`,
    },
    image: {
      ...name,
      description: `Image to boot: any name that begins with image-. Default: ${PROVIDER_SPEC_DEFAULTS.image}.`,
    },
    userDataSecret: USER_DATA_SECRET,
    credentialsSecret: {
      ...SECRET_REFERENCE,
      description:
        "Secret in the Machine's namespace whose key token is shown to the cloud. Default: none, which the cloud " +
        'accepts until it is told otherwise.',
    },
    tags: {
      type: 'array',
      maxItems: 40,
      description: 'More tags for the instance.',
      items: {
        type: 'object',
        required: ['name', 'value'],
        additionalProperties: false,
        properties: {
          name: {
            type: 'string',
            minLength: 1,
            maxLength: 128,
            not: { enum: OWNER_TAGS },
            description: `Unique; ${OWNER_TAGS.join(', ')} are Millwright's own.`,
          },
          value: { type: 'string', maxLength: 256 },
        },
      },
    },
  },
} as const;
