import { describe, expect, it } from '@jest/globals';
import { preparedLaunch } from '../../test/workflow/prepared-launch.ts';
import { NOW, storedObject } from '../../test/world/builders/stored-object.ts';
import { openshift } from '../dialects/openshift/api.ts';
import type { StoredObject } from '../dialects/kind.ts';
import { tokenOf } from '../launch-token.ts';
import { replicaOf } from './replica.ts';

const see = (object: StoredObject) => replicaOf(openshift.machine.read(object));
const ownLaunch = () => ({ ...preparedLaunch(), token: tokenOf('u', 1) });

describe('a Machine as its set sees it', () => {
  const launched = { providerStatus: { launch: ownLaunch(), instanceId: 'i-1', instanceState: 'running' } };
  const deleted = { deletionTimestamp: NOW };

  it('holds its place while it is deleted and its instance was not asked to end', () => {
    const holds = (state: string): boolean => {
      const providerStatus = { ...launched.providerStatus, instanceState: state };
      return see(storedObject({ metadata: deleted, status: { providerStatus } })).holdsPlace;
    };
    expect([holds('running'), holds('shutting-down'), holds('terminated')]).toEqual([true, false, false]);
  });

  it('holds its place no longer than until its drain begins', () => {
    const holds = (deletion: object): boolean =>
      see(storedObject({ metadata: deleted, status: { ...launched, deletion } })).holdsPlace;
    expect([holds({ preDrainHookStartTime: NOW }), holds({ drainStartTime: NOW })]).toEqual([true, false]);
  });

  it('holds none where it lives, or where nothing was ever launched for it', () => {
    expect(see(storedObject({ status: launched })).holdsPlace).toBe(false);
    expect(see(storedObject({ metadata: deleted })).holdsPlace).toBe(false);
  });

  it('is marked for deletion by the annotation of today and by the old one', () => {
    const marked = (name: string): boolean =>
      see(storedObject({ metadata: { annotations: { [name]: '' } } })).markedForDeletion;
    expect(marked('machine.openshift.io/delete-machine')).toBe(true);
    expect(marked('machine.openshift.io/cluster-api-delete-machine')).toBe(true);
  });

  it('is ready since its Node is, and not at all while that is not True', () => {
    const read = (value: string) =>
      see(storedObject({ status: { conditions: [{ type: 'NodeReady', status: value, lastTransitionTime: NOW }] } }))
        .readySince;
    expect([read('True'), read('Unknown')]).toEqual([NOW, undefined]);
  });

  it('holds no place by another Machine’s launch', () => {
    const written = { providerStatus: { launch: ownLaunch(), instanceId: 'i-1', instanceState: 'running' } };
    const copy = storedObject({ metadata: { uid: 'v', deletionTimestamp: NOW }, status: written });
    expect(see(copy).holdsPlace).toBe(false);
  });
});
