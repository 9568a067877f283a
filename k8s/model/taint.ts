import type { Taint } from './machine.ts';

/** What a Pod says of the taints that it can live with. */
export interface Toleration {
  /** Absent: every taint. */
  readonly key?: string;
  /** @default Equal */
  readonly operator?: string;
  readonly value?: string;
  /** Absent: every effect. */
  readonly effect?: string;
  /** For how long it is tolerated; the effect is NoExecute then. @default for ever */
  readonly tolerationSeconds?: number;
}

/** Whether a Pod with these tolerations may stay where the taint is, for ever. */
export function tolerates(tolerations: readonly Toleration[], { key, value = '', effect }: Taint): boolean {
  return tolerations.some((one) => {
    if (one.tolerationSeconds !== undefined) return false;
    if (one.effect !== undefined && one.effect !== '' && one.effect !== effect) return false;
    const isAnyKey = one.key === undefined || one.key === '';
    if (one.operator === 'Exists') return isAnyKey || one.key === key;
    return one.key === key && (one.value ?? '') === value;
  });
}

/** Whether a taint of this key and effect is among them, with whatever value. */
export function hasTaint(taints: readonly Taint[] | undefined, { key, effect }: Taint): boolean {
  return taints?.some((one) => one.key === key && one.effect === effect) === true;
}
