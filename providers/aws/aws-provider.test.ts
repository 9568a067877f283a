import { afterEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../clock.ts';
import { RateLimits } from '../rate-limited.ts';
import { EC2_LIMITS } from './documented-limits.ts';
import { ec2Error, launched, reservations } from './ec2-server-for-tests.ts';
import { credentials, errorOf, keys, owner, useProvider } from './provider-for-tests.ts';

const use = useProvider();

describe('a dry run', () => {
  const dryRun = async () => {
    const parameters = await use().resolve();
    await use().provider.dryRun?.({ owner, token: 'token-1', parameters, userData: Buffer.from('#!/bin/sh') });
  };

  it('is a RunInstances that makes nothing, and resolves where EC2 says that it would have worked', async () => {
    use().server.on('RunInstances', () => ec2Error('DryRunOperation', 'Request would have succeeded', 412));
    await dryRun();
    expect(use().callsOf('RunInstances')).toHaveLength(1);
    expect(use().callsOf('RunInstances')[0]?.form).toMatchObject({
      DryRun: 'true',
      MinCount: '1',
      ClientToken: 'token-1',
    });
  });

  it.each([
    ['an image that does not exist', ec2Error('InvalidAMIID.NotFound', 'no such image'), 'InvalidArgument'],
    ['a missing permission', ec2Error('UnauthorizedOperation', 'not you', 403), 'PermissionDenied'],
    ['throttling', ec2Error('RequestLimitExceeded', 'slow', 503), 'Throttled'],
    ['no answer', 'reset' as const, 'Unavailable'],
  ])('fails for %s as a launch does', async (_, answer, code) => {
    use().server.on('RunInstances', () => answer);
    expect((await errorOf(dryRun())).code).toBe(code);
  });

  it('tells of an instance that a cloud made which knows no dry runs', async () => {
    use().server.on('RunInstances', () => launched({ id: 'i-1', state: 'pending', token: 'token-1', tags: {} }));
    expect((await errorOf(dryRun())).message).toContain('which made i-1: end it by hand');
  });
});

describe('launch', () => {
  it('is one RunInstances with the token, the user-data and the frozen parameters', async () => {
    use().server.on('RunInstances', () =>
      launched({ id: 'i-1', state: 'pending', token: 'token-1', tags: { 'millwright/machine-uid': 'uid-1' } }),
    );
    expect(await use().launch(undefined, Buffer.from('#!/bin/sh'))).toEqual({
      id: 'i-1',
      providerID: 'aws:///eu-west-1b/i-1',
      state: 'pending',
      region: 'eu-west-1',
      zone: 'eu-west-1b',
      instanceType: 'm6i.large',
      addresses: [],
      machineUid: 'uid-1',
      account: '123456789012',
      token: 'token-1',
      launchedAt: '2026-01-02T03:04:05.000Z',
    });
    expect(use().callsOf('RunInstances')).toHaveLength(1);
    expect(use().callsOf('RunInstances')[0]?.form).toMatchObject({
      MinCount: '1',
      MaxCount: '1',
      ClientToken: 'token-1',
      UserData: Buffer.from('#!/bin/sh').toString('base64'),
      'NetworkInterface.1.SubnetId': 'subnet-1',
      'TagSpecification.1.ResourceType': 'instance',
    });
  });

  it.each([
    ['throttling', ec2Error('RequestLimitExceeded', 'slow', 503), 'Throttled'],
    ['an internal error', ec2Error('InternalError', 'sorry', 500), 'Internal'],
    ['no words at all', { status: 503, body: '' }, 'Unavailable'],
    ['a page of a proxy', { status: 502, body: '<html><title>Bad</html>' }, 'Unavailable'],
    ['half an answer', { body: '<RunInstancesResponse><inst' }, 'Unknown'],
    ['an answer without an instance', { body: '<RunInstancesResponse/>' }, 'Unknown'],
    ['a cut connection', 'reset' as const, 'Unavailable'],
  ])('is not repeated after %s, which proves nothing', async (_, answer, code) => {
    use().server.on('RunInstances', () => answer);
    const error = await errorOf(use().launch());
    expect(error.code).toBe(code);
    expect(error.details.provesNoInstance).toBeUndefined();
    expect(use().callsOf('RunInstances')).toHaveLength(1);
  });

  it('tells when to come back after throttling', async () => {
    use().server.on('RunInstances', () => ({
      ...ec2Error('RequestLimitExceeded', 'slow', 503),
      headers: { 'retry-after': '7' },
    }));
    expect((await errorOf(use().launch())).details.retryAfterMs).toBe(7_000);
  });

  it.each([
    ['a week', '604800', 300_000],
    ['a moment that is over', 'Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  ])('is not held up by an answer that asks to come back in %s', async (_, header, ms) => {
    const throttled = { ...ec2Error('RequestLimitExceeded', 'slow', 503), headers: { 'retry-after': header } };
    use().server.on('RunInstances', () => throttled);
    expect((await errorOf(use().launch())).details.retryAfterMs).toBe(ms);
  });

  it('names the refused field and proves that nothing was made', async () => {
    use().server.on('RunInstances', () => ec2Error('InvalidAMIID.NotFound', "The image id '[ami-1]' does not exist"));
    expect(await errorOf(use().launch())).toMatchObject({
      code: 'InvalidArgument',
      message: `launch an instance for machine machines/web-1 (uid-1) in eu-west-1b: AWS answered InvalidAMIID.NotFound: The image id '[ami-1]' does not exist`,
      details: { field: 'providerSpec.value.ami', outsideSpec: true, provesNoInstance: true },
    });
  });

  it('fails with DeadlineExceeded when no answer comes in time, and is not sent again', async () => {
    use().open({ launchTimeoutMs: 150 });
    use().server.on('RunInstances', () => ({ ...launched({ id: 'i-1' }), afterMs: 400 }));
    const error = await errorOf(use().launch());
    expect(error).toMatchObject({ code: 'DeadlineExceeded', details: {} });
    expect(error.message).toContain('no answer within 150 ms');
    await new Promise((done) => setTimeout(done, 400));
    expect(use().callsOf('RunInstances')).toHaveLength(1);
  });

  it('does not fail because many others are under way that take their time', async () => {
    // As long as a busy computer may take to connect so many.
    use().open({ connectionTimeoutMs: 1000 });
    use().server.on('RunInstances', () => ({ ...launched({ id: 'i-1' }), afterMs: 2500 }));
    const parameters = await use().resolve();
    const launches = await Promise.all(Array.from({ length: 200 }, () => use().launch(parameters)));
    expect(launches.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, () => 'i-1'));
  });

  it('that waits for credentials ends in time too, and sends nothing later', async () => {
    const parameters = await use().resolve();
    let giveKeys: () => void = () => undefined;
    const waiting = new Promise<void>((done) => (giveKeys = done));
    use().open({
      launchTimeoutMs: 50,
      defaultKeys: async () => {
        await waiting;
        return { accessKeyId: 'a', secretAccessKey: 'b' };
      },
    });
    const withoutSecret = { ...parameters, credentials: { namespace: 'machines', region: 'eu-west-1' } };
    expect((await errorOf(use().launch(withoutSecret))).code).toBe('DeadlineExceeded');
    giveKeys();
    await new Promise((done) => setTimeout(done, 100));
    expect(use().callsOf('RunInstances')).toHaveLength(0);
  });

  it('is not sent where it is not due any more once its keys are there, it is its turn, and it is signed', async () => {
    const parameters = { ...(await use().resolve()), credentials: { namespace: 'machines', region: 'eu-west-1' } };
    const limits = new RateLimits({ provider: 'aws', rules: EC2_LIMITS, clock: systemClock });
    let isDue = true;
    const defaultKeys = async () => {
      isDue = false;
      return { accessKeyId: 'a', secretAccessKey: 'b' };
    };
    for (const more of [{}, { limits }]) {
      use().open({ defaultKeys, ...more });
      isDue = true;
      const attempt = use().provider.launch({ owner, token: 't', parameters, isStillDue: () => isDue });
      expect(await errorOf(attempt)).toMatchObject({
        code: 'Aborted',
        details: { notSent: true, cloudCode: 'CallNotDue' },
      });
    }
    expect(use().callsOf('RunInstances')).toEqual([]);
  });

  it('fails with Canceled when the caller gives up', async () => {
    use().server.on('RunInstances', () => ({ ...launched({ id: 'i-1' }), afterMs: 300 }));
    const parameters = await use().resolve();
    const attempt = use().provider.launch({ owner, token: 't', parameters }, AbortSignal.timeout(60));
    expect((await errorOf(attempt)).code).toBe('Canceled');
  });

  it('fails with Unavailable when nobody listens', async () => {
    const parameters = await use().resolve();
    use().open({ endpoints: { ec2: 'http://127.0.0.1:1' } });
    const error = await errorOf(use().launch(parameters));
    expect(error).toMatchObject({ code: 'Unavailable', details: {} });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('keeps secrets out of errors that quote them in any form, and keeps errors short', async () => {
    const userData = Buffer.from('#!/bin/sh\njoin --password canary-1234 & done\n');
    const raw = userData.toString();
    const blob = Buffer.from('canary'.repeat(100)).toString('base64');
    const quotes = [
      raw,
      userData.toString('base64'),
      userData.toString('base64').slice(0, 60),
      userData.toString('base64').slice(13, 60),
      Buffer.from(`- ${raw}`).toString('base64'),
      JSON.stringify(raw),
      encodeURIComponent(raw),
      encodeURIComponent(userData.toString('base64')),
      'join --password canary-1234 & done',
      new URLSearchParams({ '': raw }).toString(),
      keys.id,
      keys.secret,
      encodeURIComponent(keys.secret),
      `Encoded authorization failure message: ${blob}`,
      'x '.repeat(9_000),
    ];
    for (const quote of quotes) {
      use().server.on('RunInstances', () => ec2Error('InvalidParameterValue', `Value (${quote}) is bad`));
      const { message } = await errorOf(use().launch(undefined, userData));
      expect(message).not.toMatch(/canary|CANARY/);
      for (const form of [userData.toString('base64').slice(13, 29), keys.secret, blob]) {
        expect(message).not.toContain(form);
      }
      expect(message.length).toBeLessThanOrEqual(1_500);
    }
  });
});

describe('credentials', () => {
  it('that are rotated sign the next call', async () => {
    let id = 'AKIA-OLD';
    use().open({
      readSecret: async () => ({ aws_access_key_id: Buffer.from(id), aws_secret_access_key: Buffer.from('s') }),
    });
    use().server.on('DescribeInstances', () => reservations([]));
    await use().provider.list(credentials, 'c1');
    id = 'AKIA-NEW';
    await use().provider.list(credentials, 'c1');
    expect(use().server.calls.map(({ signedBy }) => signedBy)).toEqual(['AKIA-OLD', 'AKIA-NEW']);
  });

  it('that are missing are an error before anything is sent', async () => {
    use().open({ readSecret: async () => undefined });
    const error = await errorOf(use().provider.list(credentials, 'c1'));
    expect([error.code, error.message]).toEqual([
      'Unauthenticated',
      'read credentials: there is no Secret machines/cloud',
    ]);
    expect(use().server.calls).toHaveLength(0);
  });

  it('that the SDK does not find are Unauthenticated', async () => {
    const missing = Object.assign(new Error('Could not load credentials'), { name: 'CredentialsProviderError' });
    use().open({ defaultKeys: () => Promise.reject(missing) });
    const error = await errorOf(use().provider.list({ namespace: 'machines', region: 'eu-west-1' }, 'c1'));
    expect(error.code).toBe('Unauthenticated');
  });
});

describe('endpoints', () => {
  const VARIABLE = 'AWS_ENDPOINT_URL_EC2';
  const before = process.env[VARIABLE];
  afterEach(() => {
    if (before === undefined) delete process.env[VARIABLE];
    else process.env[VARIABLE] = before;
  });

  it('come from the environment, as the SDK has it', async () => {
    process.env[VARIABLE] = use().server.url;
    use().server.on('DescribeInstances', () => reservations([{ id: 'i-1' }]));
    const provider = use().open({ endpoints: {} });
    expect(await provider.list(credentials, 'c1')).toHaveLength(1);
  });
});

describe('reboot', () => {
  const reboot = (more: object = {}) => use().provider.reboot?.({ credentials, id: 'i-1', ...more });

  it('is one RebootInstances', async () => {
    use().server.on('RebootInstances', () => ({
      body: '<RebootInstancesResponse><return>true</return></RebootInstancesResponse>',
    }));
    await reboot();
    expect(
      use()
        .callsOf('RebootInstances')
        .map(({ form }) => form),
    ).toMatchObject([{ 'InstanceId.1': 'i-1' }]);
  });

  it.each([
    [ec2Error('IncorrectInstanceState', 'it is stopped', 400), 'FailedPrecondition'],
    [ec2Error('InvalidInstanceID.NotFound', 'there is none', 400), 'NotFound'],
    [ec2Error('UnauthorizedOperation', 'no', 403), 'PermissionDenied'],
    [ec2Error('RequestLimitExceeded', 'slow', 503), 'Throttled'],
    [ec2Error('UnsupportedOperation', 'not of this kind', 400), 'FailedPrecondition'],
    [ec2Error('InternalError', 'sorry', 500), 'Internal'],
    ['reset' as const, 'Unavailable'],
  ])('is not repeated, whatever comes back: %j', async (answer, code) => {
    use().server.on('RebootInstances', () => answer);
    expect(await errorOf(reboot() ?? Promise.resolve())).toMatchObject({ code });
    expect(use().callsOf('RebootInstances')).toHaveLength(1);
  });

  it('is not sent where what was checked before it is too old', async () => {
    const error = await errorOf(reboot({ isStillDue: () => false }) ?? Promise.resolve());
    expect(error).toMatchObject({ code: 'Aborted', details: { notSent: true } });
    expect(use().callsOf('RebootInstances')).toEqual([]);
  });
});
