/** True where `version` (`1.36.3`, `v1.32.4-dispatcher`) lies in `[from, to]`, each `major.minor`. */
export function versionFits(version: string, [from, to]: readonly [from: string, to: string]): boolean {
  const found = majorMinor(version);
  const low = majorMinor(from);
  const high = majorMinor(to);
  return found !== undefined && low !== undefined && high !== undefined && low <= found && found <= high;
}

function majorMinor(version: string): number | undefined {
  const match = /^v?(\d+)\.(\d+)/.exec(version);
  return match ? Number(match[1]) * 10_000 + Number(match[2]) : undefined;
}
