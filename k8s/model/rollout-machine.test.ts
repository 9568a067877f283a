import { describe, expect, it } from '@jest/globals';
import { aLaunch } from '../../test/world/builders/a-launch.ts';
import { NOW, storedObject } from '../../test/world/builders/stored-object.ts';
import { given } from '../../providers/given.ts';
import { openshift } from '../dialects/openshift/api.ts';
import { rolloutMachineOf } from './rollout-machine.ts';

const LATER = '2026-01-01T01:00:00.000Z';
const see = (status: object) => rolloutMachineOf(openshift.machine.read(storedObject({ status })));
const says = (type: string, status: string, lastTransitionTime = NOW) => ({ type, status, lastTransitionTime });

const gone = (reason: string) => ({ ...says('InstanceExists', 'False'), reason, message: 'instance i-1 is gone' });
const takenBack = gone('InstanceTakenBack');

/** Failed so that cluster-autoscaler turns elsewhere, and tried on. */
const waitingForRoom = {
  phase: 'Failed',
  errorReason: 'InsufficientResources',
  errorMessage: 'no room',
  providerStatus: { launch: aLaunch({ namespace: 'ns', name: 'm', uid: 'u' }) },
};

describe('a Machine as its deployment sees it', () => {
  it('is of the set that controls it, Ready since its Node is, and not usable while its status says so', () => {
    const controller = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', name: 's', uid: 'uid-of-s' };
    const metadata = { ownerReferences: [{ ...controller, controller: true }] };
    const tainted = { ...says('Usable', 'False'), reason: 'StartupTaints', message: 'a taint is left' };
    const status = { conditions: [says('NodeReady', 'True', LATER), tainted] };
    expect(rolloutMachineOf(openshift.machine.read(storedObject({ metadata, status })))).toMatchObject({
      controller: 'uid-of-s',
      readySince: LATER,
      unusable: 'a taint is left',
    });
  });

  it('was launched when its instance was made', () => {
    const at = (...conditions: object[]) => see({ conditions }).launchedAt;
    expect(at(says('InstanceExists', 'True'), says('MachineCreation', 'True', LATER))).toBe(Date.parse(LATER));
    expect([at(), at(says('MachineCreation', 'False')), at(says('MachineCreation', 'True', ''))]).toEqual(
      Array(3).fill(undefined),
    );
  });

  it('is down since its Node was no longer Ready, or usable, whichever came first', () => {
    const since = (...conditions: object[]) => see({ conditions }).downSince;
    const [early, late] = [Date.parse(NOW), Date.parse(LATER)];
    expect(since(says('NodeReady', 'False', LATER), says('Usable', 'False', NOW))).toBe(early);
    expect(since(says('NodeReady', 'Unknown', LATER), says('Usable', 'True', NOW))).toBe(late);
    expect([since(), since(says('NodeReady', 'True'), says('Usable', 'True'))]).toEqual([undefined, undefined]);
    // Of one that does not say since when, only the other one tells.
    expect(since(says('NodeReady', 'False', ''), says('Usable', 'False', LATER))).toBe(late);
    expect(since(says('NodeReady', 'False', ''))).toBeUndefined();
  });

  it('failed where its template may be to blame: not for want of room, nor when the cloud took its instance back', () => {
    const failure = (errorReason: string, more: object = {}) =>
      see({ phase: 'Failed', errorReason, errorMessage: 'e', ...more }).failure;
    const nodeRef = { kind: 'Node', name: 'n', uid: 'u' };
    expect(failure('CreateError')).toBe('it failed: e');
    expect(failure('CreateError', { errorMessage: 'no Node came.' })).toBe('it failed: no Node came');
    expect(failure('UpdateError')).toBe('it failed: e');
    // It may end itself, after its Node had joined.
    expect(failure('UpdateError', { nodeRef })).toBe('it failed: e');
    expect(failure('UpdateError', { nodeRef, conditions: [gone('InstanceMissing')] })).toBe('it failed: e');
    expect(failure('UpdateError', { nodeRef, conditions: [takenBack] })).toBeUndefined();
    expect(failure('InsufficientResources')).toBeUndefined();
    expect(failure('CreateError', { phase: 'Running' })).toBeUndefined();
    const isBlameless = (errorReason: string, more: object = {}) =>
      see({ phase: 'Failed', errorReason, errorMessage: 'e', ...more }).isBlameless;
    expect([isBlameless('CreateError'), isBlameless('UpdateError')]).toEqual([undefined, undefined]);
    expect(isBlameless('CreateError', { nodeRef })).toBeUndefined();
    expect(isBlameless('UpdateError', { nodeRef })).toBeUndefined();
    const takenLater = isBlameless('UpdateError', { nodeRef, conditions: [takenBack] });
    expect([isBlameless('InsufficientResources'), takenLater]).toEqual([true, true]);
    expect(see({ phase: 'Failed' })).toMatchObject({ isFailed: true });
  });

  it('is remediated by the check that claims it once it is being deleted', () => {
    const by = (metadata: object, wish: object = {}) => {
      const annotations = { 'millwright.dev/remediated-by': 'hc u-1', ...wish };
      const stored = storedObject({ metadata: { annotations, ...metadata }, spec: { providerSpec: {} } });
      return rolloutMachineOf(openshift.machine.read(stored)).remediatedBy;
    };
    expect([by({}), by({ deletionTimestamp: NOW })]).toEqual([undefined, 'hc']);
    // A person wanted that: its template is not to blame.
    expect(by({ deletionTimestamp: NOW }, { 'machine.openshift.io/remediate': 'a noisy disk' })).toBeUndefined();
  });

  it('lacks capacity while its launch waits for room or time, and when it is Failed for want of room', () => {
    const waits = (retryClass: string, step = 'Launch') =>
      see({ waiting: { step, reason: 'OutOfCapacity', message: 'full', since: NOW, retryClass } }).lacksCapacity;
    expect([waits('exhausted'), waits('throttled')]).toEqual(['full', 'full']);
    expect([waits('denied'), waits('exhausted', 'Drain')]).toEqual([undefined, undefined]);
    expect(see(waitingForRoom).lacksCapacity).toBe('no room');
  });

  it('is held while it is deleted, by what does not come by itself', () => {
    const by = (reason: string, metadata: object = { deletionTimestamp: NOW }) => {
      const waiting = { step: 'Drain', reason, message: 'why', since: NOW };
      return rolloutMachineOf(openshift.machine.read(storedObject({ metadata, status: { waiting } }))).heldBy;
    };
    const held = [
      'HookPresent',
      'ControlPlaneInTheWay',
      'PodsBlocked',
      'MisconfiguredBudget',
      'EvictionRefused',
      'PodsNotEnding',
      'PodsNotToBeDisrupted',
      'HeldByFinalizers',
      'Paused',
      'MalformedObject',
      'KubernetesRefused',
    ];
    expect(held.map((reason) => by(reason))).toEqual(held);
    expect([by('Draining'), by('InstanceTerminating'), by('PodsBlocked', {})]).toEqual(Array(3).fill(undefined));
  });

  it('is lost where it is Failed for good and its template is not to blame: nobody tries it again', () => {
    const taken = { phase: 'Failed', errorReason: 'UpdateError', errorMessage: 'its spot instance was taken back' };
    expect(see({ ...taken, conditions: [takenBack] }).lost).toBe(taken.errorMessage);
    expect([see(taken).lost, see(waitingForRoom).lost]).toEqual([undefined, undefined]);
    const instance = { instanceId: 'i-1', instanceState: 'terminated' };
    const early = see({ ...waitingForRoom, providerStatus: { ...waitingForRoom.providerStatus, ...instance } });
    expect([early.lost, early.lacksCapacity]).toEqual(['no room', undefined]);
  });

  it('has its launch refused where somebody has to mend something, and says since when', () => {
    const refused = (reason: string, retryClass?: string, step = 'Launch', at = NOW) =>
      see({ waiting: { step, reason, message: 'why', since: at, ...given({ retryClass }) } }).refused;
    const told = { since: Date.parse(NOW), why: 'why' };
    expect([refused('UnauthorizedOperation', 'denied'), refused('InvalidAMIID.NotFound', 'invalid')]).toEqual([
      told,
      told,
    ]);
    for (const toMend of [
      'SecretMissing',
      'MachineClassMissing',
      'MachineClassInvalid',
      'MachineClassDeleting',
      'InvalidConfiguration',
    ]) {
      expect(refused(toMend)).toEqual(told);
    }
    expect([
      refused('OutOfCapacity', 'exhausted'),
      refused('Settling'),
      refused('SecretMissing', undefined, 'Drain'),
      refused('SecretMissing', undefined, 'Launch', 'nonsense'),
    ]).toEqual(Array(4).fill(undefined));
  });
});
