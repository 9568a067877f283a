/** On the Node whose machine cluster-autoscaler is about to take away. */
export const AUTOSCALER_TAINT = 'ToBeDeletedByClusterAutoscaler';

/** As Go writes a time: `2026-11-21 10:11:12.345678901 +0000 UTC m=+12.345678901`. */
const GO_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,3})?\d* ([+-]\d\d)(\d\d) \S+( m=[+-][\d.]+)?$/;

/** When cluster-autoscaler marked a Machine for deletion, in milliseconds since the epoch; undefined: somebody else did, or nobody. */
export function markedAtOf(mark: string | undefined): number | undefined {
  const [, date, time, fraction = '', hours, minutes] = GO_TIME.exec(mark ?? '') ?? [];
  if (date === undefined) return undefined;
  const at = Date.parse(`${date}T${time}${fraction}${hours}:${minutes}`);
  return Number.isNaN(at) ? undefined : at;
}
