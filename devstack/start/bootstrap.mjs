/** From a fresh clone to a Node that runs our TypeScript. Node's built-ins only; runs on Node 20. */

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repositoryFolder = fileURLToPath(new URL('../..', import.meta.url));
const dependencyNode = join(repositoryFolder, 'node_modules', 'node', 'bin', 'node');

/** How long `npm ci` takes on 2 cores with nothing cached, in seconds. */
const INSTALL_SECONDS = 60;
const REPEAT_MS = 15_000;

/** Runs `npm ci` where node_modules is absent or not what package-lock.json says. Ends this program where that fails. */
export async function ensureDependencies() {
  const reason = staleDependencies(
    readJson(join(repositoryFolder, 'package-lock.json')),
    readJson(join(repositoryFolder, 'node_modules', '.package-lock.json')),
  );
  if (reason === undefined && existsSync(dependencyNode)) return;
  console.log(`Installing the JavaScript packages (npm ci): ${reason ?? 'Node 24 is missing'}. About a minute…`);
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const timer = setInterval(() => console.log(`npm ci: ${seconds()} s of about ${INSTALL_SECONDS} s`), REPEAT_MS);
  const { code, output } = await npmCi();
  clearInterval(timer);
  if (code === 0) {
    console.log(`Installed in ${seconds()} s.`);
    return;
  }
  console.error(`${output.trimEnd()}\nnpm ci failed with exit code ${code}; the lines above are its own.`);
  process.exit(1);
}

/**
 * Why the installed packages are not those of the lock file; undefined where they are.
 * @param lock package-lock.json
 * @param installed node_modules/.package-lock.json, which npm writes after an install
 */
export function staleDependencies(lock, installed) {
  if (installed === undefined) return 'they are not there yet';
  for (const [path, wanted] of Object.entries(lock?.packages ?? {})) {
    if (path === '' || wanted.link) continue;
    const found = installed.packages?.[path];
    // One for another platform is left out.
    if (found === undefined && (wanted.optional || wanted.devOptional)) continue;
    if (found?.version !== wanted.version || found?.integrity !== wanted.integrity) {
      return `${path} should be ${wanted.version} and is ${found?.version ?? 'missing'}`;
    }
  }
  return undefined;
}

function npmCi() {
  // The Node of node_modules/.bin, which npm puts first, goes away in the process.
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  return new Promise((resolve) => {
    const child = spawn('npm', ['ci', '--include=dev', '--no-progress'], {
      cwd: repositoryFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PATH: path },
    });
    let output = '';
    const keep = (text) => {
      output = (output + text).slice(-16_384);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Path of a Node that runs TypeScript as it is (24 or later): the `node` dependency's, else this one. */
export function nodeForTypeScript() {
  if (existsSync(dependencyNode)) return dependencyNode;
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 24) return process.execPath;
  throw new Error(`no Node 24 at ${dependencyNode}, and this is ${process.versions.node}; run npm ci first`);
}

/**
 * Goes on as another program and ends with its exit code. Signals are passed on; the program may see one twice, as a
 * terminal sends its own.
 */
export function continueAs(script, args) {
  const child = spawn(nodeForTypeScript(), [script, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? (signal ? 1 : 0);
    process.exit();
  });
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
