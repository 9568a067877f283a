import type { WorkflowRuntime } from '../../simulation/core/workflow-runtime.ts';
import { playProgram } from './play-program.ts';
import { describeProgram, type Program } from './program.ts';
import { simulatedSide, type Side } from './sides.ts';

export interface Comparison {
  readonly program: Program;
  readonly simulated: readonly string[];
  readonly real: readonly string[];
}

/** Plays programs to both Temporals. */
export class Comparer {
  readonly #real: Side;
  readonly #runtime: WorkflowRuntime;
  #plays = 0;

  constructor(real: Side, runtime: WorkflowRuntime) {
    this.#real = real;
    this.#runtime = runtime;
  }

  async compare(program: Program): Promise<Comparison> {
    this.#plays += 1;
    const workflowId = `conformance/${program.seed}/${this.#plays}`;
    const simulated = await linesOf(simulatedSide(program.seed, this.#runtime), program, workflowId);
    const real = await linesOf(this.#real, program, workflowId);
    return { program, simulated, real };
  }
}

async function linesOf(side: Side, program: Program, workflowId: string): Promise<readonly string[]> {
  try {
    return await playProgram(side, program, workflowId);
  } catch (error) {
    return [String(error)];
  }
}

export function isSame({ simulated, real }: Comparison): boolean {
  return simulated.join('\n') === real.join('\n');
}

/** The program, and where the two went apart. */
export function describeDifference({ program, simulated, real }: Comparison): string {
  let same = 0;
  while (same < simulated.length && simulated[same] === real[same]) same += 1;
  const both = simulated.slice(Math.max(0, same - 7), same).map((line) => `    ${line}`);
  const mark = (side: string, lines: readonly string[]) => lines.slice(same, same + 6).map((line) => `${side} ${line}`);
  return [describeProgram(program), ...both, ...mark('sim ', simulated), ...mark('real', real)].join('\n');
}
