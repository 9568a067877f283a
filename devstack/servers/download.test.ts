import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { silentProgress } from '../progress.ts';
import type { Download } from './catalog.ts';
import { downloadServer } from './download.ts';

const BINARY = '#!/bin/sh\necho server\n';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let folder: string;
let server: Server;
let origin: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-download-'));
  writeFileSync(join(folder, 'server'), BINARY);
  execFileSync('tar', ['-czf', join(folder, 'archive.tar.gz'), '-C', folder, 'server']);
  const files: Readonly<Record<string, string | Buffer>> = {
    '/server': BINARY,
    '/server.sha256': `${sha256(BINARY)}  server\n`,
    '/wrong.sha256': sha256('something else'),
    '/archive.tar.gz': readFileSync(join(folder, 'archive.tar.gz')),
  };
  server = createServer((request, response) => {
    const body = files[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

async function fetched(download: Download): Promise<string | undefined> {
  const path = join(folder, 'fetched');
  const arrived = await downloadServer('server', download, path, silentProgress, new AbortController().signal);
  return arrived ? readFileSync(path, 'utf8') : undefined;
}

test('fetches a binary whose published SHA-256 fits', async () => {
  expect(await fetched({ url: `${origin}/server`, sha256Url: `${origin}/server.sha256` })).toBe(BINARY);
});

test('takes the binary out of an archive', async () => {
  expect(await fetched({ url: `${origin}/archive.tar.gz`, member: 'server' })).toBe(BINARY);
});

test('takes nothing that is not what was published, and leaves the build to come next', async () => {
  expect(await fetched({ url: `${origin}/server`, sha256Url: `${origin}/wrong.sha256` })).toBeUndefined();
  expect(await fetched({ url: `${origin}/server`, sha256Url: `${origin}/absent.sha256` })).toBeUndefined();
  expect(await fetched({ url: `${origin}/absent` })).toBeUndefined();
  expect(await fetched({ url: `${origin}/archive.tar.gz`, member: 'absent' })).toBeUndefined();
});
