import { describe, expect, it } from '@jest/globals';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { aMachine, type MachineFacts } from '../test/world/builders/a-machine.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import { changeOwners, deleteWithNote } from './owned-objects.ts';

const NOTE = { 'example.com/why': 'there is one too many' };

/** The Machine m as somebody saw it, and its deletion as such. */
async function seen(facts: MachineFacts = {}) {
  const world = new World(ownClock());
  const { kube } = world;
  const { ref } = world.addMachine(facts);
  // From then on it is written down who writes what of it.
  await kube.others.apply(
    MACHINES,
    'default',
    'm',
    { metadata: { labels: { by: 'others' } } },
    { fieldManager: 'others' },
  );
  const { resourceVersion } = kube.require(MACHINES, 'default', 'm').metadata;
  const owned = { kube: kube.client, resource: MACHINES, namespace: 'default', fieldManager: 'who-notes' };
  return {
    world,
    ref,
    owned,
    remove: (isLate?: () => boolean) => deleteWithNote(owned, { ...ref, resourceVersion }, NOTE, isLate),
    stored: () => kube.peek(MACHINES, 'default', 'm'),
    change: () => kube.others.mergePatch(MACHINES, 'default', 'm', { metadata: { labels: { of: 'others' } } }),
  };
}

const noteOf = ({ stored }: Awaited<ReturnType<typeof seen>>) => stored()?.metadata.annotations?.['example.com/why'];

const failing = ({ world }: Awaited<ReturnType<typeof seen>>, status: number) => {
  world.onRequest = before({ verb: 'mergePatch', resource: MACHINES }, () => {
    throw new KubeError(status, 'Failed', 'it says no');
  });
};

describe('an object that is deleted with a note of why', () => {
  it('has the note, by who writes it, where a finalizer of others keeps it', async () => {
    const it = await seen({ metadata: { finalizers: ['example.com/theirs'] } });
    await it.remove();
    expect(it.stored()).toMatchObject({ metadata: { annotations: NOTE, deletionTimestamp: expect.any(String) } });
    expect(it.stored()?.metadata.managedFields?.map(({ manager }) => manager)).toContain('who-notes');
  });

  it('stays, without a note, where it is not as it was seen any more', async () => {
    const it = await seen();
    await it.change();
    await expect(it.remove()).rejects.toMatchObject({ status: 409 });
    expect(it.stored()).not.toHaveProperty('metadata.annotations');
  });

  it('stays, without the note, where it changes between that and the deletion', async () => {
    const it = await seen();
    it.world.onRequest = before({ verb: 'delete', resource: MACHINES }, async () => void (await it.change()));
    await expect(it.remove()).rejects.toMatchObject({ status: 409 });
    expect(noteOf(it)).toBeUndefined();
  });

  it('has no note where somebody else deletes it in between', async () => {
    const it = await seen({ metadata: { finalizers: ['example.com/theirs'] } });
    it.world.onRequest = before({ verb: 'delete', resource: MACHINES }, () =>
      it.world.kube.others.delete(MACHINES, 'default', 'm'),
    );
    await expect(it.remove()).rejects.toMatchObject({ status: 409 });
    expect(noteOf(it)).toBeUndefined();
    expect(it.stored()).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
  });

  it('keeps what somebody else has noted since', async () => {
    const it = await seen();
    const annotations = { 'example.com/why': 'I want it' };
    it.world.onRequest = before({ verb: 'delete', resource: MACHINES }, async () => {
      await it.world.kube.others.mergePatch(MACHINES, 'default', 'm', { metadata: { annotations } });
    });
    await expect(it.remove()).rejects.toMatchObject({ status: 409 });
    expect(noteOf(it)).toBe('I want it');
  });

  it('stays without the note where it is too late for it by then', async () => {
    const it = await seen();
    expect(await it.remove(() => true)).toBe('changed');
    expect(noteOf(it)).toBeUndefined();
    expect(it.stored()).not.toHaveProperty('metadata.deletionTimestamp');
  });

  it('stays without the note where a rule refuses its deletion, which is what is told, whether or not the note comes off', async () => {
    for (const isStuck of [false, true]) {
      const it = await seen();
      it.world.onRequest = async (request, carryOut) => {
        if (request.verb === 'delete') throw new KubeError(403, 'Forbidden', 'a webhook says no');
        if (request.verb === 'jsonPatch' && isStuck) throw new KubeError(503, 'ServiceUnavailable', 'no leader');
        return carryOut();
      };
      await expect(it.remove()).rejects.toMatchObject({ status: 403 });
      expect(noteOf(it)).toBe(isStuck ? NOTE['example.com/why'] : undefined);
    }
  });

  it('keeps the note that somebody else wrote, where its own may not be written, and it stays', async () => {
    const it = await seen({ metadata: { annotations: NOTE } });
    failing(it, 403);
    expect(await it.remove(() => true)).toBe('changed');
    expect(noteOf(it)).toBe(NOTE['example.com/why']);
  });

  it('does not lose the note to one that took its name in between', async () => {
    const it = await seen();
    const another = aMachine({ metadata: { uid: 'another', annotations: NOTE } });
    it.world.onRequest = before({ verb: 'delete', resource: MACHINES }, () => it.world.kube.put(another));
    await expect(it.remove()).rejects.toMatchObject({ status: 409 });
    expect(noteOf(it)).toBe(NOTE['example.com/why']);
  });

  it('tells of a defect in taking the note off, and not of the refusal', async () => {
    const it = await seen();
    it.world.onRequest = async ({ verb }, carryOut) => {
      if (verb === 'delete') throw new KubeError(403, 'Forbidden', 'a webhook says no');
      if (verb === 'jsonPatch') throw new TypeError('a defect');
      return carryOut();
    };
    await expect(it.remove()).rejects.toThrow('a defect');
  });

  it('keeps the note where nobody knows whether it goes', async () => {
    const it = await seen();
    it.world.onRequest = before({ verb: 'delete', resource: MACHINES }, () => {
      throw new KubeError(504, 'Timeout', 'it took too long');
    });
    await expect(it.remove()).rejects.toMatchObject({ status: 504 });
    expect(it.stored()).toMatchObject({ metadata: { annotations: NOTE } });
  });

  it('goes without the note where that may not be written', async () => {
    const it = await seen({ metadata: { finalizers: ['example.com/theirs'] } });
    failing(it, 403);
    await it.remove();
    expect(it.stored()).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
    expect(it.stored()).not.toHaveProperty('metadata.annotations');
  });

  it('stays where nobody knows whether the note was written', async () => {
    const it = await seen();
    failing(it, 500);
    await expect(it.remove()).rejects.toThrow('it says no');
    expect(it.stored()).not.toHaveProperty('metadata.deletionTimestamp');
  });
});

describe('an object that changes its owners', () => {
  const OWNER = { apiVersion: 'example.com/v1', kind: 'Owner', name: 'o', uid: 'uid-of-o' };

  it('gets labels with them where there are any, and keeps its own', async () => {
    const it = await seen({ metadata: { labels: { its: 'own' } } });
    const own = () => [OWNER];
    expect(await changeOwners(it.owned, it.ref, () => true, own)).toBe('done');
    expect(it.stored()?.metadata).toMatchObject({ ownerReferences: [OWNER], labels: { its: 'own' } });
    expect(
      await changeOwners(
        it.owned,
        it.ref,
        () => true,
        own,
        () => ({ hash: 'h' }),
      ),
    ).toBe('done');
    expect(it.stored()?.metadata).toMatchObject({ ownerReferences: [OWNER], labels: { its: 'own', hash: 'h' } });
  });
});
