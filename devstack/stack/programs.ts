import { readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { millwrightEnvironment, millwrightProgram } from './processes/millwright.ts';
import type { StackContext } from './processes/stack-context.ts';

/** Fills the state folder's `bin`, which `npm start` tells people to put on their PATH. */
export async function linkPrograms(context: StackContext): Promise<void> {
  const { files, options } = context;
  if (options.withKubernetes) await link(context.binary('kubectl'), join(files.bin, 'kubectl'));
  const script = millwrightScript(context);
  for (const name of ['millwright', 'kubectl-millwright']) {
    await writeFile(join(files.bin, name), script, { mode: 0o755 });
  }
}

/** Knows this stack's Temporal, so that KUBECONFIG is all one has to set; what is set already counts. */
function millwrightScript(context: StackContext): string {
  const { KUBECONFIG: _kubeconfig, ...environment } = millwrightEnvironment(context, context.files.kubeconfig);
  const defaults = Object.entries(environment).map(([name, value]) => `: "\${${name}:=${value}}"; export ${name}`);
  return ['#!/bin/sh', ...defaults, `exec ${quoted(process.execPath)} ${quoted(millwrightProgram)} "$@"`, ''].join(
    '\n',
  );
}

async function link(target: string, path: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  await rm(path, { force: true });
  await symlink(target, path);
}

/** As one word of a POSIX shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
