import { describe, expect, it } from '@jest/globals';
import { NOW, storedObject } from '../../../test/world/builders/stored-object.ts';
import { MACHINE_FIELD_MANAGER, SET_FIELD_MANAGER } from '../../model/field-managers.ts';
import { machine } from './machine.ts';

describe('a Machine that is read', () => {
  it.each<[string, object, true | undefined]>([
    ['a MachineSet', { manager: SET_FIELD_MANAGER, time: NOW, fieldsV1: { 'f:spec': {} } }, true],
    ['whoever restored it', { manager: 'velero', time: NOW, fieldsV1: { 'f:spec': {} } }, undefined],
    [
      'a MachineSet, as a backup tells, before it was restored',
      { manager: SET_FIELD_MANAGER, time: '2020-01-01T00:00:00Z', fieldsV1: { 'f:spec': {} } },
      undefined,
    ],
    [
      'somebody else, and was adopted by a MachineSet',
      { manager: SET_FIELD_MANAGER, time: NOW, fieldsV1: { 'f:metadata': { 'f:ownerReferences': {} } } },
      undefined,
    ],
  ])('was made by %s', (_who, fields, madeBySet) => {
    const read = machine.read(storedObject({ metadata: { managedFields: [fields] } }));
    expect(read.machine.madeBySet).toBe(madeBySet);
  });

  it('names the hooks that hold its deletion, with the point that each holds and its owner', () => {
    const hook = (name: string) => ({ name, owner: `owner of ${name}` });
    const lifecycleHooks = { preDrain: [hook('First')], preTerminate: [hook('Second')] };
    const read = machine.read(storedObject({ spec: { providerSpec: {}, lifecycleHooks } }));
    expect(read.machine.hooks).toEqual([
      { point: 'preDrain', ...hook('First') },
      { point: 'preTerminate', ...hook('Second') },
    ]);
    expect(machine.read(storedObject()).machine.hooks).toBeUndefined();
  });

  it('says how its Node is drained, and whether it is', () => {
    const drain = { timeout: '1h', onTimeout: 'Force', volumeDetachTimeout: '30s' };
    const metadata = { annotations: { 'machine.openshift.io/exclude-node-draining': '' } };
    const read = machine.read(storedObject({ metadata, spec: { providerSpec: {}, drain } }));
    const options = { timeoutMs: 3_600_000, onTimeout: 'Force', volumeDetachTimeoutMs: 30_000 };
    expect(read.machine).toMatchObject({ drain: options, excludesDrain: true });
    const last = machine.read(storedObject({ spec: { providerSpec: {}, drain: { daemonSets: 'EvictLast' } } }));
    expect(last.machine.drain).toMatchObject({ evictsDaemonSets: true });
    const little = machine.read(storedObject({ spec: { providerSpec: {}, drain: {} } }));
    expect(little.machine.drain).toEqual({ onTimeout: 'Wait', volumeDetachTimeoutMs: 120_000 });
    expect(machine.read(storedObject()).machine).not.toHaveProperty('drain');
    expect(machine.read(storedObject()).machine).not.toHaveProperty('excludesDrain');
    const hurried = (value: string) =>
      machine.read(storedObject({ metadata: { labels: { 'force-deletion': value } } })).machine.hurriesDrain;
    expect([hurried('True'), hurried('true'), hurried('')]).toEqual([true, undefined, undefined]);
  });

  it('says how it is to go, and whether: what is to be deleted goes first when its set grows smaller', () => {
    const spec = { providerSpec: {}, deletionPolicy: 'unsafe', delete: true, maintenance: true };
    const read = machine.read(storedObject({ spec }));
    expect(read.machine).toMatchObject({ deletionPolicy: 'unsafe', delete: true, maintenance: true });
    expect(read.markedForDeletion).toBe(true);
    const plain = machine.read(storedObject({ spec: { providerSpec: {}, delete: false, maintenance: false } }));
    expect(plain.machine).toMatchObject({ delete: false });
    expect(plain.machine).not.toHaveProperty('maintenance');
    expect(plain.markedForDeletion).toBe(false);
  });

  it('is asked for something by its spec, and only for that', () => {
    expect(machine.writeWish?.({ delete: true, deletionPolicy: 'forced' })).toEqual({
      spec: { delete: true, deletionPolicy: 'forced' },
    });
    expect(machine.writeWish?.({ delete: false })).toEqual({ spec: { delete: false } });
    expect(machine.writeWish?.({ delete: false, cause: null })).toEqual({
      metadata: { annotations: { 'millwright.dev/cause': null } },
      spec: { delete: false },
    });
    expect(machine.writeWish?.({ maintenance: false })).toEqual({ spec: { maintenance: false } });
  });

  it.each([
    [{ timeout: '-5m' }, 'spec.drain.timeout must be a duration, as 1h30m'],
    [{ onTimeout: 'Perhaps' }, 'spec.drain.onTimeout must be Wait or Force'],
    [{ daemonSets: 'Evict' }, 'spec.drain.daemonSets must be Ignore or EvictLast'],
  ])('is malformed where its drain is %j', (drain, message) => {
    const read = machine.read(storedObject({ spec: { providerSpec: {}, drain } }));
    expect(read.machine.malformed).toEqual({ message, isStatusReadable: true });
  });

  it('is paused by the annotation whatever its value, and names its controller and not any other owner', () => {
    const owner = { apiVersion: 'v1', kind: 'X', uid: 'x' };
    const metadata = {
      annotations: { 'cluster.x-k8s.io/paused': '' },
      ownerReferences: [
        { ...owner, name: 'other' },
        { ...owner, name: 'set', controller: true },
      ],
    };
    expect(machine.read(storedObject({ metadata })).machine).toMatchObject({ paused: true, owner: 'set' });
  });

  it('takes an empty providerID for none', () => {
    expect(machine.read(storedObject({ spec: { providerID: '' } })).machine).not.toHaveProperty('providerID');
  });
});

describe('the providerID of a Machine', () => {
  const by = (manager: string, fieldsV1: object) =>
    machine.read(storedObject({ metadata: { managedFields: [{ manager, fieldsV1 }] } })).isProviderIDOurs;

  it('is ours where our workflow wrote it', () => {
    expect(by(MACHINE_FIELD_MANAGER, { 'f:spec': { 'f:providerID': {} } })).toBe(true);
    expect(by(MACHINE_FIELD_MANAGER, { 'f:metadata': {} })).toBe(false);
    expect(by('somebody', { 'f:spec': { 'f:providerID': {} } })).toBe(false);
  });
});

describe('what is written with an instance', () => {
  const instance = { id: 'i-1', providerID: 'x:///z/i-1', state: 'running' as const, addresses: [] };

  it('tells where it runs, which is read again', () => {
    const placed = { ...instance, region: 'r', zone: 'z', instanceType: 't', interruptible: true };
    const { labels, annotations, spec } = machine.writeInstance(placed);
    expect(spec).toEqual({ providerID: 'x:///z/i-1' });
    expect(annotations).toEqual({ 'machine.openshift.io/instance-state': 'running' });
    expect(machine.read(storedObject({ metadata: { labels } })).placement).toEqual({
      region: 'r',
      zone: 'z',
      instanceType: 't',
    });
    expect(Object.keys(labels).filter((label) => !machine.own.labels.has(label))).toEqual([]);
  });

  it('has no label of what its cloud does not have', () => {
    expect(machine.writeInstance({ ...instance, region: '', zone: '' }).labels).toEqual({});
  });
});
