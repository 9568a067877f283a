import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { aLaunch, startTestCloud } from './json-front/cloud-test-client.ts';
import type { TestCloud } from './json-front/cloud-test-client.ts';

let cloud: TestCloud;

beforeEach(async () => {
  cloud = await startTestCloud();
});
afterEach(() => cloud.close());

describe('a client token', () => {
  it('is what repeats a call: without one, every call makes an instance', async () => {
    const without = () => cloud.client.send('POST', '/instances', { ...aLaunch, clientToken: undefined });
    expect([(await without()).status, (await without()).status]).toEqual([200, 200]);
    const { instances } = await cloud.client.ledger();
    expect(instances.map(({ token }) => token)).toEqual([null, null]);
  });

  it('is ignored, and told to nobody, in a cloud without tokens', async () => {
    const tokenless = await startTestCloud({ tokens: false });
    const made = [await tokenless.client.launchId(), await tokenless.client.launchId()];
    expect(new Set(made).size).toBe(2);
    expect(await tokenless.client.ids({ filters: { clientToken: 'token-1' } })).toEqual([]);
    expect((await tokenless.client.describe()).body.instances?.map(({ token }) => token)).toEqual([
      undefined,
      undefined,
    ]);
    await tokenless.close();
  });

  it('gives the same instance to a call that is repeated', async () => {
    const first = await cloud.client.launchId();
    expect(await cloud.client.launchId()).toBe(first);
    expect((await cloud.client.ledger()).instances).toHaveLength(1);
  });

  it('gives the same instance to calls that come while the first is at work', async () => {
    await cloud.client.behave('*', { launchLatencyMs: 50 });
    const ids = await Promise.all(Array.from({ length: 5 }, () => cloud.client.launchId()));
    expect(new Set(ids).size).toBe(1);
    expect((await cloud.client.ledger()).instances).toHaveLength(1);
  });

  it('counts within its zone: in another zone it makes a second instance', async () => {
    const first = await cloud.client.launchId({ zone: 'zone-a' });
    expect(await cloud.client.launchId({ zone: 'zone-b' })).not.toBe(first);
  });

  it('refuses changed parameters, user data and tags included', async () => {
    await cloud.client.launch({ userData: 'YQ==' });
    const changes = [{ instanceType: 'sim.large' }, { userData: 'Yg==' }, { tags: { name: 'x' } }];
    for (const change of changes) {
      const answer = await cloud.client.launch({ userData: 'YQ==', ...change });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'IdempotentParameterMismatch' } } });
    }
  });

  it('does not mind the order of the parameters', async () => {
    const first = await cloud.client.launchId({ tags: { machineUid: 'u', name: 'n' } });
    expect(await cloud.client.launchId({ tags: { name: 'n', machineUid: 'u' } })).toBe(first);
  });

  it.each(['InsufficientInstanceCapacity', 'InternalError'])(
    'refuses changed parameters after a call that failed with %s, and takes the same again',
    async (code) => {
      await cloud.client.behave('sim.small', { failures: [{ action: 'launch', code, times: 1 }] });
      expect((await cloud.client.launch()).body.error?.code).toBe(code);
      const changed = await cloud.client.launch({ image: 'image-2' });
      expect(changed.body.error?.code).toBe('IdempotentParameterMismatch');
      expect((await cloud.client.launch()).status).toBe(200);
    },
  );

  it.each(['RequestLimitExceeded', 'AuthFailure'])('is not bound by a call that %s kept out', async (code) => {
    await cloud.client.behave('sim.small', { failures: [{ action: 'launch', code, times: 1 }] });
    expect((await cloud.client.launch()).body.error?.code).toBe(code);
    expect((await cloud.client.launch({ image: 'image-2' })).status).toBe(200);
  });

  it('answers IdempotentInstanceTerminated once its instance is terminated', async () => {
    await cloud.client.behave('*', { launchLatencyMs: 0, terminateMs: 1_000 });
    const id = await cloud.client.launchId();
    await cloud.client.operate(id, 'terminate');
    expect((await cloud.client.launch()).body.instance).toMatchObject({ id, state: 'shutting-down' });
    cloud.pass(1_000);
    expect((await cloud.client.launch()).body.error?.code).toBe('IdempotentInstanceTerminated');
    cloud.pass(86_400_000);
    expect((await cloud.client.launch()).body.error?.code).toBe('IdempotentInstanceTerminated');
  });

  it('never stands for two instances, whatever is called in whatever order', async () => {
    const call = fc.record({
      token: fc.constantFrom('t1', 't2'),
      zone: fc.constantFrom('zone-a', 'zone-b'),
      image: fc.constantFrom('image-1', 'image-2'),
      failing: fc.constantFrom(undefined, 'before', 'after'),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(call, { maxLength: 4 }), { maxLength: 4 }), async (rounds) => {
        run += 1;
        const imageOf = new Map<string, string>();
        for (const round of rounds) {
          const answers = round.map(async ({ token, zone, image, failing }) => {
            const failures = failing === undefined ? [] : [{ action: 'launch', when: failing, times: 1 } as const];
            await cloud.client.behave('sim.small', { launchLatencyMs: 1, failures });
            const answer = await cloud.client.launch({ clientToken: `${run}-${token}`, zone, image });
            if (answer.body.instance === undefined) return;
            const key = `${zone} ${token}`;
            expect(imageOf.get(key) ?? image).toBe(image);
            imageOf.set(key, image);
          });
          await Promise.all(answers);
        }
        const { instances } = await cloud.client.ledger();
        const keys = instances.map(({ zone, token }) => `${zone} ${token}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: 25 },
    );
  });
});
