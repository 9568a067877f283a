/** The part of `npm start` that may use TypeScript; start.mjs starts it once the packages are there. */

import { ignoredVariables } from '../environment.ts';
import { startStack, type Stack } from '../stack/stack.ts';
import { defaultStateDir, stopCommand } from '../stack/stack-files.ts';
import type { StackOptions, UnexpectedExit } from '../stack/stack-options.ts';
import { ServerFailed } from '../stack/supervised-process.ts';
import { applyExample, exampleOf } from './example.ts';
import { runExternal } from './external.ts';
import { showRunningStack } from './running-stack.ts';
import { parseStartArguments, type StartArguments } from './start-options.mjs';
import { Interrupted, onceInterrupted } from './interruption.ts';
import { summary } from './summary.ts';
import { terminalProgress } from './terminal-progress.ts';
import { watchMachines } from './watch-machines.ts';
import { messageOf } from '../../providers/message-of.ts';

/** How long the example's machines may take to run, in milliseconds. */
const EXAMPLE_LIMIT_MS = 180_000;
/** How long machines of an earlier start are waited for, in milliseconds: they run already, or are someone's own affair. */
const EARLIER_LIMIT_MS = 10_000;

const args = parseStartArguments(process.argv.slice(2));
const stateDir = args.stateDir ?? defaultStateDir;

process.exitCode = args.external === undefined ? await runEmbedded() : await runExternal(args, args.external);
// Sockets kept open must not hold up a --detach.
process.exit();

/** @returns the exit code */
async function runEmbedded(): Promise<number> {
  const ignored = ignoredVariables();
  if (ignored.length > 0) console.log(`Ignored from the environment: ${ignored.join(', ')}.`);
  return (await showRunningStack(stateDir, args.fresh)) ?? (await run(args));
}

/** @returns the exit code */
async function run(args: StartArguments): Promise<number> {
  const { detach, example, fresh, ports, provider, cloudLimits, nodeMonitorGrace } = args;
  const ended = new AbortController();
  onceInterrupted((signal) => ended.abort(new Interrupted(signal)));
  const options = {
    stateDir,
    fresh,
    provider,
    withCloudLimits: cloudLimits,
    ports,
    ...(nodeMonitorGrace === undefined ? {} : graceOf(nodeMonitorGrace)),
    progress: terminalProgress(),
    signal: ended.signal,
  };
  let stack: Stack | undefined;
  try {
    stack = await startStack({ ...options, onUnexpectedExit: (exit) => ended.abort(failureOf(exit)) });
    const ready = await showMachines(stack, example, detach, ended.signal);
    if (detach) {
      stack.release();
      return ready ? 0 : 1;
    }
    await untilAborted(ended.signal);
    throw ended.signal.reason;
  } catch (error) {
    if (stack) console.log('Stopping…');
    await stack?.stop();
    if (error instanceof Interrupted || ended.signal.reason instanceof Interrupted) {
      console.log(stack ? 'Stopped; nothing runs any more, the state stays.' : 'Given up; nothing runs.');
      return 0;
    }
    const reason: unknown = ended.signal.aborted ? ended.signal.reason : error;
    console.error(messageOf(reason));
    return 1;
  }
}

function graceOf(seconds: number): Pick<StackOptions, 'nodeGraceSeconds' | 'workerArgs'> {
  return { nodeGraceSeconds: seconds, workerArgs: ['--node-monitor-grace', `${seconds}`] };
}

/** @returns whether every machine that was to run does */
async function showMachines(stack: Stack, example: boolean, detach: boolean, signal: AbortSignal): Promise<boolean> {
  const applied = example && (await applyExample(stack.files, stack.cloud.provider, signal));
  if (applied) console.log(`\nApplied ${exampleOf(stack.cloud.provider)}:\n`);
  const seen = await watchMachines(stack.kubeconfig, applied ? EXAMPLE_LIMIT_MS : EARLIER_LIMIT_MS, signal);
  const end = detach ? `${stopCommand(stack.files.root)} ends it.` : 'Ctrl-C ends it.';
  process.stdout.write(summary(stack.files, stack.description, seen, end));
  if (seen.lasting || !applied) return true;
  console.error(
    `The example's machines do not all run after ${EXAMPLE_LIMIT_MS / 1000} s; ` +
      'millwright machine explain <name> tells what they wait for.',
  );
  return false;
}

function failureOf({ name, code, signal, log }: UnexpectedExit): ServerFailed {
  return new ServerFailed(name, signal ? `was ended by ${signal}` : `ended by itself with exit code ${code}`, log);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    // A pending promise alone does not keep a program alive.
    const alive = setInterval(() => {}, 60_000);
    signal.addEventListener('abort', () => {
      clearInterval(alive);
      resolve();
    });
  });
}
