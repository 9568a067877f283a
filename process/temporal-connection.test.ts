import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeAccess, loadTemporalConnection, TemporalConfigError } from './temporal-connection.ts';

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const KEY = '-----BEGIN EC PRIVATE KEY-----\nAA==\n-----END EC PRIVATE KEY-----\n';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-profiles-'));
  await writeFile(join(folder, 'client.pem'), CERTIFICATE);
  await writeFile(join(folder, 'client.key'), KEY);
});

afterAll(() => rm(folder, { recursive: true }));

/** The connection with this as temporal.toml and nothing else in the environment. */
async function load(toml: string, more: Parameters<typeof loadTemporalConnection>[0] = {}) {
  const path = join(folder, 'temporal.toml');
  await writeFile(path, toml);
  return loadTemporalConnection({ ...more, environment: { TEMPORAL_CONFIG_FILE: path, ...more.environment } });
}

/** What is said where the connection cannot be told. */
async function refusal(toml: string, more: Parameters<typeof loadTemporalConnection>[0] = {}): Promise<string> {
  try {
    await load(toml, more);
  } catch (error) {
    if (error instanceof TemporalConfigError) return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

describe('where Temporal is', () => {
  test('is the dev server where nothing says otherwise', () => {
    const connection = loadTemporalConnection({ environment: { HOME: '/nowhere' } });
    expect(connection).toEqual({ address: 'localhost:7233', namespace: 'default', access: {} });
    expect(describeAccess(connection)).toBe('no TLS');
  });

  test('is told by a flag before a variable before the profile', async () => {
    const toml = '[profile.default]\naddress = "file:1"\nnamespace = "of-file"\n';
    expect(await load(toml)).toMatchObject({ address: 'file:1', namespace: 'of-file' });
    const environment = { TEMPORAL_ADDRESS: 'variable:2' };
    expect(await load(toml, { environment })).toMatchObject({ address: 'variable:2', namespace: 'of-file' });
    expect(await load(toml, { environment, address: 'flag:3', namespace: 'of-flag' })).toMatchObject({
      address: 'flag:3',
      namespace: 'of-flag',
    });
  });

  test('is that of the profile that is named, by the flag before the variable', async () => {
    const toml = '[profile.a]\naddress = "a:1"\n[profile.b]\naddress = "b:1"\n';
    expect((await load(toml, { environment: { TEMPORAL_PROFILE: 'a' } })).address).toBe('a:1');
    expect((await load(toml, { environment: { TEMPORAL_PROFILE: 'a' }, profile: 'b' })).address).toBe('b:1');
  });

  test('is the default where a variable is set to nothing, or the file is empty', async () => {
    expect((await load('', { environment: { TEMPORAL_ADDRESS: '', TEMPORAL_PROFILE: '' } })).address).toBe(
      'localhost:7233',
    );
  });
});

describe('how one gets in', () => {
  test('is a client certificate over TLS', async () => {
    const [certificate, key] = [join(folder, 'client.pem'), join(folder, 'client.key')];
    const connection = await load(
      `[profile.prod.tls]\nclient_cert_path = "${certificate}"\nclient_key_path = "${key}"\nserver_name = "temporal.example"\n`,
      { profile: 'prod' },
    );
    expect(connection.access.tls).toMatchObject({
      serverNameOverride: 'temporal.example',
      clientCertPair: { crt: new Uint8Array(Buffer.from(CERTIFICATE)) },
    });
    expect(describeAccess(connection)).toBe('TLS with a client certificate');
  });

  test('is an API key, which brings TLS along', async () => {
    const connection = await load('', { environment: { TEMPORAL_API_KEY: 'very-secret' } });
    expect(connection.access).toEqual({ tls: true, apiKey: 'very-secret' });
    expect(describeAccess(connection)).toBe('TLS and an API key');
  });

  test('is told with headers by their names only', async () => {
    const connection = await load('[profile.default.grpc_meta]\nx_tenant = "very-secret"\n');
    expect(connection.access.metadata).toEqual({ 'x-tenant': 'very-secret' });
    expect(describeAccess(connection)).toBe('no TLS, metadata x-tenant');
  });
});

describe('what cannot be understood is said in one line', () => {
  test.each([
    ['an unknown profile', '[profile.a]\n', { profile: 'b' }, /temporal\.toml: it has no profile b$/],
    ['a file without profiles', 'address = "x:1"\n', {}, /has to hold tables \[profile\.NAME\]$/],
    [
      'a key without its certificate',
      '[profile.default.tls]\nclient_key_path = "/k"\n',
      {},
      /client key for TLS but no client certificate/,
    ],
    [
      'a certificate that is not there',
      '[profile.p.tls]\nclient_cert_path = "/nowhere/c"\nclient_key_path = "/nowhere/k"\n',
      { profile: 'p' },
      /^could not read the client certificate of profile p: .*ENOENT.*\/nowhere\/c/,
    ],
    [
      'an authority that is no certificate',
      '[profile.default.tls]\nserver_ca_cert_data = "nonsense"\n',
      {},
      /server CA certificate .* is not PEM/,
    ],
  ])('%s', async (_what, toml, more, message) => {
    const said = await refusal(toml, more);
    expect(said).toMatch(message);
    expect(said).not.toContain('\n');
  });

  test('a file that is named and not there', () => {
    expect(() => loadTemporalConnection({ environment: { TEMPORAL_CONFIG_FILE: '/nowhere/temporal.toml' } })).toThrow(
      /could not read the Temporal profiles \(TEMPORAL_CONFIG_FILE\): .*ENOENT.*\/nowhere\/temporal\.toml/,
    );
  });

  test('a broken line, without what stands in it', async () => {
    const said = await refusal('[profile.default]\napi_key = "very-secret\nnamespace = "x"\n');
    expect(said).toMatch(/temporal\.toml: Invalid TOML document: .*\(line 2, column \d+\)$/);
    expect(said).not.toContain('very-secret');
  });
});
