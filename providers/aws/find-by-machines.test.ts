import { expect, it } from '@jest/globals';
import type { InstanceOwner, MachineSearch } from '../provider.ts';
import { ec2Error, reservations } from './ec2-server-for-tests.ts';
import { tagsOf } from './owner-tags.ts';
import { credentials, errorOf, useProvider } from './provider-for-tests.ts';

const use = useProvider();

function search(n: number, more: Partial<InstanceOwner> = {}): MachineSearch {
  const owner = { clusterName: 'c1', namespace: 'ns', name: `web-${n}`, uid: `uid-${n}`, clusterUid: 'k', ...more };
  return { owner, token: `token-${n}` };
}

const many = (count: number) => Array.from({ length: count }, (_one, n) => search(n));

it('asks for the instances of 200 Machines by four describes', async () => {
  use().server.on('DescribeInstances', () => reservations([]));
  const found = await use().provider.findByMachines(credentials, many(200));
  expect(found).toEqual(many(200).map(() => []));
  const forms = use().server.calls.map(({ form }) => form);
  expect(forms.map((form) => form['Filter.1.Name'] ?? '').toSorted()).toEqual([
    'client-token',
    'tag:Name',
    'tag:millwright/machine',
    'tag:millwright/machine-uid',
  ]);
  for (const form of forms) expect(form).toHaveProperty(['Filter.1.Value.200']);
});

it('tells each Machine what may be its own: by uid, by token, by its name in its cluster, by namespace and name', async () => {
  const inCluster = (cluster: string) => ({ Name: 'web-1', [`kubernetes.io/cluster/${cluster}`]: 'owned' });
  use().server.on('DescribeInstances', ({ form }) => {
    switch (form['Filter.1.Name']) {
      case 'tag:millwright/machine-uid':
        return reservations([{ id: 'i-uid', tags: { 'millwright/machine-uid': 'uid-0' }, state: 'terminated' }]);
      case 'tag:millwright/machine':
        return reservations([{ id: 'i-key', tags: { 'millwright/machine': 'ns/web-2' } }]);
      case 'tag:Name':
        return reservations(
          form['Filter.2.Value.1'] === 'kubernetes.io/cluster/c2' ? [{ id: 'i-name', tags: inCluster('c2') }] : [],
        );
      default:
        return reservations([]);
    }
  });
  const searches = [search(0), search(1), search(1, { clusterName: 'c2', uid: 'uid-x' }), search(2)];
  const found = await use().provider.findByMachines(credentials, searches);
  expect(found.map((instances) => instances.map(({ id }) => id))).toEqual([['i-uid'], [], ['i-name'], ['i-key']]);
});

it('finds what was launched for a Machine whose namespace and name are longer together than a tag', async () => {
  const tags = (owner: InstanceOwner) => Object.fromEntries(tagsOf(owner, []).map(({ Key, Value }) => [Key, Value]));
  const long = (end: string) =>
    search(0, { namespace: 'n'.repeat(63), name: `${'m'.repeat(240)}${end}`, clusterName: '' });
  const [one, other, none] = [long('-one'), long('-two'), long('-three')];
  use().server.on('DescribeInstances', ({ form }) =>
    form['Filter.1.Name'] === 'tag:millwright/machine'
      ? reservations([
          { id: 'i-one', tags: tags({ ...one.owner, uid: 'before' }) },
          { id: 'i-two', tags: tags({ ...other.owner, uid: 'before' }) },
        ])
      : reservations([]),
  );
  const found = await use().provider.findByMachines(credentials, [other, none, one]);
  expect(found.map((instances) => instances.map(({ id }) => id))).toEqual([['i-two'], [], ['i-one']]);
});

it('finds nothing only where all of its reads were answered', async () => {
  use().server.on('DescribeInstances', ({ form }) =>
    form['Filter.1.Name'] === 'tag:Name' ? ec2Error('Unavailable', 'no', 503) : reservations([]),
  );
  expect((await errorOf(use().provider.findByMachines(credentials, many(2)))).code).toBe('Unavailable');
});
