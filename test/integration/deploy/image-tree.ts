import { chmod, chown, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../devstack/servers/run-command.ts';
import { repositoryFolder } from '../../../devstack/repository-folder.ts';

/** Who the image runs as. */
const IMAGE_USER = 65532;

/** What the image consists of, as a folder that nobody may write to. */
export interface ImageTree {
  /** Stands for /app. */
  readonly folder: string;
  /** Stands for /nodejs/bin/node of the base image. */
  readonly node: string;
  /** The image's user, where this process may become another; nothing elsewhere. */
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** Lets the image's user read a file, and nobody else. */
  hand(path: string): Promise<void>;
  remove(): Promise<void>;
}

export async function makeImageTree(): Promise<ImageTree> {
  const scratch = await mkdtemp(join(tmpdir(), 'millwright-image-'));
  const folder = join(scratch, 'app');
  const script = join(repositoryFolder, 'deploy', 'image', 'make-tree.mjs');
  const { code, output } = await runCommand(process.execPath, [script, folder], { timeoutMs: 600_000 });
  if (code !== 0) throw new Error(`${script} ended with exit code ${code}: ${output}`);
  const node = join(scratch, 'node');
  await copyFile(process.execPath, node);
  await chmod(node, 0o555);
  await chmod(scratch, 0o711);
  await changeMode(folder, 'a-w');
  const isRoot = process.getuid?.() === 0;
  return {
    folder,
    node,
    user: isRoot ? { uid: IMAGE_USER, gid: IMAGE_USER } : {},
    async hand(path) {
      await chmod(path, 0o400);
      if (isRoot) await chown(path, IMAGE_USER, IMAGE_USER);
    },
    async remove() {
      // Without write permission its folders cannot be emptied, except by root.
      await changeMode(folder, 'u+w');
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

async function changeMode(folder: string, mode: string): Promise<void> {
  const { code, output } = await runCommand('chmod', ['-R', mode, folder]);
  if (code !== 0) throw new Error(`chmod -R ${mode} ${folder} ended with exit code ${code}: ${output}`);
}
