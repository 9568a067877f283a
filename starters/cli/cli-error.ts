import { EXIT, type ExitCode } from './exit-codes.ts';

/** A command did not work. The message is one clear line: what was attempted, on what, and what came back. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(message: string, { exitCode = EXIT.failed, ...options }: ErrorOptions & { exitCode?: ExitCode } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Does one step of a command; where it fails, the message says which. */
export async function attempt<T>(what: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`could not ${what}: ${reasonOf(error)}`, { cause: error });
  }
}

/** What came back, in words. A gRPC error says in its cause what it was about. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (error.name === 'ServiceError' && cause instanceof Error) return `${error.message}: ${cause.message}`;
  return error.message;
}
