/** Share of the points, beyond those that are always taken, that the quick run takes. */
const SAMPLE_EVERY = 3;

/** They are of a worker's start, of its inventory and of what it reports, not of a machine's life. */
const BESIDE = /^LIST machineclasses | (events|namespaces|leases) /;

/** Points at which an instance, or the record of one, is made or unmade. */
function isAlwaysTaken(point: string): boolean {
  return /^(LAUNCH|TERMINATE) /.test(point) || /machines\/status/.test(point) || /^(CREATE|PATCH|DELETE) /.test(point);
}

/**
 * Which points are killed at: all, or every write and a sample of the reads, drawn with a seed that is printed
 * (MILLWRIGHT_FAULTS_SEED draws the same ones again).
 */
export function choosePoints(all: readonly string[], everything: boolean): { points: string[]; seed: number } {
  const seed = Number(process.env['MILLWRIGHT_FAULTS_SEED'] ?? Date.now() % 1000);
  const relevant = all.filter((point) => !BESIDE.test(point));
  const points = relevant.filter((point, i) => everything || isAlwaysTaken(point) || (i + seed) % SAMPLE_EVERY === 0);
  return { points, seed };
}
