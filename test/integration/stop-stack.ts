import { rm } from 'node:fs/promises';

/** Ends the shared stack; its folder is kept where MILLWRIGHT_KEEP_TEST_STATE is set. */
export default async function teardown(): Promise<void> {
  const stack = globalThis.millwrightStack;
  await stack?.stop();
  if (stack !== undefined && process.env['MILLWRIGHT_KEEP_TEST_STATE'] === undefined) {
    await rm(stack.files.root, { recursive: true, force: true });
  }
}
