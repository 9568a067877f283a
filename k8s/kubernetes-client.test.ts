import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundleClient } from '../tools/client-bundle.ts';

const cache = join(import.meta.dirname, '..', 'node_modules', '.cache');
let folder: string;

beforeAll(async () => {
  await mkdir(cache, { recursive: true });
  // What it needs itself is found from within the repository.
  folder = await mkdtemp(join(cache, 'client-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('the bundle of the client has what is used of the library, and loads none of its modules', async () => {
  const file = join(folder, 'client.mjs');
  await bundleClient(file);
  const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'kubernetes-client.ts')).href);
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const client = await import(${module});
    const config = new client.KubeConfig();
    config.loadFromString(JSON.stringify({ clusters: [{ name: 'c', cluster: { server: 'https://c:1' } }], users: [],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }], 'current-context': 'x' }));
    const context = new client.RequestContext('https://c:1', client.HttpMethod.GET);
    await config.applySecurityAuthentication(context);
    const watch = new client.Watch(config);
    console.log(JSON.stringify({
      names: Object.keys(client).sort(),
      server: config.getCurrentCluster().server,
      canWatch: typeof watch.watch === 'function' && context.getHttpMethod() === 'GET',
      modules: loaded.filter((url) => url.includes('@kubernetes/client-node')).length,
    }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, MILLWRIGHT_KUBERNETES_CLIENT: file },
  });
  expect(JSON.parse(stdout)).toEqual({
    names: ['HttpMethod', 'KubeConfig', 'ListWatch', 'RequestContext', 'Watch'],
    server: 'https://c:1',
    canWatch: true,
    modules: 0,
  });
}, 60_000);
