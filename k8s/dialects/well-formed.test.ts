import { describe, expect, it } from '@jest/globals';
import { openshift } from './openshift.ts';

const METADATA = {
  name: 'm',
  namespace: 'default',
  uid: 'u',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
  finalizers: ['machine.machine.openshift.io'],
};
const machine = (more: object) => ({
  apiVersion: 'machine.openshift.io/v1beta1',
  kind: 'Machine',
  metadata: METADATA,
  ...more,
});
const machineSet = (spec: unknown) => ({ ...machine({ spec }), kind: 'MachineSet' });
const readMachine = (more: object) => openshift.readMachine(machine(more)).machine;

describe('reading a Machine that no schema has checked', () => {
  it('says which field of the spec is wrong, and keeps its status and its instance', () => {
    const status = { phase: 'Running', providerStatus: { instanceId: 'i-1', instanceState: 'running' } };
    const read = readMachine({ spec: { providerSpec: {}, taints: 'none', providerID: 'aws:///z/i-1' }, status });
    expect(read.malformed).toEqual({ message: 'spec.taints must be array', isStatusReadable: true });
    expect(read).toMatchObject({ providerID: 'aws:///z/i-1', status: { phase: 'Running', instance: { id: 'i-1' } } });
  });

  it('says that a status which cannot be read must not be written over', () => {
    const read = readMachine({ spec: { providerSpec: {} }, status: { addresses: { no: 'list' } } });
    expect(read.malformed).toEqual({ message: 'status.addresses must be array', isStatusReadable: false });
    expect(read.status).toEqual({ addresses: [], conditions: [] });
  });

  it('finds nothing wrong with one that its schema allows', () => {
    const read = readMachine({ spec: { providerSpec: { value: { kind: 'K' } } }, status: { phase: 'Provisioning' } });
    expect(read.malformed).toBeUndefined();
  });

  it.each([null, 'text', 3, [], { providerSpec: 7 }])('survives a spec of %j', (spec) => {
    expect(readMachine({ spec }).malformed?.message).toMatch(/^spec/);
    expect(openshift.readReplica(machine({ spec, status: spec }))).toMatchObject({ name: 'm', hasNode: false });
  });
});

describe('reading a MachineSet that no schema has checked', () => {
  it.each([undefined, null, 'text', { replicas: 'many', selector: {}, template: {} }])(
    'asks for nothing and says what is wrong where the spec is %j',
    (spec) => {
      const read = openshift.readMachineSet(machineSet(spec));
      expect(read).toMatchObject({ malformed: expect.stringMatching(/^spec/), replicas: 0, selector: {} });
    },
  );
});
