import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { replicaOf } from '../model/replica.ts';
import { storedObject } from '../../test/world/builders/stored-object.ts';
import type { StoredObject } from './kind.ts';
import { healthchecking } from './healthchecking/api.ts';
import { openshift } from './openshift/api.ts';

const machine = (more: object) => ({ ...storedObject(), ...more });
const machineSet = (spec: unknown) => storedObject({ kind: 'MachineSet', spec });
const readMachine = (more: object) => openshift.machine.read(machine(more)).machine;

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
    expect(replicaOf(openshift.machine.read(machine({ spec, status: spec })))).toMatchObject({
      name: 'm',
      hasNode: false,
    });
  });
});

describe('reading a MachineSet that no schema has checked', () => {
  it.each([undefined, null, 'text', { replicas: 'many', selector: {}, template: {} }])(
    'asks for nothing and says what is wrong where the spec is %j',
    (spec) => {
      const read = openshift.machineSet.read(machineSet(spec));
      expect(read.machineSet).toMatchObject({ malformed: expect.stringMatching(/^spec/), replicas: 0, selector: {} });
    },
  );
});

const machineClass = (more: object) => ({ ...machine(more), kind: 'MachineClass' });
const cluster = (more: object) => ({ ...machine(more), kind: 'Cluster' });
const readClass = (more: object) =>
  openshift.machineClass.read(machineClass({ provider: 'simulated', providerSpec: { zone: 'a' }, ...more }))
    .machineClass;

describe('reading a MachineClass that no schema has checked', () => {
  it.each<[object, string]>([
    [{ secretRef: null }, 'secretRef must be object'],
    [{ credentialsSecretRef: { name: 7 } }, 'credentialsSecretRef.name must be string'],
    [{ provider: ['aws'] }, 'provider must be string'],
    [{ providerSpec: 'x' }, 'providerSpec must be object'],
    [{ status: { conditions: 'x' } }, 'status.conditions must be array'],
  ])('says what is wrong with %j, and reads the rest', (more, malformed) => {
    expect(readClass(more)).toMatchObject({ malformed, ref: { name: 'm' } });
  });

  it('finds nothing wrong with one that its schema allows, nor with fields that it does not know', () => {
    const read = readClass({ secretRef: { name: 's' }, nodeTemplate: { capacity: { cpu: 4, memory: '1Gi' } }, x: 1 });
    expect(read).not.toHaveProperty('malformed');
    expect(read.userDataSecret).toEqual({ name: 's' });
  });
});

describe('reading a Cluster that no schema has checked', () => {
  it.each<[unknown, string]>([
    [null, 'spec must be object'],
    [{ paused: 'no' }, 'spec.paused must be boolean'],
    [{ defaults: { region: 'r', tags: [null] } }, 'spec.defaults.tags.0 must be object'],
    [{ defaults: { credentialsSecret: {} } }, "spec.defaults.credentialsSecret must have required property 'name'"],
  ])('takes one with the spec %j for paused, says what is wrong, and takes nothing from it', (spec, malformed) => {
    expect(openshift.cluster.read(cluster({ spec })).cluster).toMatchObject({
      malformed,
      paused: true,
      defaults: { tags: [] },
    });
  });

  it('reads one whose status is malformed, which nobody needs', () => {
    const read = openshift.cluster.read(cluster({ spec: { defaults: { region: 'r' } }, status: 'x' })).cluster;
    expect(read).toMatchObject({ paused: false, defaults: { region: 'r', tags: [] } });
    expect(read).not.toHaveProperty('malformed');
  });
});

const CHECK_FIELDS = ['selector', 'matchLabels', 'unhealthyConditions', 'maxUnhealthy', 'remediation', 'steps'];
const FIELDS = [
  ...CHECK_FIELDS,
  'conditions',
  'defaults',
  'tags',
  'credentialsSecret',
  'providerSpec',
  'taints',
  'providerStatus',
];
const json = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...FIELDS), fc.jsonValue({ maxDepth: 3 })));

describe('reading any object', () => {
  const parts = fc.record(
    { spec: json, status: json, provider: json, providerSpec: json, secretRef: json, credentialsSecretRef: json },
    { requiredKeys: [] },
  );
  it('never throws', () => {
    const reads: ((object: StoredObject) => unknown)[] = [
      (object) => replicaOf(openshift.machine.read(object)),
      (object) => openshift.machineSet.read(object),
      (object) => openshift.machineClass.read(object),
      (object) => openshift.cluster.read(object),
      (object) => openshift.machineHealthCheck.read(object),
      (object) => healthchecking.machineHealthCheck.read(object),
    ];
    fc.assert(
      fc.property(parts, (more) => {
        for (const read of reads) read(machine(more));
      }),
    );
  });
});
