/**
 * Makes the folder that the image consists of: the compiled program, its manifests and the packages that it runs with.
 *
 *     node deploy/image/make-tree.mjs FOLDER [--arch amd64|arm64]
 *
 * FOLDER must be new or empty. Takes the packages as they are installed here; asks no registry. Needs Node 24.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleClient } from '../../tools/client-bundle.ts';
import { bundleWorkflows } from '../../workers/workflow-bundle.ts';

const root = resolve(import.meta.dirname, '..', '..');

/** Packages that never run in the image, and why. */
const LEFT_OUT = new Map([
  ['node', 'the base image brings Node'],
  ['@swc/core-*', 'native compiler for bundling workflows; the image has the bundle'],
  ['bare-*', 'parts of tar-fs for another runtime than Node'],
  ['@types/*', 'type declarations'],
]);
/** Endings of files that Node never loads. */
const LEFT_OUT_FILES = /\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|flow|tsbuildinfo)$/i;
/** What the SDK calls the platforms its native part is compiled for. */
const NATIVE_TARGETS = { amd64: 'x86_64-unknown-linux-gnu', arm64: 'aarch64-unknown-linux-gnu' };
const HERE = process.arch === 'x64' ? 'amd64' : process.arch;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { arch: { type: 'string', default: HERE } },
});
const [given] = positionals;
const nativeTarget = NATIVE_TARGETS[values.arch];
if (given === undefined || positionals.length > 1) fail('give one folder: node deploy/image/make-tree.mjs FOLDER');
if (nativeTarget === undefined)
  fail(`--arch ${values.arch}: it has to be one of ${Object.keys(NATIVE_TARGETS).join(', ')}`);
const folder = resolve(given);
if (existsSync(folder) && readdirSync(folder).length > 0)
  fail(`${folder} is not empty: give a new folder, or empty it`);

mkdirSync(folder, { recursive: true });
compileProgram();
await writeBundles();
copyManifests();
const packages = copyPackages();
console.log(`${folder}: ${Math.round(sizeOf(folder) / 1e6)} MB for linux/${values.arch}, ${packages} packages`);

function compileProgram() {
  run(join(root, 'node_modules', '.bin', 'tsc'), [
    '-p',
    join(root, 'tsconfig.build.json'),
    '--outDir',
    join(folder, 'dist'),
    '--sourceMap',
    'false',
  ]);
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
}

/** Each beside the code that looks for it there. */
async function writeBundles() {
  const { code } = await bundleWorkflows();
  writeFileSync(join(folder, 'dist', 'workers', 'workflows.bundle.js'), code);
  await bundleClient(join(folder, 'dist', 'k8s', 'kubernetes-client.bundle.mjs'));
}

function copyManifests() {
  // `doctor` reads from the roles which permissions there should be.
  for (const path of ['k8s/crds', 'k8s/policies', 'deploy/chart/millwright/files']) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  const { name, version, license, type, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const kept = { name, version, license, private: true, type, dependencies };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
}

/** Copies what npm counts as needed without the development dependencies. Answers how many packages. */
function copyPackages() {
  const listed = run('npm', ['ls', '--all', '--omit=dev', '--parseable']).split('\n');
  const paths = listed.filter((path) => path.includes(`${sep}node_modules${sep}`) && !isLeftOut(path));
  if (paths.length === 0) fail('npm ls named no packages: run `npm ci` first');
  for (const path of paths) {
    cpSync(path, join(folder, relative(root, path)), { recursive: true, filter: (from) => isNeeded(path, from) });
  }
  return paths.length;
}

function isLeftOut(path) {
  // A package nested in one that is left out goes with it.
  return path
    .split(`${sep}node_modules${sep}`)
    .slice(1)
    .some((name) =>
      [...LEFT_OUT.keys()].some((pattern) =>
        pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
      ),
    );
}

/** Of the package at `path`: nested packages are listed by themselves, for they may be for development only. */
function isNeeded(path, from) {
  const parts = relative(path, from).split(sep);
  if (parts.includes('node_modules')) return false;
  if (path.endsWith(join('@temporalio', 'core-bridge'))) {
    // Of its folders only what is loaded: the rest are the Rust sources, and libraries for other platforms.
    if (['sdk-core', 'src', 'bridge-macros'].includes(parts[0])) return false;
    if (parts[0] === 'releases' && parts[1] !== undefined && parts[1] !== nativeTarget) return false;
  }
  if (!lstatSync(from).isFile()) return true;
  return !LEFT_OUT_FILES.test(basename(from)) || /^licen[cs]e/i.test(basename(from));
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  if (status === 0) return stdout;
  return fail(`${command} ${args.join(' ')} in ${root} failed: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
}

function sizeOf(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

function fail(message) {
  console.error(`make-tree: ${message}`);
  process.exit(1);
}
