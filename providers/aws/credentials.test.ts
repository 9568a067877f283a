import { describe, expect, it } from '@jest/globals';
import { readKeys } from './credentials.ts';
import { given } from '../given.ts';

const named = { namespace: 'machines', secretName: 'cloud' };
const reading = (data: Record<string, string> | undefined) => async () =>
  data === undefined
    ? undefined
    : Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)]));

const FILE = `[other]
aws_access_key_id = WRONG
[default]
aws_access_key_id = AKIA1
aws_secret_access_key=s3cr3t=+/
`;

describe('credentials', () => {
  it.each([
    [{ aws_access_key_id: 'AKIA1\n', aws_secret_access_key: 's3cr3t=+/' }, undefined],
    [{ aws_access_key_id: 'AKIA1', aws_secret_access_key: 's3cr3t=+/', aws_session_token: 'tok' }, 'tok'],
    [{ credentials: FILE }, undefined],
    [{ credentials: `${FILE}aws_session_token = tok` }, 'tok'],
  ])('come from the Secret with %j', async (data, sessionToken) => {
    expect(await readKeys(named, reading(data))).toEqual({
      accessKeyId: 'AKIA1',
      secretAccessKey: 's3cr3t=+/',
      ...given({ sessionToken }),
    });
  });

  it('are not read where no Secret is named', async () => {
    expect(await readKeys({ namespace: 'machines' }, undefined)).toBeUndefined();
  });

  it.each([
    [undefined, 'Unauthenticated', 'there is no Secret machines/cloud'],
    [{}, 'Unauthenticated', 'Secret machines/cloud has no key aws_access_key_id'],
    [{ aws_access_key_id: 'AKIA1' }, 'Unauthenticated', 'Secret machines/cloud has no key aws_secret_access_key'],
    [{ credentials: '[default]\nrole_arn = r' }, 'Unauthenticated', 'has no key aws_access_key_id'],
  ])('are refused where the Secret is %j, in words without its content', async (data, code, message) => {
    const refusal: unknown = await readKeys(named, reading(data)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(String(refusal)).not.toContain('AKIA1');
  });

  it('that cannot be read are an error that says so', async () => {
    await expect(readKeys(named, undefined)).rejects.toMatchObject({ code: 'FailedPrecondition' });
    const away = () => Promise.reject(new Error('the API server is away'));
    await expect(readKeys(named, away)).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'read credentials: Secret machines/cloud: the API server is away',
    });
  });
});
