import { Random } from '../../simulation/time/random.ts';
import { Player } from './play-steps.ts';
import { randomSteps } from './random-steps.ts';
import type { Step } from './step.ts';
import type { Subject } from './subject.ts';

/** A new cloud of either kind, in which nothing happened yet. */
export type MakeSubjects = () => readonly [Subject, Subject];

const STEPS = 20;
let plays = 0;

/** Undefined where both clouds show the same; else the shortest sequence that was found in which they do not, as a story. */
export async function compare(seed: string, makeSubjects: MakeSubjects): Promise<string | undefined> {
  let steps = randomSteps(new Random(`${seed} steps`), STEPS);
  let difference = await play(steps, makeSubjects);
  if (difference === undefined) return undefined;
  steps = steps.slice(0, difference.at + 1);
  // From the last to the first: what a step rests on comes before it.
  for (let left = steps.length - 1; left >= 0; left -= 1) {
    const fewer = steps.filter((_step, index) => index !== left);
    const still = await play(fewer, makeSubjects);
    if (still === undefined) continue;
    difference = still;
    steps = fewer.slice(0, still.at + 1);
    left = Math.min(left, steps.length);
  }
  return [`seed ${seed}:`, ...difference.story].join('\n');
}

interface Difference {
  /** The step after which they differ. */
  readonly at: number;
  readonly story: readonly string[];
}

async function play(steps: readonly Step[], makeSubjects: MakeSubjects): Promise<Difference | undefined> {
  const subjects = makeSubjects();
  plays += 1;
  const players = subjects.map((subject) => new Player(subject, `play-${plays}`));
  const story: string[] = [];
  for (const [at, step] of steps.entries()) {
    const [one = '', other = ''] = await Promise.all(players.map((player) => player.play(step)));
    const isSame = one === other;
    story.push(`${isSame ? ' ' : '!'} ${JSON.stringify(step)}`);
    if (isSame) story.push(`      ${one}`);
    else {
      story.push(...subjects.map(({ name }, index) => `      ${name}: ${index === 0 ? one : other}`));
      return { at, story };
    }
  }
  return undefined;
}
