import { delay, type Clock } from '../../providers/clock.ts';

/** Length of a step, in milliseconds. */
const STEP_MS = 100;

/** Hands over item after item, `perSecond` of them; ends early where `signal` is aborted. */
export async function sweep<T>(
  items: readonly T[],
  perSecond: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  act: (item: T) => void,
): Promise<void> {
  const perStep = Math.max(1, Math.round((perSecond * STEP_MS) / 1000));
  const stepMs = (perStep * 1000) / perSecond;
  for (let from = 0; from < items.length && !signal.aborted; from += perStep) {
    for (const item of items.slice(from, from + perStep)) act(item);
    if (from + perStep < items.length) await delay(clock, stepMs);
  }
}
