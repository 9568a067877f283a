/**
 * Puts each planted defect into a copy of the repository and plays there until the judge accuses that has to: the simulation can fail.
 *
 *   node test/simulation/planted/plant.ts [--lives N] [--from WORD] [--jobs N] [PATTERN]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Failed } from '../tally.ts';
import { PLANTED, withDefect, type PlantedDefect } from './defects.ts';

const root = dirname(dirname(dirname(import.meta.dirname)));
const { values, positionals } = parseArgs({
  options: {
    lives: { type: 'string', default: '20000' },
    from: { type: 'string', default: 'run' },
    /** Runs at the same time; as many as there are cores where it is not given. */
    jobs: { type: 'string' },
  },
  allowPositionals: true,
});
const chosen = PLANTED.filter(({ name }) => positionals.every((pattern) => name.includes(pattern)));

const folder = mkdtempSync(join(tmpdir(), 'millwright-planted-'));
try {
  copyRepository();
  const missed = chosen.filter((defect) => !isFound(defect, Number(values.lives), values.from));
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What is read of the report that `simulate --json` prints. */
interface Report {
  readonly lives: number;
  readonly runs: number;
  readonly failed: readonly Failed[];
}

/** Each call of the simulation ends with the first accusation: where that is another judge's, the next one goes on with other seeds. */
function isFound(defect: PlantedDefect, mostLives: number, from: string): boolean {
  const { name, also, scenario, judges } = defect;
  const sources = [defect, ...(also === undefined ? [] : [{ name, ...also }])].map((part) => {
    const path = join(folder, part.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, withDefect(part, source));
    return { path, source };
  });
  try {
    let [lives, runs] = [0, 0];
    for (let turn = 1; lives < mostLives; turn += 1) {
      const report = simulate(scenario, mostLives - lives, turn === 1 ? from : `${from}-${turn}`);
      lives += report.lives;
      runs += report.runs;
      const accused = report.failed.flatMap((failed) =>
        failed.violations.map(({ judge, message }) => ({ ...failed, judge, message })),
      );
      const found = accused.find(({ judge }) => judges.includes(judge));
      if (found !== undefined) {
        const where = `${scenario}, seed ${found.seed}: ${found.world}`;
        console.log(`found      ${name}: ${found.judge}, after ${lives} lives in ${runs} runs (${where})`);
        return true;
      }
      for (const { judge, message, seed } of accused) {
        console.log(`           ${name}: another judge, ${judge}, by ${lives} lives (seed ${seed}): ${message}`);
      }
    }
    console.log(`NOT FOUND  ${name}: within ${lives} lives in ${runs} runs`);
    return false;
  } finally {
    for (const { path, source } of sources) writeFileSync(path, source);
  }
}

function simulate(scenario: string, lives: number, from: string): Report {
  const args = [
    'test/simulation/simulate.ts',
    '--json',
    '--scenario',
    scenario,
    '--lives',
    String(lives),
    '--from',
    from,
    ...(values.jobs === undefined ? [] : ['--jobs', values.jobs]),
  ];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 });
  if (!stdout.startsWith('{')) throw new Error(`no report: ${stderr.slice(0, 2000)}`);
  return JSON.parse(stdout) as Report;
}

function copyRepository(): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of listed.toString().split('\0')) {
    if (file === '' || file === 'node_modules') continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}
