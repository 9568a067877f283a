import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childEnvironment } from '../environment.ts';
import { runCommand } from '../servers/run-command.ts';
import { repositoryFolder } from '../repository-folder.ts';
import type { StackFiles } from '../stack/stack-files.ts';

/** `kubectl apply` of the example did not work. */
export class ExampleFailed extends Error {
  override readonly name = 'ExampleFailed';
}

/** Path of a provider's example in the repository. */
export function exampleOf(provider: string): string {
  return provider === 'aws' ? 'examples/aws-machineset.yaml' : 'examples/machineset.yaml';
}

/**
 * Applies the provider's example, once per state: what people made of it since is theirs.
 * @returns true where it was applied now
 */
export async function applyExample(files: StackFiles, provider: string, signal: AbortSignal): Promise<boolean> {
  if (existsSync(files.exampleApplied)) return false;
  const example = join(repositoryFolder, exampleOf(provider));
  const args = ['--kubeconfig', files.kubeconfig, 'apply', '-f', example];
  const { code, output } = await runCommand(join(files.bin, 'kubectl'), args, { env: childEnvironment(), signal });
  if (code !== 0) throw new ExampleFailed(`kubectl ${args.join(' ')} failed with exit code ${code}:\n${output.trim()}`);
  await writeFile(files.exampleApplied, '');
  return true;
}
