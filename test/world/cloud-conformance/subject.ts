import type { CloudEngine } from '../../../devstack/doubles/cloud/engine.ts';
import type { HandOperation } from '../../../devstack/doubles/cloud/by-hand.ts';
import { answerCall as answerEc2Call } from '../../../devstack/doubles/cloud/ec2-front/api.ts';
import { Ec2Front } from '../../../devstack/doubles/cloud/ec2-front/ec2-front.ts';
import type { Moto } from '../../../devstack/doubles/cloud/ec2-front/moto-client.ts';
import { answerCall } from '../../../devstack/doubles/cloud/json-front/api.ts';
import { SimulatedCloud } from '../../../devstack/doubles/cloud/json-front/simulated-cloud.ts';
import { wireTo } from '../../../devstack/doubles/cloud/wire/in-memory.ts';
import { createAwsProvider } from '../../../providers/aws/aws-provider.ts';
import type { LaunchParameters, Provider } from '../../../providers/provider.ts';
import { createSimulatedProvider } from '../../../providers/simulated/simulated-provider.ts';
import { VirtualClock } from '../../../providers/virtual-clock-for-tests.ts';
import { Random } from '../../simulation/time/random.ts';
import type { Action } from './step.ts';

/** What is launched, in words that each cloud has its own for. */
export interface Wanted {
  readonly type: 'small' | 'big';
  readonly zone: 'a' | 'b' | 'nowhere';
  readonly tag: number;
}

/** A cloud, and the provider that speaks to it. */
export interface Subject {
  readonly name: string;
  readonly clock: VirtualClock;
  readonly engine: CloudEngine;
  readonly provider: Provider;
  byHand(operation: HandOperation, id: string): Promise<void>;
  providerSpec(wanted: Wanted): object;
  /** The parameters of a launch whose type or image is no longer there. */
  without(gone: 'type' | 'image', parameters: LaunchParameters): LaunchParameters;
  /** The cloud's own words for types, zones and fields of a spec, by the common ones. */
  readonly words: { readonly type: Readonly<Record<string, string>>; readonly zone: Readonly<Record<string, string>> };
  actionOf(action: Action): string;
}

const ids = () => {
  const random = new Random('ids');
  return () => random.next();
};

export function simulatedSubject(): Subject {
  const clock = new VirtualClock({ timeOfDay: Date.parse('2026-01-01T00:00:00Z'), random: ids() });
  const cloud = new SimulatedCloud({ clock });
  const wire = wireTo((call) => answerCall(cloud, call));
  const words = {
    type: { small: 'sim.small', big: 'sim.big' },
    zone: { a: 'zone-a', b: 'zone-b', nowhere: 'nowhere' },
  };
  return {
    name: 'the simulated cloud',
    clock,
    engine: cloud.engine,
    provider: createSimulatedProvider({ clock, endpoint: wire }),
    byHand: async (operation, id) => void cloud.engine.byHand(operation, id),
    providerSpec: ({ type, zone, tag }) => ({
      apiVersion: 'machine.millwright.dev/v1alpha1',
      kind: 'SimulatedMachineProviderConfig',
      instanceType: words.type[type],
      zone: words.zone[zone],
      tags: [{ name: 'n', value: `${tag}` }],
    }),
    without: (gone, { request, ...rest }) =>
      gone === 'type'
        ? { ...rest, request, instanceType: 'nope.small' }
        : { ...rest, request: { ...request, image: 'nope' } },
    words,
    actionOf: (action) => action,
  };
}

export function ec2Subject(moto: (clock: VirtualClock) => Moto): Subject {
  const clock = new VirtualClock({ timeOfDay: Date.parse('2026-01-01T00:00:00Z'), random: ids() });
  const front = new Ec2Front({ moto: moto(clock), clock });
  const words = {
    type: { small: 'm5.large', big: 't3.large' },
    zone: { a: 'us-east-1a', b: 'us-east-1b', nowhere: 'us-east-1z' },
  };
  const keys = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret-of-the-test' };
  return {
    name: 'the embedded EC2',
    clock,
    engine: front.engine,
    provider: createAwsProvider({
      clock,
      region: 'us-east-1',
      defaultKeys: async () => keys,
      wire: wireTo((call) => answerEc2Call(front, call)),
    }),
    byHand: async (operation, id) => void (await front.byHand(operation, id)),
    providerSpec: ({ type, zone, tag }) => ({
      kind: 'AWSMachineProviderConfig',
      ami: { id: 'ami-785db401' },
      instanceType: words.type[type],
      placement: { region: 'us-east-1', availabilityZone: words.zone[zone] },
      tags: [{ name: 'n', value: `${tag}` }],
    }),
    without: (gone, { request, ...rest }) =>
      gone === 'type'
        ? { ...rest, instanceType: 'nope.large', request: { ...request, InstanceType: 'nope.large' } }
        : { ...rest, request: { ...request, ImageId: 'ami-00000000nope' } },
    words,
    actionOf: (action) => (action === 'tag' ? 'CreateTags' : action),
  };
}
