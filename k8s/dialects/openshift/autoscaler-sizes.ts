import { PAUSED_ANNOTATION } from '../../model/paused-annotation.ts';
import { AUTOSCALER_MAX_SIZE_ANNOTATION, AUTOSCALER_MIN_SIZE_ANNOTATION } from './labels.ts';

/** The fewest replicas that cluster-autoscaler may leave; undefined: it leaves the object alone, as it does one that is paused. */
export function autoscaledFrom(annotations: Readonly<Record<string, string>> = {}): number | undefined {
  const most = sizeOf(annotations[AUTOSCALER_MAX_SIZE_ANNOTATION]);
  if (most === 0 || annotations[PAUSED_ANNOTATION] !== undefined) return undefined;
  return sizeOf(annotations[AUTOSCALER_MIN_SIZE_ANNOTATION]);
}

/** What is missing is 0 to it, too. */
function sizeOf(text = ''): number {
  return /^\+?\d{1,9}$/.test(text) ? Number(text) : 0;
}
