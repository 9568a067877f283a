import { expect, it } from '@jest/globals';
import { APIS } from '../k8s/dialects/registry.ts';
import { aMachineSet } from '../test/world/builders/a-machine-set.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { readForSet } from './read-for-set.ts';

it('reads in full what is the set’s or may become it, and of others what their metadata says', () => {
  const stored = aMachineSet({ name: 'workers' });
  const another = aMachineSet({ name: 'others' });
  const set = APIS.kindOf('machineSet', stored).read(stored).machineSet;
  const selected = stored.spec.template?.metadata?.labels ?? {};
  const own = aMachine({ name: 'own', set: stored, deleting: true });
  const orphan = aMachine({ name: 'orphan', metadata: { labels: selected } });
  const contested = aMachine({ name: 'contested', set: another, deleting: true, metadata: { labels: selected } });
  const single = aMachine({ name: 'single', metadata: { labels: {} } });
  const read: string[] = [];
  const { replicas, others } = readForSet(set, [own, contested, orphan, single], (object) => {
    read.push(object.metadata.name);
    return APIS.kindOf('machine', own).read(object);
  });
  expect(read).toEqual(['own', 'orphan']);
  expect(replicas).toMatchObject([
    { name: 'own', controller: stored.metadata.uid, deleting: true },
    { name: 'orphan' },
  ]);
  expect(others).toEqual([
    { name: 'contested', labels: selected, deleting: true, controller: another.metadata.uid },
    { name: 'single', labels: {}, deleting: false },
  ]);
});
