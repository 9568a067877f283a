/** What must be on this computer before anything is installed or built. Node's built-ins only; runs on Node 20. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Each missing prerequisite in a sentence: what, what it is for, what was found instead. Empty: all there. */
async function missingPrerequisites() {
  const answers = await Promise.all([checkNode(), checkNpm(), checkGo(), checkPython()]);
  return answers.filter((answer) => answer !== undefined);
}

/** Ends this program, with a list, where something is missing. */
export async function requirePrerequisites() {
  const missing = await missingPrerequisites();
  if (missing.length === 0) return;
  console.error(`Missing on this computer:\n${missing.map((sentence) => `  - ${sentence}`).join('\n')}`);
  process.exit(1);
}

async function checkNode() {
  const [major = 0] = process.versions.node.split('.').map(Number);
  return major >= 20 ? undefined : `Node 20 or later, to run this program; this is ${process.versions.node}`;
}

async function checkNpm() {
  const version = await output('npm', ['--version']);
  return version ? undefined : 'npm, to install the JavaScript packages; it comes with Node';
}

async function checkGo() {
  const purpose =
    'Go 1.26 or later, to build the Kubernetes servers, and Temporal where PyPI has none for this computer (go.dev/dl)';
  // Asked outside any module, so that the answer is the installed Go and nothing is downloaded for it.
  const version = await output('go', ['env', 'GOVERSION'], { GOTOOLCHAIN: 'local', GOWORK: 'off' });
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (minor === undefined) return purpose;
  if (Number(major) > 1 || Number(minor) >= 26) return undefined;
  const toolchain = await output('go', ['env', 'GOTOOLCHAIN']);
  // From 1.21 on Go fetches the version that a go.mod asks for, unless told not to.
  if (Number(minor) >= 21 && toolchain && !/^(local|path$|go[\d.]+$)/.test(toolchain)) return undefined;
  return `${purpose}; this is ${version} with GOTOOLCHAIN=${toolchain || '(none)'}, which cannot fetch a newer one`;
}

async function checkPython() {
  const purpose = 'Python 3.11 or later with venv, for Temporal and the test servers, which come as Python packages';
  const check = 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2])';
  const version = await output('python3', ['-c', check]);
  if (version === undefined) {
    const bare = await output('python3', ['--version']);
    return bare ? `${purpose}; ${bare} lacks venv (Debian: apt install python3-venv)` : purpose;
  }
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 3 || minor >= 11 ? undefined : `${purpose}; this is Python ${version}`;
}

/** Standard output of a program, or undefined where it is not there or fails. */
async function output(command, args, environment = {}) {
  try {
    const { stdout } = await run(command, args, { cwd: '/', timeout: 30_000, env: { ...process.env, ...environment } });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
