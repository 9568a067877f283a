import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows } from '../../workers/workflow-bundle.ts';
import type { Play } from './play.ts';
import { replayInRealCore } from './real-core.ts';
import type { Result } from './tally.ts';

export type Run = Pick<Play, 'seed' | 'scenario'>;
/** What a player is sent. */
export type Order = Run & Pick<Play, 'isBeyond'> & { readonly histories: string };

/** Plays runs in so many processes, which take the next one as soon as they have ended one. The real core replays some of their histories. */
export async function runSideBySide(
  jobs: number,
  isBeyond: boolean,
  take: () => Run | undefined,
  onResult: (result: Result) => void,
): ReturnType<typeof replayInRealCore> {
  const folder = mkdtempSync(join(tmpdir(), 'millwright-simulation-'));
  try {
    const bundle = join(folder, 'workflows.bundle.js');
    writeFileSync(bundle, (await bundleWorkflows()).code);
    const histories = join(folder, 'histories');
    mkdirSync(histories);
    const order = { isBeyond, histories };
    await Promise.all(Array.from({ length: jobs }, () => playApart(bundle, order, take, onResult)));
    return await replayInRealCore(histories, bundle);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function playApart(
  bundle: string,
  order: Omit<Order, keyof Run>,
  take: () => Run | undefined,
  onResult: (result: Result) => void,
): Promise<void> {
  const child = fork(fileURLToPath(new URL('./player.ts', import.meta.url)), {
    env: { ...process.env, MILLWRIGHT_WORKFLOW_BUNDLE: bundle },
    // Nobody reads where in the sources an error came up, and to find it out takes time.
    execArgv: ['--stack-trace-limit=0'],
  });
  return new Promise((resolve, reject) => {
    const next = (): void => {
      const run = take();
      if (run === undefined) child.disconnect();
      else child.send({ ...run, ...order } satisfies Order);
    };
    child.on('message', (message: Result | 'ready') => {
      if (message !== 'ready') onResult(message);
      next();
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`a player ended with ${code ?? signal}`));
    });
  });
}
