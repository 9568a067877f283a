import type { Run } from '../temporal/run.ts';
import { CachedRun, type CachedRunServices } from './cached-run.ts';

/** A worker that knows nothing of a run takes up its history as far as it was answered, and nothing comes of it. */
export async function takeUp(
  { identity, history }: Pick<Run, 'identity' | 'history'>,
  services: Pick<CachedRunServices, 'agenda' | 'runtime' | 'onBroken'>,
): Promise<CachedRun> {
  const { agenda } = services;
  const run = new CachedRun({
    ...services,
    clock: { timeOfDay: () => agenda.now, after: (ms, run) => agenda.after(ms, run) },
    runLocal: () => new Promise(() => {}),
    answer: () => {},
  });
  await run.replay({ ...identity, token: 0, history, startedAt: agenda.now, suggestsContinueAsNew: false });
  return run;
}
