import { describe, expect, it } from '@jest/globals';
import { preparedLaunch } from '../../../test/workflow/prepared-launch.ts';
import { NOW, storedObject } from '../../../test/world/builders/stored-object.ts';
import { copyOf } from '../../../test/world/kubernetes/kube-object.ts';
import { tokenOf } from '../../launch-token.ts';
import type { MachineStatus, PreparedLaunch } from '../../model/machine.ts';
import { given } from '../../../providers/given.ts';
import { machine } from './machine.ts';

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
  waiting: {
    step: 'Launch',
    reason: 'RequestLimitExceeded',
    retryClass: 'throttled',
    message: 'too many requests',
    since: NOW,
    nextTry: NOW,
  },
  preparation: 'started',
  maintenance: false,
  maintenanceDrainStartTime: NOW,
  updatedAt: NOW,
  pastKnown: true,
};

describe('the status of a Machine', () => {
  it('tells of a deletion that can be aborted: that it was asked for and how far it is, or that it was aborted', () => {
    const storedOf = (preparation?: MachineStatus['preparation']) =>
      machine.writeStatus({ addresses: [], conditions: [], ...given({ preparation }) });
    expect(storedOf('aborting')).toMatchObject({ delete: true, prepareDeletionPhase: 'aborting' });
    expect(storedOf('aborted')).toMatchObject({ delete: false });
    expect(storedOf('aborted')).not.toHaveProperty('prepareDeletionPhase');
    expect(storedOf()).not.toHaveProperty('delete');
    const readBack = machine.read(storedObject({ status: copyOf(storedOf('aborted')) }));
    expect(readBack.machine.status.preparation).toBe('aborted');
  });

  it('is read as it was written: what a launch froze, what it waits for, why it failed', () => {
    const written = copyOf(machine.writeStatus(status));
    expect(machine.read(storedObject({ status: written })).machine.status).toEqual(status);
    expect(copyOf(machine.writeStatus(status))).toEqual(written);
  });

  it('shows a failure in both of the fields that its readers know', () => {
    expect(machine.writeStatus(status)).toMatchObject({
      errorReason: 'JoinClusterTimeoutError',
      failureReason: 'JoinClusterTimeoutError',
      failureMessage: 'no Node joined',
    });
  });

  it('shows it to cluster-autoscaler while it is Failed, and keeps it when it is deleted', () => {
    const written = machine.writeStatus({ ...status, phase: 'Deleting' });
    expect(written).toMatchObject({ errorReason: 'JoinClusterTimeoutError', errorMessage: 'no Node joined' });
    expect(written).not.toHaveProperty('failureReason');
    expect(written).not.toHaveProperty('failureMessage');
    expect(machine.read(storedObject({ status: copyOf(written) })).machine.status.error).toEqual(status.error);
  });

  it('tells in every condition which generation it speaks of', () => {
    const written = machine.writeStatus({ ...status, observedGeneration: 4 });
    expect(written).toMatchObject({ observedGeneration: 4, conditions: [{ observedGeneration: 4 }] });
  });

  it('leaves conditions of others alone: they are neither read nor written', () => {
    const foreign = { type: 'MachineReachable', status: 'True', lastTransitionTime: NOW };
    const written = copyOf(machine.writeStatus(status)) as { conditions: object[] };
    const both = { ...written, conditions: [foreign, ...written.conditions] };
    const read = machine.read(storedObject({ status: both }));
    expect(read.machine.status.conditions).toEqual(status.conditions);
    expect(copyOf(machine.writeStatus(read.machine.status))).toEqual(written);
    expect(read.otherConditions).toMatchObject([foreign]);
  });

  it('keeps why another controller failed it, and takes no word of an instance that no cloud gives', () => {
    const written = {
      errorReason: 'TheirReason',
      addresses: [
        { type: 'ClusterIP', address: '10.0.0.2' },
        { type: 'Hostname', address: 'h' },
      ],
      providerStatus: { instanceId: 'i-1', instanceState: 'poweredOn' },
    };
    expect(machine.read(storedObject({ status: written })).machine.status).toMatchObject({
      error: { reason: 'TheirReason', message: '' },
      addresses: [{ type: 'Hostname', address: 'h' }],
      instance: { id: 'i-1', state: 'pending' },
    });
  });

  it('is empty where there is none yet', () => {
    expect(machine.read(storedObject()).machine.status).toEqual({ addresses: [], conditions: [] });
  });
});

describe('a status that says more than is so', () => {
  const read = (more: Partial<MachineStatus>, metadata: object = {}) => {
    const written = copyOf(machine.writeStatus({ ...status, ...more }));
    return machine.read(storedObject({ metadata, status: written })).machine;
  };

  it('owns nothing where its launch has another Machine’s token: it was copied', () => {
    const copy = read({}, { uid: 'uid-of-the-copy' });
    expect(copy.copied).toEqual({ token: tokenOf('u', 3), instanceId: 'i-1' });
    const { phase, conditions, waiting, updatedAt } = status;
    expect(copy.status).toEqual({ phase, conditions, waiting, updatedAt, addresses: [] });
    expect(read({ launch: { ...ownLaunch(3), attempt: 2 } }).copied).toBeDefined();
    expect(read({})).not.toHaveProperty('copied');
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

describe('a frozen launch that cannot be read', () => {
  it('makes the Machine malformed, and its status is left as it is', () => {
    const written = copyOf(machine.writeStatus({ ...status, launch: ownLaunch() })) as {
      providerStatus: { launch: object };
    };
    const launch = { ...written.providerStatus.launch, parameters: { provider: 'aws' } };
    const read = machine.read(storedObject({ status: { ...written, providerStatus: { launch } } })).machine;
    expect(read.malformed).toEqual({
      message: "status.providerStatus.launch.parameters must have required property 'credentials'",
      isStatusReadable: false,
    });
    expect(read.status).toEqual({ addresses: [], conditions: [] });
  });
});
