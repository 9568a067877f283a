import { startStack, type Stack } from '../devstack/stack/stack.ts';
import type { StackOptions } from '../devstack/stack/stack-options.ts';
import { Interrupted } from '../devstack/start/interruption.ts';
import { terminalProgress } from '../devstack/start/terminal-progress.ts';

/** The exit code of a program that a terminal's Ctrl-C ended. */
const INTERRUPTED = 130;

/** A stack for one run of a program: it ends with it, also where SIGINT or SIGTERM comes while it still starts. */
export async function startBriefStack(options: Omit<StackOptions, 'signal' | 'progress'>): Promise<Stack> {
  const interrupted = new AbortController();
  let stack: Stack | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      interrupted.abort(new Interrupted(name));
      void stack?.stop().then(() => process.exit(INTERRUPTED));
    });
  }
  try {
    stack = await startStack({ ...options, progress: terminalProgress(), signal: interrupted.signal });
  } catch (error) {
    if (interrupted.signal.aborted) process.exit(INTERRUPTED);
    throw error;
  }
  if (!interrupted.signal.aborted) return stack;
  await stack.stop();
  return process.exit(INTERRUPTED);
}
