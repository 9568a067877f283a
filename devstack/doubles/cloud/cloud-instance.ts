/** One instance of a cloud, and what can be told of it at a time. */

import type { Instance, InstanceState } from '../../../providers/provider.ts';
import { given } from '../../../providers/given.ts';

/** What the journal stores. Times are milliseconds since 1970. */
export interface CloudInstance {
  readonly id: string;
  readonly region: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly image: string;
  /** As the launch gave them; `cluster`, `namespace`, `name` and `machineUid` tell the owner. */
  readonly tags: Readonly<Record<string, string>>;
  /** The client token it was launched with. */
  readonly token?: string;
  readonly addresses: Instance['addresses'];
  readonly interruptible: boolean;
  /** It ended, or ends, because the cloud took it back. */
  readonly takenBack?: true;
  readonly launchedAt: number;
  /** No describe shows it before. */
  readonly visibleAt: number;
  /** Whether its node registers. */
  readonly joins: boolean;
  /** The state it was put in; a passing one gives way to the next at `givesWayAt`. */
  readonly state: InstanceState;
  readonly givesWayAt: number;
  /** How often it was rebooted. @default never */
  readonly reboots?: number;
  /** Since when it is gone from every describe without having been terminated; null: it is not. */
  readonly vanishedAt: number | null;
}

/** Answer of a launch or describe. */
export interface DescribedInstance extends Instance {
  readonly cluster?: string;
  readonly joins: boolean;
  /** How often it was rebooted; absent: never. */
  readonly reboots?: number;
  readonly launchedAt: string;
  readonly image: string;
  readonly tags: Readonly<Record<string, string>>;
}

const NEXT_STATE: Readonly<Partial<Record<InstanceState, InstanceState>>> = {
  pending: 'running',
  stopping: 'stopped',
  'shutting-down': 'terminated',
};

export function stateAt(instance: CloudInstance, now: number): InstanceState {
  return now < instance.givesWayAt ? instance.state : (NEXT_STATE[instance.state] ?? instance.state);
}

/** True as long as it takes up capacity. */
export function isLive(instance: CloudInstance, now: number): boolean {
  return instance.vanishedAt === null && stateAt(instance, now) !== 'terminated';
}

/** When it terminated or vanished; null: it has not. */
export function endedAt(instance: CloudInstance, now: number): number | null {
  return stateAt(instance, now) === 'terminated' ? instance.givesWayAt : instance.vanishedAt;
}

export function isVisible(instance: CloudInstance, now: number, terminatedVisibleMs: number): boolean {
  if (instance.vanishedAt !== null || now < instance.visibleAt) return false;
  return stateAt(instance, now) !== 'terminated' || now < instance.givesWayAt + terminatedVisibleMs;
}

/** @param scheme of the provider id */
export function describeInstance(instance: CloudInstance, scheme: string, now: number): DescribedInstance {
  const { id, region, zone, instanceType, image, tags, token, addresses, joins, reboots } = instance;
  const { interruptible, takenBack } = instance;
  return {
    id,
    providerID: `${scheme}:///${zone}/${id}`,
    state: stateAt(instance, now),
    region,
    zone,
    instanceType,
    image,
    addresses,
    ...given({ machineUid: tags['machineUid'], token, cluster: tags['cluster'] }),
    joins,
    ...given({ reboots }),
    launchedAt: new Date(instance.launchedAt).toISOString(),
    ...given({ interruptible: interruptible || undefined, takenBack }),
    tags,
  };
}

/** Addresses of the n-th instance: out of 10.128.0.0/9, unique among 8 million. */
export function addressesOf(n: number, region: string): Instance['addresses'] {
  const ip = [10, 128 | ((n >> 16) & 127), (n >> 8) & 255, n & 255].join('.');
  const hostname = `ip-${ip.replaceAll('.', '-')}.${region}.simulated.internal`;
  return [
    { type: 'InternalIP', address: ip },
    { type: 'InternalDNS', address: hostname },
    { type: 'Hostname', address: hostname },
  ];
}
