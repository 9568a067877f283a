import { defineSignal } from '@temporalio/workflow';
import { liveEntity, type EntityInput } from '../../workflows/entity.ts';

interface Memory {
  passes: number;
  noted: number;
}

/** Between two passes, in milliseconds. */
export const PACE_MS = 400;

const note = defineSignal('note');

/** A workflow that is never at rest until it has made so many passes; it ends with what it made and noted in all its runs. */
export async function looping(input: EntityInput<Memory>): Promise<Memory> {
  const memory = input.memory ?? { passes: 0, noted: 0 };
  return liveEntity<Memory, Memory>(input, {
    memory,
    notes: [[note, () => void (memory.noted += 1)]],
    pass: async () => {
      memory.passes += 1;
      return memory.passes < 1500 ? 'again' : { end: memory };
    },
  });
}

/** A workflow that looks again as often as it is told to, and may; it ends with the times of its passes in all its runs. */
export async function pacing(input: EntityInput<number[]>): Promise<number[]> {
  const memory = input.memory ?? [];
  return liveEntity<number[], number[]>(input, {
    memory,
    restMs: PACE_MS,
    pass: async () => {
      memory.push(Date.now());
      return memory.length < 8 ? { why: 'somebody to tell of a change' } : { end: memory };
    },
  });
}

/** Between two passes of {@link due}, unless one is due before; in milliseconds. */
export const LONG_REST_MS = 20_000;
/** By when the second pass is due. */
export const DUE_MS = 2000;

/** A workflow whose second pass is due within its rest, and the third at once; it ends with the times of its passes. */
export async function due(input: EntityInput<number[]>): Promise<number[]> {
  const memory = input.memory ?? [];
  return liveEntity<number[], number[]>(input, {
    memory,
    restMs: LONG_REST_MS,
    notes: [[note, () => undefined]],
    pass: async () => {
      const now = Date.now();
      memory.push(now);
      if (memory.length >= 3) return { end: memory };
      return { at: memory.length === 1 ? now + DUE_MS : now - 1, why: 'it is due' };
    },
  });
}
