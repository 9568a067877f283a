/** Instances as the simulated cloud answers them, checked and cut down to what Millwright looks at. */

import { Ajv } from 'ajv';
import { compiledLater } from '../compiled-later.ts';
import { ProviderError } from '../provider-error.ts';
import { ADDRESS_TYPES, INSTANCE_STATES, type Instance } from '../provider.ts';
import { machineKeyOf } from '../machine-key.ts';
import { LAUNCH_TOKEN_TAG } from './provider-spec-schema.ts';
import { given } from '../given.ts';

const text = { type: 'string', minLength: 1 };

const instanceSchema = {
  type: 'object',
  required: ['id', 'providerID', 'state', 'region', 'zone', 'instanceType', 'addresses'],
  properties: {
    id: text,
    providerID: text,
    state: { enum: INSTANCE_STATES },
    region: text,
    zone: text,
    instanceType: text,
    addresses: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'address'],
        properties: {
          type: { enum: ADDRESS_TYPES },
          address: text,
        },
      },
    },
    machineUid: text,
    token: text,
    launchedAt: text,
    interruptible: { type: 'boolean' },
    takenBack: { type: 'boolean' },
    tags: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

/** An instance as the cloud tells it. */
type ToldInstance = Omit<Instance, 'clusters' | 'name' | 'machineKey' | 'clusterUid'> &
  Required<Pick<Instance, 'region' | 'zone' | 'instanceType'>> & { readonly tags?: Readonly<Record<string, string>> };

const ajv = new Ajv();
const isInstanceAnswer = compiledLater(() =>
  ajv.compile<{ readonly instance: ToldInstance }>({
    type: 'object',
    required: ['instance'],
    properties: { instance: instanceSchema },
  }),
);
const isInstancesAnswer = compiledLater(() =>
  ajv.compile<{ readonly instances: readonly ToldInstance[] }>({
    type: 'object',
    required: ['instances'],
    properties: { instances: { type: 'array', items: instanceSchema } },
  }),
);

/** @throws ProviderError Unknown */
export function readInstance(attempted: string, answer: unknown): Instance {
  if (isInstanceAnswer(answer)) return instanceOf(answer.instance);
  throw new ProviderError('Unknown', `${attempted}: the cloud's answer is no instance`);
}

/** @throws ProviderError Unknown */
export function readInstances(attempted: string, answer: unknown): readonly Instance[] {
  if (isInstancesAnswer(answer)) return answer.instances.map(instanceOf);
  throw new ProviderError('Unknown', `${attempted}: the cloud's answer is no list of instances`);
}

/** Answers end up in workflow histories: nothing goes along that nobody reads. */
function instanceOf(instance: ToldInstance): Instance {
  const { id, providerID, state, region, zone, instanceType, machineUid, launchedAt } = instance;
  const { interruptible, takenBack } = instance;
  const { cluster, namespace, name, clusterUid } = instance.tags ?? {};
  const token = instance.token ?? instance.tags?.[LAUNCH_TOKEN_TAG];
  return {
    id,
    providerID,
    state,
    region,
    zone,
    instanceType,
    addresses: instance.addresses.map(({ type, address }) => ({ type, address })),
    ...given({
      machineUid,
      clusters: cluster === undefined ? undefined : [cluster],
      name,
      machineKey: namespace === undefined || name === undefined ? undefined : machineKeyOf({ namespace, name }),
      clusterUid,
      token,
      launchedAt,
      interruptible,
      takenBack,
    }),
  };
}
