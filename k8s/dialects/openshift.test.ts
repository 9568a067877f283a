import { SET_FIELD_MANAGER } from '../model/field-managers.ts';
import { describe, expect, it } from '@jest/globals';
import { preparedLaunch } from '../../test/workflow/prepared-launch.ts';
import { asStored } from '../../test/workflow/as-stored.ts';
import { tokenOf } from '../launch-token.ts';
import type { MachineStatus, PreparedLaunch } from '../model/machine.ts';
import { openshift } from './openshift.ts';

const NOW = '2026-01-01T00:00:00.000Z';

/** A Machine as the API server answers it. */
function stored(parts: { metadata?: object; spec?: object; status?: object } = {}) {
  return {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Machine',
    metadata: { name: 'm', namespace: 'ns', uid: 'u', generation: 4, creationTimestamp: NOW, ...parts.metadata },
    spec: parts.spec ?? {},
    ...(parts.status === undefined ? {} : { status: parts.status }),
  };
}

/** A launch of the Machine above. */
function ownLaunch(attempt = 1): PreparedLaunch {
  const launch = preparedLaunch(attempt);
  const parameters = { ...launch.parameters, credentials: { namespace: 'ns' } };
  return { ...launch, token: tokenOf('u', attempt), parameters };
}

const status: MachineStatus = {
  phase: 'Failed',
  nodeRef: { name: 'n', uid: 'uid-of-n' },
  error: { reason: 'JoinClusterTimeoutError', message: 'no Node joined' },
  addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
  conditions: [
    { type: 'InstanceExists', status: 'True', reason: 'InstanceExists', message: 'it runs', lastTransitionTime: NOW },
  ],
  instance: { id: 'i-1', state: 'running' },
  launch: ownLaunch(3),
  waiting: { step: 'Launch', reason: 'Throttled', message: 'too many requests', since: NOW, nextTry: NOW },
  updatedAt: NOW,
};

describe('the status of a Machine', () => {
  it('is read as it was written: what a launch froze, what it waits for, why it failed', () => {
    const written = asStored(openshift.writeMachineStatus(status));
    expect(openshift.readMachine(stored({ status: written })).machine.status).toEqual(status);
    expect(asStored(openshift.writeMachineStatus(status))).toEqual(written);
  });

  it('shows a failure in both of the fields that its readers know', () => {
    expect(openshift.writeMachineStatus(status)).toMatchObject({
      errorReason: 'JoinClusterTimeoutError',
      failureReason: 'JoinClusterTimeoutError',
      failureMessage: 'no Node joined',
    });
  });

  it('tells in every condition which generation it speaks of', () => {
    const written = openshift.writeMachineStatus({ ...status, observedGeneration: 4 });
    expect(written).toMatchObject({ observedGeneration: 4, conditions: [{ observedGeneration: 4 }] });
  });

  it('leaves conditions of others alone: they are neither read nor written', () => {
    const foreign = { type: 'MachineReachable', status: 'True', lastTransitionTime: NOW };
    const written = asStored(openshift.writeMachineStatus(status)) as { conditions: object[] };
    const both = { ...written, conditions: [foreign, ...written.conditions] };
    const { machine } = openshift.readMachine(stored({ status: both }));
    expect(machine.status.conditions).toEqual(status.conditions);
    expect(asStored(openshift.writeMachineStatus(machine.status))).toEqual(written);
  });

  it('is empty where there is none yet', () => {
    expect(openshift.readMachine(stored()).machine.status).toEqual({ addresses: [], conditions: [] });
  });
});

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
    const { machine } = openshift.readMachine(stored({ metadata: { managedFields: [fields] } }));
    expect(machine.madeBySet).toBe(madeBySet);
  });

  it('names the hooks that hold its deletion, with the point that each holds and its owner', () => {
    const hook = (name: string) => ({ name, owner: `owner of ${name}` });
    const lifecycleHooks = { preDrain: [hook('First')], preTerminate: [hook('Second')] };
    const { machine } = openshift.readMachine(stored({ spec: { providerSpec: {}, lifecycleHooks } }));
    expect(machine.hooks).toEqual([
      { point: 'preDrain', ...hook('First') },
      { point: 'preTerminate', ...hook('Second') },
    ]);
    expect(openshift.readMachine(stored()).machine.hooks).toBeUndefined();
  });

  it('has the same hash of its spec whatever the order of the fields, and another one for another spec', () => {
    const hashOf = (value: object): string =>
      openshift.readMachine(stored({ spec: { providerSpec: { value: { kind: 'K', ...value } } } })).machine.specHash;
    expect(hashOf({ a: 1, b: { c: 2, d: [3, 4] } })).toBe(hashOf({ b: { d: [3, 4], c: 2 }, a: 1 }));
    expect(hashOf({ a: 1 })).not.toBe(hashOf({ a: 2 }));
    expect(hashOf({ a: [1, 2] })).not.toBe(hashOf({ a: [2, 1] }));
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
    expect(openshift.readMachine(stored({ metadata })).machine).toMatchObject({ paused: true, owner: 'set' });
  });

  it('takes an empty providerID for none', () => {
    expect(openshift.readMachine(stored({ spec: { providerID: '' } })).machine).not.toHaveProperty('providerID');
  });
});

describe('a status that says more than is so', () => {
  const read = (more: Partial<MachineStatus>, metadata: object = {}) => {
    const written = asStored(openshift.writeMachineStatus({ ...status, ...more }));
    return openshift.readMachine(stored({ metadata, status: written })).machine;
  };

  it('owns nothing where its launch has another Machine’s token: it was copied', () => {
    const copy = read({}, { uid: 'uid-of-the-copy' });
    expect(copy.copied).toEqual({ token: tokenOf('u', 3), instanceId: 'i-1' });
    const { phase, conditions, waiting, updatedAt } = status;
    expect(copy.status).toEqual({ phase, conditions, waiting, updatedAt, addresses: [] });
    expect(read({ launch: { ...ownLaunch(3), attempt: 2 } }).copied).toBeDefined();
    expect(read({})).not.toHaveProperty('copied');
  });

  it('holds no place by another Machine’s launch', () => {
    const written = { providerStatus: { launch: ownLaunch(), instanceId: 'i-1', instanceState: 'running' } };
    const copy = stored({ metadata: { uid: 'v', deletionTimestamp: NOW }, status: written });
    expect(openshift.readReplica(copy).holdsPlace).toBe(false);
  });

  it('reads credentials from the Machine’s namespace, whatever it says', () => {
    const elsewhere = { namespace: 'kube-system', secretName: 's' };
    const { launch, cloud } = read({
      launch: { ...ownLaunch(), parameters: { ...ownLaunch().parameters, credentials: elsewhere } },
      cloud: { provider: 'aws', credentials: elsewhere },
    }).status;
    expect(launch?.parameters.credentials).toEqual({ namespace: 'ns', secretName: 's' });
    expect(cloud?.credentials).toEqual({ namespace: 'ns', secretName: 's' });
  });
});

describe('a Machine as its set sees it', () => {
  const launched = { providerStatus: { launch: ownLaunch(), instanceId: 'i-1', instanceState: 'running' } };
  const deleted = { deletionTimestamp: NOW };

  it('holds its place while it is deleted and its instance was not asked to end', () => {
    const holds = (state: string): boolean => {
      const providerStatus = { ...launched.providerStatus, instanceState: state };
      return openshift.readReplica(stored({ metadata: deleted, status: { providerStatus } })).holdsPlace;
    };
    expect([holds('running'), holds('shutting-down'), holds('terminated')]).toEqual([true, false, false]);
  });

  it('holds none where it lives, or where nothing was ever launched for it', () => {
    expect(openshift.readReplica(stored({ status: launched })).holdsPlace).toBe(false);
    expect(openshift.readReplica(stored({ metadata: deleted })).holdsPlace).toBe(false);
  });

  it('is marked for deletion by the annotation of today and by the old one', () => {
    const marked = (name: string): boolean =>
      openshift.readReplica(stored({ metadata: { annotations: { [name]: '' } } })).markedForDeletion;
    expect(marked('machine.openshift.io/delete-machine')).toBe(true);
    expect(marked('machine.openshift.io/cluster-api-delete-machine')).toBe(true);
  });

  it('is ready since its Node is, and not at all while that is not True', () => {
    const read = (value: string) =>
      openshift.readReplica(
        stored({ status: { conditions: [{ type: 'NodeReady', status: value, lastTransitionTime: NOW }] } }),
      ).readySince;
    expect([read('True'), read('Unknown')]).toEqual([NOW, undefined]);
  });
});

describe('a new Machine of a set', () => {
  it('is the set’s, has our finalizer from the start, and the template’s labels and spec', () => {
    const set = openshift.readMachineSet({
      ...stored({
        spec: {
          selector: { matchLabels: { set: 'w' } },
          template: { metadata: { labels: { set: 'w' } }, spec: { providerSpec: { value: { kind: 'K', a: 1 } } } },
        },
      }),
      kind: 'MachineSet',
    });
    expect(set).toMatchObject({ replicas: 1, minReadySeconds: 0, deletePolicy: 'Random' });
    expect(openshift.newMachine(set, 'm-1')).toMatchObject({
      kind: 'Machine',
      metadata: {
        name: 'm-1',
        namespace: 'ns',
        labels: { set: 'w', 'machine.openshift.io/cluster-api-machineset': 'm' },
        finalizers: ['machine.machine.openshift.io'],
        ownerReferences: [{ kind: 'MachineSet', name: 'm', uid: 'u', controller: true }],
      },
      spec: { providerSpec: { value: { a: 1 } } },
    });
  });
});
