import { describe, expect, it } from '@jest/globals';
import { preparedLaunch } from '../../test/workflow/prepared-launch.ts';
import { NOW, storedObject } from '../../test/world/builders/stored-object.ts';
import { openshift } from '../dialects/openshift/api.ts';
import type { StoredObject } from '../dialects/kind.ts';
import { tokenOf } from '../launch-token.ts';
import { replicaOf } from './replica.ts';

const LATER = '2026-01-01T01:00:00.000Z';

const see = (object: StoredObject) => replicaOf(openshift.machine.read(object));
const ownLaunch = () => ({ ...preparedLaunch(), token: tokenOf('u', 1) });

describe('a Machine as its set sees it', () => {
  const launched = { providerStatus: { launch: ownLaunch(), instanceId: 'i-1', instanceState: 'running' } };
  const deleted = { deletionTimestamp: NOW };

  it('is told how far its deletion is, by its instance', () => {
    const stage = (state: string) => {
      const providerStatus = { ...launched.providerStatus, instanceState: state };
      return see(storedObject({ metadata: deleted, status: { providerStatus } })).going;
    };
    expect([stage('running'), stage('shutting-down'), stage('terminated')]).toEqual(['begun', 'ending', undefined]);
  });

  it('is told why it cannot be used, by its condition; of a gate at once, whatever the condition says', () => {
    const usable = { type: 'Usable', status: 'False' as const, message: 'a taint', lastTransitionTime: NOW };
    const spec = { providerSpec: {}, readinessGates: [{ conditionType: 'Tested' }] };
    const tested = { type: 'Tested', status: 'True' as const, lastTransitionTime: NOW };
    const why = (conditions: readonly object[], of: object = { providerSpec: {} }) =>
      see(storedObject({ spec: of, status: { conditions } })).unusable;
    expect(why([])).toBeUndefined();
    expect(why([{ ...usable, reason: 'StartupTaints' }])).toBe('a taint');
    expect(why([], spec)).toContain('Tested');
    expect(why([{ ...usable, reason: 'ReadinessGates' }, tested], spec)).toBeUndefined();
  });

  it('is told how far its deletion is, by its drain', () => {
    const stage = (deletion: object) =>
      see(storedObject({ metadata: deleted, status: { ...launched, deletion } })).going;
    const [hooked, draining] = [{ preDrainHookStartTime: NOW }, { drainStartTime: NOW }];
    const drained = { ...draining, preTerminateHookStartTime: NOW };
    expect([stage(hooked), stage(draining), stage(drained)]).toEqual(['begun', 'draining', 'drained']);
  });

  it('has only begun to go where it is not drained, until its instance is asked to end', () => {
    const stage = (instanceState: string) => {
      const providerStatus = { ...launched.providerStatus, instanceState };
      const deletion = { preTerminateHookStartTime: NOW };
      return see(storedObject({ metadata: deleted, status: { providerStatus, deletion } })).going;
    };
    expect([stage('running'), stage('shutting-down')]).toEqual(['begun', 'ending']);
  });

  it('is not going where it lives, or where nothing was ever launched for it', () => {
    expect(see(storedObject({ status: launched }))).not.toHaveProperty('going');
    expect(see(storedObject({ metadata: deleted }))).not.toHaveProperty('going');
  });

  it('is going while a launch or an instance of it is on record', () => {
    const going = (providerStatus: object) =>
      see(storedObject({ metadata: deleted, status: { providerStatus } })).going;
    const adopted = going({ instanceId: 'i-1', instanceState: 'running' });
    expect([adopted, going({ launch: ownLaunch() })]).toEqual(['begun', 'begun']);
  });

  it('is marked for deletion by the annotation of today and by the old one', () => {
    const marked = (name: string): boolean =>
      see(storedObject({ metadata: { annotations: { [name]: '' } } })).markedForDeletion;
    expect(marked('machine.openshift.io/delete-machine')).toBe(true);
    expect(marked('machine.openshift.io/cluster-api-delete-machine')).toBe(true);
  });

  it('is marked since when cluster-autoscaler says; where somebody else marked it, nobody knows since when', () => {
    const markedAt = (mark: string) =>
      see(storedObject({ metadata: { annotations: { 'machine.openshift.io/delete-machine': mark } } })).markedAt;
    expect(markedAt('2026-01-01 01:00:00 +0000 UTC m=+1.5')).toBe(Date.parse(LATER));
    expect(markedAt('yes')).toBeUndefined();
  });

  it('tells what its template had last that was written to it, and where it is in a rollout', () => {
    const annotations = { 'millwright.dev/applied-settings': '{"labels":{}}', 'millwright.dev/rollout': 'outdated' };
    expect(see(storedObject({ metadata: { annotations } }))).toMatchObject({
      settings: '{"labels":{}}',
      rollout: 'outdated',
    });
    expect(see(storedObject())).not.toHaveProperty('settings');
  });

  it('is ready since its Node is, and not at all while that is not True', () => {
    const read = (status: string, lastTransitionTime: string) =>
      see(storedObject({ status: { conditions: [{ type: 'NodeReady', status, lastTransitionTime }] } })).readySince;
    expect([read('True', LATER), read('Unknown', LATER)]).toEqual([LATER, undefined]);
    expect(read('True', '')).toBe(NOW);
  });

  it('tells its controller, its phase, and whether it has a Node', () => {
    const owner = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', name: 's', uid: 'uid-of-s' };
    const ownerReferences = [{ ...owner, controller: true }];
    const nodeRef = { kind: 'Node', name: 'n', uid: 'uid-of-n' };
    const running = storedObject({ metadata: { ownerReferences }, status: { phase: 'Running', nodeRef } });
    expect(see(running)).toMatchObject({ controller: 'uid-of-s', phase: 'Running', hasNode: true });
    expect(see(storedObject()).hasNode).toBe(false);
  });

  it('is not going by another Machine’s launch', () => {
    const written = { providerStatus: { launch: ownLaunch(), instanceId: 'i-1', instanceState: 'running' } };
    const copy = storedObject({ metadata: { uid: 'v', deletionTimestamp: NOW }, status: written });
    expect(see(copy)).not.toHaveProperty('going');
  });
});
