import { expect, test } from '@jest/globals';
import { tokenOf } from '../k8s/launch-token.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { MachineFacts } from '../test/world/builders/a-machine.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { refused } from '../test/world/world-cloud.ts';
import { World } from '../test/world/world.ts';

const UID = 'uid-of-m';
interface Second {
  readonly machineUid?: string;
  /** @default of the Machine's first attempt */
  readonly token?: string | undefined;
}

/** A Machine with the instance of its second attempt on record, and another instance that carries its uid. */
async function doubled(second: Second = {}, facts: MachineFacts = {}) {
  const { machineUid = UID, token } = { token: tokenOf(UID, 1), ...second };
  const world = new World(ownClock());
  const { cloud } = world;
  const { target, id: kept } = await world.addLaunched({ launch: { attempt: 2 }, ...facts });
  const { id: surplus } = await cloud.launch({ machineUid }, token);
  const end = (id = surplus, keep = kept) => world.run((own) => own.endSurplusInstance({ ...target, id, keep }));
  return { world, cloud, kept, surplus, end, ended: () => cloud.asked('terminate').map(({ id }) => id) };
}

test('an instance too many is ended where the Machine launched it, with whatever attempt', async () => {
  const { end, ended, surplus } = await doubled();
  expect(await end()).toEqual({ outcome: 'ended' });
  expect(ended()).toEqual([surplus]);
});

test.each([
  ['the token of another Machine', tokenOf('another', 1)],
  ['no token', undefined],
])('one that has %s is left, although it is tagged as the Machine’s', async (_what, token) => {
  const { end, ended } = await doubled({ token });
  expect(await end()).toMatchObject({ outcome: 'left', message: expect.stringContaining('token') });
  expect(ended()).toEqual([]);
});

test('one that is tagged as another Machine’s is left, whatever its token', async () => {
  const { end, ended } = await doubled({ machineUid: 'another' });
  expect(await end()).toMatchObject({ outcome: 'left', message: expect.stringContaining('another') });
  expect(ended()).toEqual([]);
});

test('one that another Machine names is left', async () => {
  const { world, surplus, end, ended } = await doubled();
  world.addMachine({ name: 'claimant', instanceId: surplus });
  expect(await end()).toMatchObject({ outcome: 'left', message: expect.stringContaining('default/claimant') });
  expect(ended()).toEqual([]);
});

test('nothing is ended where it is the one on record by now, or another is than the one that stays', async () => {
  const { kept, surplus, end, ended } = await doubled();
  expect(await end(kept, kept)).toMatchObject({ outcome: 'left' });
  expect(await end(surplus, 'i-3')).toMatchObject({ outcome: 'left' });
  expect(ended()).toEqual([]);
});

test('nothing is ended for a Machine that is paused', async () => {
  const { end, ended } = await doubled({}, { paused: true });
  await expect(end()).rejects.toThrow('paused');
  expect(ended()).toEqual([]);
});

test('one that is on its way out is not asked again, and one that a look does not show is looked for again', async () => {
  const { cloud, surplus, end, ended } = await doubled();
  cloud.behave({ terminateMs: 60_000 });
  await cloud.end(surplus);
  expect(await end()).toEqual({ outcome: 'ended' });
  expect(ended()).toEqual([]);
  cloud.vanish(surplus);
  expect(await end()).toMatchObject({ outcome: 'failed', failure: { code: 'Aborted', retryClass: 'soon' } });
});

test('a cloud that fails is told as it is; that it does not know the instance any more is its end', async () => {
  const { cloud, end } = await doubled();
  cloud.onRequest = refused('terminate', new ProviderError('Throttled', 'no'));
  expect(await end()).toMatchObject({ outcome: 'failed', failure: { code: 'Throttled', retryClass: 'throttled' } });
  cloud.onRequest = refused('terminate', new ProviderError('NotFound', 'no'));
  expect(await end()).toEqual({ outcome: 'ended' });
});

test('one is ended also where nothing is on record any more, or it carries the Machine’s token alone', async () => {
  const { world, cloud, surplus, end, ended } = await doubled();
  world.addMachine({ launch: { attempt: 2 } });
  expect(await end()).toEqual({ outcome: 'ended' });
  const { id: untagged } = await cloud.launch({}, tokenOf(UID, 3));
  expect(await end(untagged)).toEqual({ outcome: 'ended' });
  expect(ended()).toEqual([surplus, untagged]);
});

test('one is ended whatever other Machines name, and whatever the Machine itself names', async () => {
  const { world, kept, surplus, end, ended } = await doubled();
  world.addMachine({ name: 'bystander', instanceId: 'i-other' });
  world.addMachine({ launch: { attempt: 2 }, instanceId: kept, providerID: `simulated:///zone-a/${surplus}` });
  expect(await end()).toEqual({ outcome: 'ended' });
  expect(ended()).toEqual([surplus]);
});
