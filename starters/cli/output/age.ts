const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span of time as kubectl shows it: `45s`, `3m20s`, `5h10m`, `2d3h`, `40d`. */
export function formatSpan(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 2 * MINUTE) return `${Math.floor(span / SECOND)}s`;
  if (span < 10 * MINUTE) return twoUnits(span, MINUTE, 'm', SECOND, 's');
  if (span < 3 * HOUR) return `${Math.floor(span / MINUTE)}m`;
  if (span < 8 * HOUR) return twoUnits(span, HOUR, 'h', MINUTE, 'm');
  if (span < 2 * DAY) return `${Math.floor(span / HOUR)}h`;
  if (span < 8 * DAY) return twoUnits(span, DAY, 'd', HOUR, 'h');
  return `${Math.floor(span / DAY)}d`;
}

/** Time from `time` (RFC 3339) until `now`; empty where it is no time. */
export function ageOf(time: string | undefined, now: number): string {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? '' : formatSpan(now - at);
}

/** The time itself and how far off it is: `2026-01-02T03:04:05Z (12s ago)`. */
export function formatMoment(time: string, now: number): string {
  const at = Date.parse(time);
  if (Number.isNaN(at)) return time;
  return at > now ? `${time} (in ${formatSpan(at - now)})` : `${time} (${formatSpan(now - at)} ago)`;
}

function twoUnits(span: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((span % big) / small);
  return `${Math.floor(span / big)}${bigName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}
