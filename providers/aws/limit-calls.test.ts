import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../clock.ts';
import { RateLimits } from '../rate-limited.ts';
import type { RateRule } from '../rate-limits.ts';
import { ec2Error, identity, launched, reservations } from './ec2-server-for-tests.ts';
import { credentials, errorOf, owner, useProvider } from './provider-for-tests.ts';

const use = useProvider();

/** A limit that lets one call through, and the next after so long that nobody waits for it. */
const ONE = { burst: 1, perSecond: 0.01 };

function hold(rules: readonly RateRule[]): RateLimits {
  const limits = new RateLimits({ provider: 'aws', rules, clock: { ...systemClock, random: () => 0 } });
  use().open({ limits });
  return limits;
}

describe('calls that are held to limits', () => {
  it('that have no room are not sent, say when there is some, and fail as nothing else does', async () => {
    const limits = hold([{ actions: 'RunInstances', limit: ONE }]);
    use().server.on('RunInstances', () => launched({ id: 'i-1' }));
    await use().launch();
    const error = await errorOf(use().provider.launch({ owner, token: 'token-2', parameters: await use().resolve() }));
    expect(error).toMatchObject({
      code: 'Throttled',
      details: { notSent: true, cloudCode: 'AwaitingTurn', retryAfterMs: expect.any(Number) },
    });
    expect(error.message).toContain('RunInstances was not called yet');
    expect(error.details.retryAfterMs).toBeGreaterThan(60_000);
    expect(use().callsOf('RunInstances')).toHaveLength(1);
    expect(limits.rates()).toMatchObject([{ action: 'RunInstances', waiting: 0, turnedAway: 1 }]);
  });

  it('go by one limit whichever credentials of an account they are for, once answers told which it is', async () => {
    const limits = hold([{ actions: 'RunInstances', limit: { burst: 2, perSecond: 0.01 } }]);
    // Each Secret has keys of its own.
    use().open({
      limits,
      readSecret: async (_namespace, name) => ({
        aws_access_key_id: Buffer.from(`AKIA-${name}`),
        aws_secret_access_key: Buffer.from('s'),
      }),
    });
    use().server.on('RunInstances', () => launched({ id: 'i-1' }));
    use().server.on('DescribeInstances', () => reservations([{ id: 'i-1' }]));
    const launchAs = async (secretName: string, token: string) => {
      const parameters = await use().resolve();
      return use().provider.launch({
        owner,
        token,
        parameters: { ...parameters, credentials: { ...credentials, secretName } },
      });
    };
    await launchAs('one', 'token-1');
    await use().provider.describe({ ...credentials, secretName: 'two' }, ['i-0123456789abcdef0']);
    await launchAs('two', 'token-2');
    await expect(launchAs('one', 'token-3')).rejects.toMatchObject({ details: { notSent: true } });
    await expect(launchAs('two', 'token-4')).rejects.toMatchObject({ details: { notSent: true } });
    expect(use().callsOf('RunInstances')).toHaveLength(2);
  });

  it('go by one limit also where STS alone told which account the credentials are of', async () => {
    const limits = hold([{ actions: 'RunInstances', limit: ONE }]);
    // Each Secret has keys of its own.
    use().open({
      limits,
      readSecret: async (_namespace, name) => ({
        aws_access_key_id: Buffer.from(`AKIA-${name}`),
        aws_secret_access_key: Buffer.from('s'),
      }),
    });
    use().server.on('GetCallerIdentity', () => identity('210987654321'));
    const turnOf = async (secretName: string) => {
      const one = { ...credentials, secretName };
      await use().provider.accountOf?.(one);
      await use().provider.launchTurns?.take(one, `token-of-${secretName}`);
    };
    await turnOf('one');
    await expect(turnOf('two')).rejects.toMatchObject({ details: { notSent: true } });
    expect(use().callsOf('DescribeInstances')).toEqual([]);
  });

  it('take a turn in advance, and are sent by it', async () => {
    hold([{ actions: 'RunInstances', limit: ONE }]);
    use().server.on('RunInstances', () => launched({ id: 'i-1' }));
    await use().provider.launchTurns?.take(credentials, 'token-1');
    await expect(use().provider.launchTurns?.take(credentials, 'token-2')).rejects.toMatchObject({
      details: { notSent: true },
    });
    await use().launch();
    expect(use().callsOf('RunInstances')).toHaveLength(1);
  });

  it('that AWS throttles slow the action down, and say when there is room as the worker reckons', async () => {
    const limits = hold([{ actions: '*', limit: { burst: 100, perSecond: 10 } }]);
    use().server.on('TerminateInstances', () => ec2Error('RequestLimitExceeded', 'slow', 503));
    const error = await errorOf(use().provider.terminate(credentials, 'i-1'));
    expect(error).toMatchObject({ code: 'Throttled', details: { cloudCode: 'RequestLimitExceeded', paced: true } });
    expect(error.details.notSent).toBeUndefined();
    expect(error.details.retryAfterMs).toBeLessThan(1_000);
    const [rate] = limits.rates();
    expect(rate).toMatchObject({ action: 'TerminateInstances' });
    expect(rate?.perSecond).toBeCloseTo(7, 0);
  });

  it('are told apart by their action, and describes without filters from those with', async () => {
    const limits = hold([{ actions: '*', limit: { burst: 100, perSecond: 10 } }]);
    use().server.on('DescribeInstances', () => reservations([]));
    await use().resolve();
    await use().provider.list(credentials, 'c1');
    expect(limits.rates().map(({ action }) => action)).toEqual(['DescribeUnfilteredSubnets', 'DescribeInstances']);
  });
});
