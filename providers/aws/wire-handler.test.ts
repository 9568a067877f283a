import { describe, expect, it } from '@jest/globals';
import type { Wire, WireAnswer, WireRequest } from '../wire.ts';
import { createAwsProvider, type AwsProvider } from './aws-provider.ts';
import { ec2Error, reservations } from './ec2-server-for-tests.ts';
import { credentials, errorOf, keys } from './provider-for-tests.ts';
import { systemClock } from '../clock.ts';

const ID = 'i-0123456789abcdef0';

function providerOver(answer: (request: WireRequest) => Promise<WireAnswer>): AwsProvider {
  const wire: Wire = { send: answer, close: async () => {} };
  const readSecret = async () => ({
    aws_access_key_id: Buffer.from(keys.id),
    aws_secret_access_key: Buffer.from(keys.secret),
  });
  return createAwsProvider({ clock: systemClock, wire, readSecret, describeTimeoutMs: 2000 });
}

describe('a wire that is given', () => {
  it('carries the requests of the SDK, signed, and their answers', async () => {
    const seen: WireRequest[] = [];
    const provider = providerOver(async (request) => {
      seen.push(request);
      return { status: 200, text: reservations([{ id: ID }]).body };
    });
    expect(await provider.describe(credentials, [ID])).toMatchObject([{ id: ID, state: 'running' }]);
    expect(seen).toMatchObject([{ method: 'POST', path: '/' }]);
    expect(new URLSearchParams(seen[0]?.body).get('Filter.1.Value.1')).toBe(ID);
    expect(seen[0]?.headers['authorization']).toContain(`Credential=${keys.id}/`);
  });

  it('carries refusals, and when to come back', async () => {
    const provider = providerOver(async () => {
      const { body: text } = ec2Error('RequestLimitExceeded', 'slow down', 503);
      return { status: 503, text, retryAfter: '7' };
    });
    const { code, details } = await errorOf(provider.describe(credentials, [ID]));
    expect([code, details.retryAfterMs]).toEqual(['Throttled', 7000]);
  });

  it('may break, and may stay silent: then the call ends at its time', async () => {
    const broken = providerOver(() => Promise.reject(new Error('the connection was reset')));
    expect((await errorOf(broken.describe(credentials, [ID]))).code).toBe('Unavailable');
    const silent = providerOver(() => new Promise(() => {}));
    expect((await errorOf(silent.describe(credentials, [ID]))).code).toBe('DeadlineExceeded');
  });
});
