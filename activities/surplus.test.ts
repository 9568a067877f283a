import { expect, test } from '@jest/globals';
import { tokenOf } from '../k8s/launch-token.ts';
import { ProviderError } from '../providers/provider.ts';
import { createCloudActivities, targetOf, type MachineFacts } from '../test/unit/cloud-activities.ts';
import { given } from '../providers/given.ts';

const UID = targetOf('m').ref.uid;

/** A Machine with `i-1` on record, and another instance `i-2` that carries its uid. */
function doubled(token: string | undefined = tokenOf(UID, 1), facts: MachineFacts = {}) {
  const own = createCloudActivities();
  own.addMachine('m', { instanceId: 'i-1', launched: {}, ...facts });
  own.cloud.add('i-1', { machineUid: UID, token: tokenOf(UID, 2) });
  own.cloud.add('i-2', { machineUid: UID, ...given({ token }) });
  const end = (id = 'i-2', keep = 'i-1') =>
    own.run((activities) => activities.endSurplusInstance({ ...targetOf('m'), id, keep }));
  return { ...own, end, ended: () => own.cloud.called('terminate').flatMap(({ ids }) => ids) };
}

test('an instance too many is ended where the Machine launched it, with whatever attempt', async () => {
  const { end, ended } = doubled();
  expect(await end()).toEqual({ outcome: 'ended' });
  expect(ended()).toEqual(['i-2']);
});

test.each([
  ['the token of another Machine', tokenOf('another', 1)],
  ['no token', undefined],
])('one that has %s is left, although it is tagged as the Machine’s', async (_what, token) => {
  const { cloud, end, ended } = doubled(tokenOf(UID, 1));
  cloud.add('i-2', { machineUid: UID, ...given({ token }) });
  expect(await end()).toMatchObject({ outcome: 'left', message: expect.stringContaining('token') });
  expect(ended()).toEqual([]);
});

test('one that is tagged as another Machine’s is left, whatever its token', async () => {
  const { cloud, end, ended } = doubled();
  cloud.add('i-2', { machineUid: 'another', token: tokenOf(UID, 1) });
  expect(await end()).toMatchObject({ outcome: 'left', message: expect.stringContaining('another') });
  expect(ended()).toEqual([]);
});

test('one that another Machine names is left', async () => {
  const { addMachine, end, ended } = doubled();
  addMachine('claimant', { instanceId: 'i-2' });
  expect(await end()).toMatchObject({ outcome: 'left', message: expect.stringContaining('ns/claimant') });
  expect(ended()).toEqual([]);
});

test.each([
  ['the one on record', 'i-1', 'i-1'],
  ['another than the one that stays', 'i-2', 'i-3'],
])('nothing is ended where the Machine has by now %s', async (_what, id, keep) => {
  const { end, ended } = doubled();
  expect(await end(id, keep)).toMatchObject({ outcome: 'left' });
  expect(ended()).toEqual([]);
});

test('nothing is ended for a Machine that is paused', async () => {
  const { end, ended } = doubled(undefined, { paused: true });
  await expect(end()).rejects.toThrow('paused');
  expect(ended()).toEqual([]);
});

test('one that is on its way out is not asked again, and one that a look does not show is looked for again', async () => {
  const { cloud, end, ended } = doubled();
  cloud.add('i-2', { machineUid: UID, state: 'shutting-down' });
  expect(await end()).toEqual({ outcome: 'ended' });
  expect(ended()).toEqual([]);
  cloud.instances.delete('i-2');
  expect(await end()).toMatchObject({ outcome: 'failed', failure: { code: 'Aborted', retryClass: 'soon' } });
});

test('a cloud that fails is told as it is; that it does not know the instance any more is its end', async () => {
  const { cloud, end } = doubled();
  let code: 'Throttled' | 'NotFound' = 'Throttled';
  cloud.disturb = ({ operation }) => {
    if (operation === 'terminate') throw new ProviderError(code, 'no');
  };
  expect(await end()).toMatchObject({ outcome: 'failed', failure: { code: 'Throttled', retryClass: 'throttled' } });
  code = 'NotFound';
  expect(await end()).toEqual({ outcome: 'ended' });
});
