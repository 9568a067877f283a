import { answerCall } from '../../../devstack/doubles/cloud/json-front/api.ts';
import { SimulatedCloud } from '../../../devstack/doubles/cloud/json-front/simulated-cloud.ts';
import { wireTo } from '../../../devstack/doubles/cloud/wire/in-memory.ts';
import type { Clock } from '../../../providers/clock.ts';
import { given } from '../../../providers/given.ts';
import { createSimulatedProvider } from '../../../providers/simulated/simulated-provider.ts';
import type { WireRequest } from '../../../providers/wire.ts';
import { SIMULATED } from '../../world/builders/a-machine.ts';
import type { CloudCall, CloudModel } from './cloud.ts';

/** @param tokens whether it honours client tokens, and is sent them */
export function simulatedCloud(cloudClock: Clock, tokens: boolean): CloudModel {
  const cloud = new SimulatedCloud({ clock: cloudClock, tokens });
  return {
    engine: cloud.engine,
    wire: wireTo((call) => answerCall(cloud, call)),
    providerOver: (endpoint, clock, readSecret) =>
      createSimulatedProvider({ clock, endpoint, readSecret, idempotency: tokens ? 'token' : 'lookup' }),
    read,
    ownerOf: ({ machineUid, name }) => given({ machineUid, name }),
    launchForeign: async () => {
      const tags = { cluster: 'another', namespace: 'default', name: 'single-1' };
      return (await cloud.launch({ zone: 'zone-a', instanceType: 'sim.small', image: 'image-default', tags })).id;
    },
    instanceTypes: ['sim.small', 'sim.medium', 'sim.large'],
    spec: SIMULATED,
    classProvider: 'simulated',
  };
}

function read({ path, body = '{}' }: WireRequest): CloudCall {
  const [collection, name = '', operation] = path.slice(1).split('/');
  if (collection === 'catalog') return { action: 'catalog' };
  const instance = name.startsWith('i-') ? name : undefined;
  if (name === 'dry-run') return { action: 'dryRun' };
  if (operation !== undefined || name === 'describe') return { action: operation ?? name, instance };
  const { tags } = JSON.parse(body) as { readonly tags?: { readonly machineUid?: string } };
  return { action: 'launch', machineUid: tags?.machineUid };
}
