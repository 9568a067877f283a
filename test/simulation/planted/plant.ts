/**
 * Puts each planted defect into a copy of the repository and plays there until a judge accuses: the simulation can fail.
 *
 *   node test/simulation/planted/plant.ts [--lives N] [PATTERN]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PLANTED, type PlantedDefect } from './defects.ts';

const root = dirname(dirname(dirname(import.meta.dirname)));
const { values, positionals } = parseArgs({ options: { lives: { type: 'string' } }, allowPositionals: true });
const lives = values.lives ?? '20000';
const chosen = PLANTED.filter(({ name }) => positionals.every((pattern) => name.includes(pattern)));

const folder = mkdtempSync(join(tmpdir(), 'millwright-planted-'));
let missed = 0;
try {
  copyRepository();
  for (const defect of chosen) {
    const found = find(defect);
    if (found === undefined) missed += 1;
    console.log(found === undefined ? `NOT FOUND  ${defect.name}` : `found      ${defect.name}: ${found}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = missed > 0 ? 1 : 0;

interface Report {
  readonly lives: number;
  readonly runs: number;
  readonly failed: readonly { readonly seed: string; readonly violations: readonly { readonly judge: string }[] }[];
}

function find({ file, instead, stands, scenario }: PlantedDefect): string | undefined {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(instead).length !== 2) throw new Error(`${file} does not have it once: ${instead}`);
  writeFileSync(path, source.replace(instead, stands));
  try {
    const args = ['test/simulation/simulate.ts', '--scenario', scenario, '--lives', lives, '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 });
    if (!stdout.startsWith('{')) throw new Error(`no report: ${stderr.slice(0, 2000)}`);
    const report = JSON.parse(stdout) as Report;
    const [failed] = report.failed;
    if (failed === undefined) return undefined;
    const judges = failed.violations.map(({ judge }) => judge).join(', ');
    return `${judges}, after ${report.lives} lives in ${report.runs} runs (${scenario}, seed ${failed.seed})`;
  } finally {
    writeFileSync(path, source);
  }
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
