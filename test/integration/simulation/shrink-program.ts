import { isSame, type Comparison } from './compare.ts';
import type { Program } from './program.ts';

/** Comparisons that a search takes at most: each takes real time. */
const MOST_TRIES = 40;

/** The shortest program found that the two still answer differently. */
export async function shrinkProgram(
  differing: Comparison,
  compare: (program: Program) => Promise<Comparison>,
): Promise<Comparison> {
  let last = differing;
  for (let tries = 0; ;) {
    const shorter = shorterOnes(last.program);
    let hasShrunk = false;
    for (const program of shorter) {
      if ((tries += 1) > MOST_TRIES) return last;
      const comparison = await compare(program);
      if (isSame(comparison)) continue;
      [last, hasShrunk] = [comparison, true];
      break;
    }
    if (!hasShrunk) return last;
  }
}

/** Without the second half of it, and without one part of it. */
function shorterOnes(program: Program): readonly Program[] {
  const { steps, deeds } = program;
  const halves: readonly Program[] = [
    { ...program, steps: steps.slice(0, Math.floor(steps.length / 2)) },
    { ...program, deeds: deeds.slice(0, Math.ceil(deeds.length / 2)) },
  ];
  return [
    ...halves.filter(({ steps: left, deeds: done }) => left.length < steps.length || done.length < deeds.length),
    ...steps.map((_step, index) => ({ ...program, steps: steps.toSpliced(index, 1) })),
    ...deeds.map((_deed, index) => ({ ...program, deeds: deeds.toSpliced(index, 1) })),
  ];
}
