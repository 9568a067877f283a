/** Instances in EC2's answers. */

import type { InstanceState } from '../../../../providers/provider.ts';
import type { CloudInstance } from '../cloud-instance.ts';
import type { LaunchedInstance } from '../instances.ts';
import { changeChildren, child, element, textOf, type XmlElement } from './xml.ts';

const STATE_CODES: Readonly<Record<InstanceState, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

export function stateElement(name: string, state: InstanceState): XmlElement {
  return element(name, [element('code', String(STATE_CODES[state])), element('name', state)]);
}

/** The state of an instance, and whether EC2 took it back. */
export interface ToldState {
  readonly state: InstanceState;
  readonly isTakenBack: boolean;
}

/** Why EC2 ends an instance by itself: one that it lent, and one for which it has no room after all. */
const TAKEN_BACK = { lent: 'Server.SpotInstanceTermination', other: 'Server.InsufficientInstanceCapacity' } as const;

/** The item of an instance, in this state instead of moto's. A terminated one has no addresses. */
function withState(item: XmlElement, { state, isTakenBack }: ToldState): XmlElement {
  const told = changeChildren(item, 'instanceState', () => stateElement('instanceState', state));
  const others = told.children.filter(({ name }) => name !== 'stateReason');
  const code = TAKEN_BACK[textOf(item, 'instanceLifecycle') === 'spot' ? 'lent' : 'other'];
  const reason = element('stateReason', [element('code', code), element('message', code)]);
  const changed = isTakenBack ? { ...told, children: [...others, reason] } : told;
  if (state !== 'terminated') return changed;
  return { ...changed, children: changed.children.filter(({ name }) => !ADDRESS_FIELDS.has(name)) };
}

const ADDRESS_FIELDS: ReadonlySet<string> = new Set([
  'privateIpAddress',
  'privateDnsName',
  'ipAddress',
  'dnsName',
  'networkInterfaceSet',
]);

/** A reservation of one instance, with these tags in place of those that it was made with. */
export function withTags(reservation: XmlElement, tags: CloudInstance['tags']): XmlElement {
  return changeChildren(reservation, 'instancesSet', (set) =>
    changeChildren(set, 'item', (item) => changeChildren(item, 'tagSet', () => tagSetOf(tags))),
  );
}

/** An instance's tags, as EC2 writes them. */
export function tagSetOf(tags: CloudInstance['tags']): XmlElement {
  const items = Object.entries(tags).map(([key, value]) =>
    element('item', [element('key', key), element('value', value)]),
  );
  return element('tagSet', items);
}

/** What the answer of a RunInstances tells of its instance. */
export function readLaunched(root: XmlElement): Omit<LaunchedInstance, 'region' | 'tags' | 'token'> {
  const item = child(root, 'instancesSet', 'item');
  const address = (type: CloudInstance['addresses'][number]['type'], field: string) => {
    const value = textOf(item, field);
    return value === '' ? [] : [{ type, address: value }];
  };
  return {
    id: textOf(item, 'instanceId'),
    zone: textOf(item, 'placement', 'availabilityZone'),
    image: textOf(item, 'imageId'),
    instanceType: textOf(item, 'instanceType'),
    interruptible: textOf(item, 'instanceLifecycle') === 'spot',
    addresses: [
      ...address('InternalIP', 'privateIpAddress'),
      ...address('ExternalIP', 'ipAddress'),
      ...address('InternalDNS', 'privateDnsName'),
      ...address('Hostname', 'privateDnsName'),
      ...address('ExternalDNS', 'dnsName'),
    ],
  };
}

/** A reservation with its instances in these states; undefined from `stateOf` leaves an instance out. */
export function withStates(
  reservation: XmlElement,
  stateOf: (id: string) => ToldState | undefined,
): XmlElement | undefined {
  const changed = changeChildren(reservation, 'instancesSet', (set) =>
    changeChildren(set, 'item', (item) => {
      const state = stateOf(textOf(item, 'instanceId'));
      return state === undefined ? undefined : withState(item, state);
    }),
  );
  return child(changed, 'instancesSet')?.children.length === 0 ? undefined : changed;
}
