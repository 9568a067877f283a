/** Parts of the JSON Schemas of a `spec.providerSpec.value` that the providers have in common. */

/** A Secret in the Machine's namespace. */
export const SECRET_REFERENCE = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: {
      type: 'string',
      description: 'Name of the Secret.',
      pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
      maxLength: 253,
    },
  },
} as const;

/** The Secret whose key `userData` an instance is launched with. */
export const USER_DATA_SECRET = {
  ...SECRET_REFERENCE,
  description: "Secret in the Machine's namespace whose key userData is handed to the instance.",
} as const;
