const UNITS = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;
const WHOLE = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/;

/** A duration as Kubernetes writes it, e.g. `1h30m`, in milliseconds; undefined: it is none, or a negative one. */
export function parseDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  const parts = [...text.matchAll(PART)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0);
}

/** For people: in the two largest units that it has. */
export function describeDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).slice(0, 2);
  return told.length === 0 ? '0 s' : told.map(([count, unit]) => `${count} ${unit}`).join(' ');
}
