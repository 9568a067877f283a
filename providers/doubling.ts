export interface Doubling {
  readonly first: number;
  readonly most: number;
}

/**
 * The wait after so many failures, or looks, in a row: it doubles from `first` up to `most`, in the unit of these.
 *
 * @param times from 1
 */
export function doubled({ first, most }: Doubling, times: number): number {
  return Math.min(first * 2 ** Math.max(0, times - 1), most);
}
