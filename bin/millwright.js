#!/usr/bin/env node
/**
 * `millwright` and `kubectl millwright`. Plain JavaScript that runs on Node 20; the program itself wants Node 24, which
 * comes as the dependency `node` where the installed one is older.
 */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const WANTED_MAJOR = 24;

const self = fileURLToPath(import.meta.url);
const packageFolder = dirname(dirname(self));
const [major = 0] = process.versions.node.split('.').map(Number);

if (major >= WANTED_MAJOR) await import(pathToFileURL(programPath()).href);
else continueUnder(nodeDependency());

/** The sources in a checkout, else what the package ships: Node takes no TypeScript from under node_modules. */
function programPath() {
  const source = join(packageFolder, 'starters', 'cli', 'main.ts');
  return existsSync(source) ? source : join(packageFolder, 'dist', 'starters', 'cli', 'main.js');
}

/** Path of the Node that the dependency `node` brings. */
function nodeDependency() {
  try {
    return createRequire(self).resolve('node/bin/node');
  } catch {
    console.error(
      `millwright wants Node ${WANTED_MAJOR} or later; this is ${process.versions.node}, and its dependency "node" is ` +
        'not installed. Install the package again without --no-optional or --ignore-scripts, or use a newer Node.',
    );
    return process.exit(1);
  }
}

function continueUnder(node) {
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`millwright could not go on under ${node}: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // Ends as the child did, so that a shell or a supervisor sees the same.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
