import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Progress, ProgressTask } from '../progress.ts';
import type { Download } from './catalog.ts';
import { runCommand } from './run-command.ts';
import { messageOf } from '../../providers/message-of.ts';

/** Time in which a download's host must have answered, in milliseconds; where the network is closed, that is lost. */
const PROBE_TIMEOUT_MS = 3000;
/** A download without a byte for so long has failed, in milliseconds. */
const STALL_TIMEOUT_MS = 20_000;

/** Answers of the hosts so far, so that a closed network costs one time-out and not one per server. */
const reachable = new Map<string, Promise<boolean>>();

/** True where the host of `url` answers at all. */
export function isReachable(url: string): Promise<boolean> {
  const { origin } = new URL(url);
  const known = reachable.get(origin);
  if (known) return known;
  const answer = fetch(origin, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    .then(() => true)
    .catch(() => false);
  reachable.set(origin, answer);
  return answer;
}

/**
 * Fetches a server into `outputPath`. False, with a note of why, where that did not work: the build comes next.
 */
export async function downloadServer(
  label: string,
  download: Download,
  outputPath: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<boolean> {
  const task = progress.task(`Downloading ${label}`);
  const folder = await mkdtemp(join(dirname(outputPath), 'download-'));
  try {
    const file = join(folder, 'file');
    await fetchToFile(download.url, file, task, signal);
    if (download.sha256Url) await checkSha256(file, download.sha256Url);
    await rename(download.member ? await extract(file, download.member, folder) : file, outputPath);
    task.done();
    return true;
  } catch (error) {
    signal.throwIfAborted();
    task.failed(messageOf(error));
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fetchToFile(url: string, file: string, task: ProgressTask, signal: AbortSignal): Promise<void> {
  const stalled = new AbortController();
  const giveUp = () => stalled.abort(new Error(`${url} sent nothing for ${STALL_TIMEOUT_MS / 1000} s`));
  let timer = setTimeout(giveUp, STALL_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, stalled.signal]) });
    if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`);
    const total = Number(response.headers.get('content-length'));
    let received = 0;
    const body = Readable.fromWeb(response.body);
    body.on('data', (chunk: Uint8Array) => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, STALL_TIMEOUT_MS);
      received += chunk.length;
      task.detail(`${megabytes(received)}${total ? ` of ${megabytes(total)}` : ''}`);
    });
    await pipeline(body, createWriteStream(file));
  } finally {
    clearTimeout(timer);
  }
}

async function checkSha256(file: string, sha256Url: string): Promise<void> {
  const response = await fetch(sha256Url, { signal: AbortSignal.timeout(STALL_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${sha256Url} answered ${response.status}`);
  const wanted = (await response.text()).trim().split(/\s/)[0];
  const found = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  if (wanted !== found) throw new Error(`its SHA-256 is ${found}, ${sha256Url} says ${wanted}`);
}

async function extract(archive: string, member: string, folder: string): Promise<string> {
  const { code, output } = await runCommand('tar', ['-xzf', archive, '-C', folder, member]);
  if (code !== 0) throw new Error(`tar did not take ${basename(member)} out of it: ${output.trim()}`);
  return join(folder, member);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
