import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { childEnvironment, ignoredVariables } from '../environment.ts';
import { millwrightProgram } from '../stack/processes/millwright.ts';
import { runCommand } from '../servers/run-command.ts';
import { repositoryFolder } from '../repository-folder.ts';
import { defaultStateDir, stopCommand } from '../stack/stack-files.ts';
import { applyManifests } from './external-example.ts';
import { ExternalProcesses } from './external-processes.ts';
import { readExternalTarget, type ExternalTarget } from './external-target.ts';
import { exampleOf } from './example.ts';
import { Interrupted, onceInterrupted } from './interruption.ts';
import type { ExternalArguments, StartArguments } from './start-options.mjs';
import { messageOf } from '../../providers/message-of.ts';

const INSTALL_TIMEOUT_MS = 180_000;
const NOT_AGREED = 1;
const USAGE = 2;

/**
 * `npm start -- --external`: installs into the user's own cluster and Temporal, after asking, and runs a watcher and a
 * worker against them until it is told to end. What they made stays.
 * @returns the exit code
 */
export async function runExternal(args: StartArguments, external: ExternalArguments): Promise<number> {
  let target: ExternalTarget;
  try {
    target = readExternalTarget(external);
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  }
  const used = ignoredVariables();
  console.log('Your own cluster and Temporal:\n');
  for (const line of target.lines) console.log(`  ${line}`);
  if (used.length > 0) console.log(`  From the environment: ${used.join(', ')}`);
  console.log(`\n${whatWillHappen(args, external)}\n`);
  if (!external.yes) {
    if (!process.stdin.isTTY) {
      console.error('It asks before it does this, and there is no terminal to answer at: add --yes.');
      return USAGE;
    }
    if (!(await agrees())) {
      console.error('Nothing was done.');
      return NOT_AGREED;
    }
  }
  return runAgainst(target, args, external);
}

function whatWillHappen({ example, provider, detach }: StartArguments, { namespace }: ExternalArguments): string {
  const scope = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  return [
    'Installs there: resource definitions, admission policies and search attributes (millwright install).',
    ...(example ? [`Applies ${exampleOf(provider)}, whose machines are launched for real.`] : []),
    `Runs here, with your credentials${detach ? '' : ', until Ctrl-C'}: a watcher of ${scope} and a worker.`,
  ].join('\n');
}

async function agrees(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question('Go on? [y/N] ')).trim());
  } catch {
    return false; // Ctrl-C, Ctrl-D.
  } finally {
    terminal.close();
  }
}

async function runAgainst(
  target: ExternalTarget,
  { stateDir = defaultStateDir, detach, example, provider }: StartArguments,
  external: ExternalArguments,
): Promise<number> {
  const { namespace, taskQueue } = external;
  const ended = new AbortController();
  onceInterrupted((signal) => ended.abort(new Interrupted(signal)));
  const root = join(stateDir, 'external');
  const processes = new ExternalProcesses({
    root,
    env: ownVariables(),
    onUnexpectedExit: ({ name, log }) => ended.abort(new Error(`The ${name} ended by itself; its log: ${log}`)),
  });
  try {
    await processes.prepare();
    await install(target, ended.signal);
    if (example) await applyManifests(join(repositoryFolder, exampleOf(provider)), external);
    const queue = taskQueue === undefined ? [] : [`--task-queue=${taskQueue}`];
    const scope = namespace === undefined ? [] : [`--namespace=${namespace}`];
    await processes.start('watcher', [...target.flags, ...queue, ...scope], ended.signal);
    await processes.start('worker', [...target.flags, ...queue], ended.signal);
    processes.complete();
    console.log(`Watcher and worker run; their logs: ${processes.logs}`);
    if (detach) {
      processes.release();
      console.log(`${stopCommand(root)} ends them.`);
      return 0;
    }
    console.log('Ctrl-C ends them.');
    await new Promise((resolve) => {
      const alive = setInterval(() => {}, 60_000); // A pending promise alone does not keep a program alive.
      ended.signal.addEventListener('abort', () => resolve(clearInterval(alive)));
      if (ended.signal.aborted) resolve(clearInterval(alive));
    });
    throw ended.signal.reason;
  } catch (error) {
    await processes.stop();
    if (ended.signal.reason instanceof Interrupted) {
      console.log('Watcher and worker have ended; everything in the cluster and in Temporal stays as it is.');
      return 0;
    }
    console.error(messageOf(ended.signal.aborted ? ended.signal.reason : error));
    return 1;
  }
}

/** The user's own KUBECONFIG, TEMPORAL_* and AWS_*, which the embedded stack ignores. */
function ownVariables(): Record<string, string> {
  return Object.fromEntries(ignoredVariables().map((name) => [name, process.env[name] ?? '']));
}

async function install({ flags }: ExternalTarget, signal: AbortSignal): Promise<void> {
  console.log('Installing…');
  const { code, output } = await runCommand(process.execPath, [millwrightProgram, 'install', ...flags], {
    env: childEnvironment(ownVariables()),
    timeoutMs: INSTALL_TIMEOUT_MS,
    signal,
  });
  if (code === 0) return;
  const how = code === null ? `was killed after ${INSTALL_TIMEOUT_MS / 1000} s` : `failed with exit code ${code}`;
  throw new Error(`millwright install ${how}:\n${output.trimEnd()}\nmillwright doctor looks for the reason.`);
}
