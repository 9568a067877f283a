import { describe, expect, it } from '@jest/globals';
import { hostNamesOf, matchNode, namesAnother, type NodeCriteria } from './match-node.ts';
import type { Node } from '../k8s/model/node.ts';
import { given } from '../providers/given.ts';

const LAUNCHED = '2026-01-01T12:00:00Z';
const ANNOTATION = 'our/machine';
const criteria: NodeCriteria = {
  claim: { annotation: ANNOTATION, value: 'ns/m' },
  instanceId: 'i-1',
  addresses: ['10.0.0.1'],
  notBefore: LAUNCHED,
};

interface Traits {
  readonly providerID?: string;
  readonly claim?: string;
  readonly address?: string;
  /** @default InternalIP */
  readonly addressType?: string;
  readonly createdAt?: string;
  readonly deleting?: boolean;
}

function node(name: string, { providerID, claim, createdAt = LAUNCHED, deleting, ...traits }: Traits): Node {
  const { address, addressType: type = 'InternalIP' } = traits;
  return {
    metadata: {
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: createdAt,
      ...given({
        deletionTimestamp: deleting === true ? LAUNCHED : undefined,
        annotations: claim === undefined ? undefined : { [ANNOTATION]: claim },
      }),
    },
    spec: given({ providerID }),
    status: { addresses: address === undefined ? [] : [{ type, address }] },
  };
}

function matched(nodes: readonly Node[], by: NodeCriteria = criteria): string {
  const match = matchNode(nodes, by);
  return match.outcome === 'matched' ? match.node.metadata.name : match.outcome;
}

describe('which Node is the machine’s', () => {
  it('is the one with its instance in the last segment of providerID, whatever stands before', () => {
    expect(matched([node('a', { providerID: 'aws:///other/i-1' }), node('b', { address: '10.0.0.1' })])).toBe('a');
  });

  it('is the one that is annotated with the machine where no providerID tells', () => {
    expect(matched([node('a', { claim: 'ns/m' }), node('b', { address: '10.0.0.1' })])).toBe('a');
  });

  it('is the one with its address where nothing else tells', () => {
    expect(matched([node('a', { address: '10.0.0.1' }), node('b', { address: '10.0.0.2' })])).toBe('a');
  });

  it('is none whose providerID names another instance, whatever its annotation or address says', () => {
    expect(matched([node('a', { providerID: 'simulated:///zone-a/i-2', claim: 'ns/m', address: '10.0.0.1' })])).toBe(
      'none',
    );
  });

  it('is none by address alone that was there more than a minute before the launch: addresses are used again', () => {
    expect(matched([node('a', { address: '10.0.0.1', createdAt: '2026-01-01T11:58:59Z' })])).toBe('none');
    expect(matched([node('a', { address: '10.0.0.1', createdAt: '2026-01-01T11:59:00Z' })])).toBe('a');
  });

  it('is none by its name alone, whatever that looks like', () => {
    expect(matched([node('a', { address: '10.0.0.1', addressType: 'Hostname' })])).toBe('none');
  });

  it('is none by address alone where nobody knows when the machine was launched', () => {
    const { notBefore: _notBefore, ...undated } = criteria;
    expect(matched([node('a', { address: '10.0.0.1' })], undated)).toBe('none');
  });

  it('is nobody’s where several match in the same way: that is told with their names', () => {
    const twins = [node('a', { providerID: 'x/i-1' }), node('b', { providerID: 'y/i-1' })];
    const match = matchNode(twins, criteria);
    expect(match).toMatchObject({ outcome: 'ambiguous' });
    expect(match.outcome === 'ambiguous' && match.message).toContain('a, b');
  });

  it('is none that is being deleted, and none that nothing tells of', () => {
    expect(matched([node('a', { providerID: 'x/i-1', deleting: true })])).toBe('none');
    expect(matched([node('a', {})], { ...criteria, addresses: [] })).toBe('none');
  });
});

it('a Node has the name of its host, in lower case, and none that only others are told', () => {
  const addresses = [
    { type: 'InternalIP', address: '10.0.0.1' },
    { type: 'InternalDNS', address: 'Host-1.internal' },
    { type: 'Hostname', address: 'host-1.internal' },
    { type: 'Hostname', address: 'host-1' },
    { type: 'InternalDNS', address: 'ip-10-0-0-1.internal' },
    { type: 'ExternalDNS', address: 'host-1.example.com' },
  ] as const;
  expect(hostNamesOf(addresses)).toEqual(['host-1.internal', 'host-1', 'ip-10-0-0-1.internal']);
});

it('a Node names another instance where it names one, and not this one', () => {
  const another = (providerID: string | undefined, id: string | undefined) =>
    namesAnother(node('n', given({ providerID })), id);
  expect(another('aws:///zone-a/i-2', 'i-1')).toBe(true);
  expect(another('aws:///zone-a/i-2', undefined)).toBe(true);
  expect(another('aws:///zone-b/i-1', 'i-1')).toBe(false);
  expect(another(undefined, 'i-1')).toBe(false);
});
