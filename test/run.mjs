/**
 * `npm test`: from a fresh clone to one closing line. Installs and builds what is missing, then runs every check and every
 * test. `npm test -- unit` (or `checks`, `simulation`, `integration`) runs a part; further words are patterns of test files.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { ensureDependencies, nodeForTypeScript } from '../devstack/start/bootstrap.mjs';
import { requirePrerequisites } from '../devstack/start/prerequisites.mjs';
import { endProcessTree } from './end-process-tree.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PARTS = ['checks', 'unit', 'simulation', 'integration'];
const words = process.argv.slice(2);
const chosen = words.filter((word) => PARTS.includes(word));
const parts = chosen.length === 0 ? PARTS : chosen;
const patterns = words.filter((word) => !PARTS.includes(word));

await requirePrerequisites();
await ensureDependencies();
const node = nodeForTypeScript();
const bin = (name) => join(root, 'node_modules', '.bin', name);
const environment = cleanEnvironment();
const scratch = mkdtempSync(join(tmpdir(), 'millwright-results-'));
const startedAt = Date.now();
const total = { passed: 0, failed: 0, skipped: 0 };
let testFiles = 0;
/** How long each test file took, in milliseconds. */
const took = [];
/** What is said of each test that failed. */
const failures = [];
const inCi = process.env.CI === 'true';
/** Workers are killed at every request, not only at some. */
const withAllFaults = process.env.MILLWRIGHT_FAULTS === 'all';

if (parts.includes('checks')) {
  await check('lint', bin('oxlint'), ['--type-aware', '--deny-warnings']);
  await check('format', bin('oxfmt'), ['--check', '.']);
  await check('types', bin('tsc'), ['-p', 'tsconfig.json', '--noEmit']);
  await check('generated files', node, ['tools/generate.ts', '--check']);
}
const tested = parts.filter((part) => part === 'unit' || part === 'integration');
if (tested.length > 0) {
  // Each of hundreds of processes that the tests start loads one file in place of 870: half a second of CPU less.
  const client = join(root, 'node_modules', '.cache', 'millwright', 'kubernetes-client.bundle.mjs');
  await check('client bundle', node, ['tools/write-client-bundle.ts', client]);
  environment.MILLWRIGHT_KUBERNETES_CLIENT = client;
  await check('servers', node, ['test/build-servers.ts', ...tested], 30);
}
// Three on two cores: many files wait for a Temporal of their own.
if (parts.includes('unit')) await jest('unit', { minutes: 20, args: ['--maxWorkers=3'] });
// Of patterns it knows none: they are of test files.
if (parts.includes('simulation') && patterns.length === 0) {
  await check('simulation', node, ['test/simulation/simulate.ts', '--test'], 10);
}
if (parts.includes('integration')) {
  // Each with a stack of its own: what the first two leave behind is not in the way of those that measure.
  const minutes = withAllFaults ? 90 : 45;
  const sideBySide = () => jest('integration-side-by-side', { minutes, args: ['--maxWorkers=2'] });
  const oneByOne = () => jest('integration-one-by-one', { minutes, args: ['--runInBand'] });
  if (withAllFaults) {
    // Each has a kill matrix, which keeps two cores busy.
    await sideBySide();
    await oneByOne();
  } else {
    await Promise.all([sideBySide(), oneByOne()]);
  }
  await jest('integration', { minutes: 35, args: ['--runInBand'] });
}
if (tested.length > 0 && testFiles === 0) {
  console.error(`no test file of ${tested.join(', ')} matches ${patterns.join(', ')}`);
  total.failed += 1;
}

rmSync(scratch, { recursive: true, force: true });
if (took.length > 0) console.log(timesOf(took));
if (failures.length > 0) {
  const said = failures.map(({ name, lines }) => [`  ${name}`, ...lines.map((line) => `      ${line}`)].join('\n'));
  console.log(['What failed:', ...said, ''].join('\n'));
}
if (inCi) total.failed += total.skipped;
// Once more in short: of a long output often the end alone is kept.
for (const { name, lines } of failures) console.log(`failed: ${name}: ${lines[0] ?? ''}`);
console.log(`all of it took ${Math.round((Date.now() - startedAt) / 60_000)} min`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

async function check(name, command, args, minutes) {
  const startedAt = Date.now();
  const code = await run(command, args, minutes);
  total[code === 0 ? 'passed' : 'failed'] += 1;
  if (code !== 0) failures.push({ name, lines: [`it ended with exit code ${code}`] });
  console.log(`${code === 0 ? 'ok' : 'FAILED'}: ${name} (${Math.round((Date.now() - startedAt) / 1000)} s)\n`);
}

/** A run that hangs, in a test or after the last, is ended at its time and has failed. */
async function jest(project, { minutes, args }) {
  const results = join(scratch, `${project}.json`);
  const code = await run(
    node,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
      '--selectProjects',
      project,
      '--json',
      `--outputFile=${results}`,
      '--forceExit',
      // The files of the patterns may be another project's.
      ...(patterns.length > 0 ? ['--passWithNoTests'] : []),
      ...args,
      ...patterns,
    ],
    minutes,
  );
  try {
    const {
      numTotalTestSuites,
      numPassedTests,
      numFailedTests,
      numPendingTests,
      numTodoTests,
      numRuntimeErrorTestSuites,
      testResults,
    } = JSON.parse(readFileSync(results, 'utf8'));
    for (const { name, startTime, endTime, status, message, assertionResults } of testResults) {
      const file = relative(root, name);
      took.push({ file, ms: endTime - startTime });
      const failedTests = assertionResults.filter((test) => test.status === 'failed');
      failures.push(
        ...failedTests.map((test) => failureOf(`${file}: ${test.fullName}`, test.failureMessages.join('\n'))),
      );
      if (status === 'failed' && failedTests.length === 0) failures.push(failureOf(file, message));
    }
    testFiles += numTotalTestSuites;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    total.passed += numPassedTests;
    total.failed += code === 0 ? failed : Math.max(1, failed);
    total.skipped += numPendingTests + numTodoTests;
  } catch (error) {
    console.error(`the ${project} tests left no results: ${error.message}`);
    total.failed += 1;
  }
}

/** The files that took longest first; those under a second together. */
function timesOf(files) {
  const slow = files.filter(({ ms }) => ms >= 1000).sort((a, b) => b.ms - a.ms);
  const quick = files.filter(({ ms }) => ms < 1000);
  const lines = slow.map(({ file, ms }) => `${(ms / 1000).toFixed(0).padStart(6)} s  ${file}`);
  return ['Time of each test file:', ...lines, `  < 1 s  ${quick.length} others`, ''].join('\n');
}

/** Which test it was, and the beginning of what it said. */
function failureOf(name, message) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !line.startsWith('    at '));
  return { name, lines: lines.slice(0, 15) };
}

function run(command, args, minutes = 15) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env: environment, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', (error) => {
      console.error(error.message);
      resolve(127);
    });
    const deadline = setTimeout(() => {
      console.error(`not done after ${minutes} minutes, ended: ${command} ${args.join(' ')}`);
      // Its servers would keep the processors from what runs next.
      endProcessTree(child.pid);
    }, minutes * 60_000);
    child.once('exit', (code) => {
      clearTimeout(deadline);
      resolve(code ?? 1);
    });
  });
}

/** Nothing of the user's own clusters and clouds reaches a test. */
function cleanEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => name !== 'KUBECONFIG' && !name.startsWith('TEMPORAL_') && !name.startsWith('AWS_'),
  );
  return { ...Object.fromEntries(kept), AWS_EC2_METADATA_DISABLED: 'true' };
}
