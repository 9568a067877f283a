import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { machineManifest } from '../lifecycle/manifests.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { createCertificateAuthority } from './certificates.ts';
import { runMillwright } from './run-millwright.ts';
import { startTemporalFront, type TemporalFront } from './temporal-front.ts';

const stack = getStack();
const name = 'temporal-profiles';
const API_KEY = 'a-key-that-no-log-may-show';
let withCertificates: TemporalFront;
let withKeys: TemporalFront;
let profiles: string;
const running: MillwrightProcess[] = [];

beforeAll(async () => {
  const authority = createCertificateAuthority('millwright-test');
  const identity = authority.issue('temporal', 'server');
  const client = authority.issue('millwright', 'client');
  const { address: target } = stack.temporal;
  withCertificates = await startTemporalFront({ target, identity, clientAuthority: authority.certificate });
  withKeys = await startTemporalFront({ target, identity, apiKey: API_KEY });
  const path = (file: string) => join(stack.stateDir, `${name}-${file}`);
  await writeFile(path('ca.pem'), authority.certificate);
  await writeFile(path('client.pem'), client.certificate);
  await writeFile(path('client.key'), client.key);
  profiles = path('temporal.toml');
  const ca = `server_ca_cert_path = "${path('ca.pem')}"`;
  await writeFile(
    profiles,
    [
      '[profile.certificate]',
      `address = "${withCertificates.address}"`,
      '[profile.certificate.tls]',
      ca,
      `client_cert_path = "${path('client.pem')}"`,
      `client_key_path = "${path('client.key')}"`,
      '[profile.no-certificate]',
      `address = "${withCertificates.address}"`,
      `tls = { ${ca} }`,
      '[profile.unknown-authority]',
      `address = "${withCertificates.address}"`,
      'tls = {}',
      '[profile.no-tls]',
      `address = "${withCertificates.address}"`,
      '[profile.key]',
      `address = "${withKeys.address}"`,
      `api_key = "${API_KEY}"`,
      `tls = { ${ca} }`,
      '[profile.wrong-key]',
      `address = "${withKeys.address}"`,
      `api_key = "${API_KEY}-of-old"`,
      `tls = { ${ca} }`,
      '[profile.nobody]',
      'address = "127.0.0.1:1"',
      '',
    ].join('\n'),
  );
  await stack.kube.create(NAMESPACES, undefined, { metadata: { name } });
}, 30_000);

afterAll(async () => {
  await Promise.all(running.map((process) => process.end()));
  await withCertificates.close();
  await withKeys.close();
});

async function start(role: 'worker' | 'watcher', profile: string): Promise<MillwrightProcess> {
  const scope = role === 'watcher' ? ['-n', name] : [];
  const started = await startMillwright(role, {
    args: ['--task-queue', name, '--profile', profile, ...scope],
    env: { TEMPORAL_ADDRESS: '', TEMPORAL_CONFIG_FILE: profiles, HOME: '/nonexistent' },
  });
  running.push(started);
  return started;
}

/** Waits until the log of a process says it; answers the whole log. */
function untilLogged({ log }: MillwrightProcess, words: RegExp): Promise<string> {
  return until(
    `${log} says ${words}`,
    () => readFile(log, 'utf8'),
    (text) => words.test(text),
    { timeoutMs: 30_000 },
  );
}

function command(profile: string, ...args: readonly string[]) {
  const env = { KUBECONFIG: stack.kubeconfig, TEMPORAL_CONFIG_FILE: profiles };
  return runMillwright([...args, '--profile', profile], env);
}

describe('worker, watcher and commands', () => {
  test('work through a Temporal that asks for client certificates', async () => {
    const [worker, watcher] = await Promise.all([start('worker', 'certificate'), start('watcher', 'certificate')]);
    await Promise.all([worker.ready, watcher.ready]);
    await stack.kube.create(MACHINES, name, machineManifest(name, 'one'));
    const look = () => stack.kube.get<MachineObject>(MACHINES, name, 'one');
    await until('it runs', look, ({ status }) => status?.phase === 'Running', { timeoutMs: 40_000 });
    const explained = await command('certificate', 'machine', 'explain', 'one', '-n', name);
    expect(explained.stdout).toMatch(/running since/);
    expect(withCertificates.passed()).toBeGreaterThan(3);
    await stack.kube.delete(MACHINES, name, 'one');
    const isGone = () => stack.kube.list<MachineObject>(MACHINES, { namespace: name });
    await until('it is gone', isGone, ({ items }) => items.length === 0, { timeoutMs: 40_000 });
    await Promise.all([worker.end(), watcher.end()]);
  }, 120_000);

  test('work with an API key, which they show as a bearer token and nowhere else', async () => {
    const [worker, watcher] = await Promise.all([start('worker', 'key'), start('watcher', 'key')]);
    await Promise.all([worker.ready, watcher.ready]);
    const installed = await command('key', 'install');
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    expect(installed.stdout).toContain('registered search attributes in Temporal namespace default');
    await Promise.all([worker.end(), watcher.end()]);
    for (const { log } of [worker, watcher]) expect(await readFile(log, 'utf8')).not.toContain(API_KEY);
    expect(installed.stdout + installed.stderr).not.toContain(API_KEY);
  }, 90_000);

  test('say what is missing where they are not let in, and go on trying', async () => {
    const worker = await start('worker', 'no-certificate');
    const watcher = await start('watcher', 'wrong-key');
    const ends = [worker, watcher].map(({ ready }) => ready.catch(() => 'ended before it was ready'));
    const said = await untilLogged(worker, /asks for a client certificate .*tls\.client_cert_path/);
    expect(said).toMatch(/next try in/);
    expect(await untilLogged(watcher, /does not accept the credentials: check the API key/)).not.toContain(API_KEY);
    await Promise.all([worker.end(), watcher.end()]);
    await expect(Promise.all(ends)).resolves.toHaveLength(2);
  }, 90_000);
});

describe('a command that does not get through says why in one line', () => {
  test.each([
    ['no-certificate', /could not connect to Temporal at 127\.0\.0\.1:\d+: the server asks for a client certificate/],
    ['unknown-authority', /: the server's certificate is of an authority that is not known here/],
    ['no-tls', /: the server closed the connection at once: it may want TLS/],
    ['wrong-key', /: the server does not accept the credentials: check the API key/],
    ['nobody', /could not connect to Temporal at 127\.0\.0\.1:1: connection refused/],
    ['of-nobody', /could not read the Temporal profiles: .*: it has no profile of-nobody/],
  ])(
    'with the profile %s',
    async (profile, sentence) => {
      const { code, stderr } = await command(profile, 'install');
      expect(stderr).toMatch(sentence);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).not.toContain(API_KEY);
      expect(code).toBe(1);
    },
    30_000,
  );
});
