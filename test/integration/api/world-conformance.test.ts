import { beforeAll, expect, test } from '@jest/globals';
import { loadKubeConfig } from '../../../k8s/kube-config.ts';
import { Random } from '../../simulation/time/random.ts';
import { getStack } from '../stack.ts';
import { drawStory } from './conformance/asks.ts';
import { playStory, shorten, tell } from './conformance/play.ts';
import { openRealServer } from './conformance/real.ts';
import type { Server } from './conformance/side.ts';

/**
 * Random requests, told to the simulated API server and to the real one: what a client sees has to be the same. Where it is
 * not, the shortest story that shows it is printed, with its seed. `MILLWRIGHT_API_STORIES=b:2000` tells 2,000 stories, of the
 * seeds b-0 to b-1999; `MILLWRIGHT_API_STORIES=b-17` tells one again.
 */
const [WORD = '', COUNT] = (process.env['MILLWRIGHT_API_STORIES'] ?? 'a:150').split(':');
const SEEDS =
  COUNT === undefined ? [WORD] : Array.from({ length: Number(COUNT) }, (_none, index) => `${WORD}-${index}`);
/** Told at the same time; each waits for the real server most of the time. */
const AT_ONCE = 4;
const MOST_FAILURES = 3;

let real: Server;

beforeAll(async () => {
  // Of its own in each run, so that a kept stack can be used again.
  real = await openRealServer(loadKubeConfig({ kubeconfig: getStack().kubeconfig }), `conformance-${Date.now()}`);
});

test('random requests are answered as by the real one', async () => {
  const left = SEEDS.values();
  const failures: string[] = [];
  const next = async () => {
    for (const seed of left) {
      const story = drawStory(new Random(seed));
      if ((await playStory(real, story)) === undefined) continue;
      // Where an owner goes, the real collector may not have seen yet what belongs to it: only what differs again counts.
      const found = await playStory(real, story);
      if (found === undefined) continue;
      failures.push(`MILLWRIGHT_API_STORIES=${seed}\n${tell(await shorten(real, found))}`);
      if (failures.length >= MOST_FAILURES) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  expect(failures.join('\n\n')).toBe('');
}, 3_600_000);
