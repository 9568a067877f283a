import { afterAll, beforeAll } from '@jest/globals';
import { openNamespace, type OwnNamespace } from './own-namespace.ts';

/** Of opening one, and of ending it, in milliseconds. */
const MOST_MS = 120_000;

/** Gives the tests of a file a namespace of their own, with a watcher and a worker, and ends it afterwards. */
export function useNamespace(name: string, take: (own: OwnNamespace) => void): void {
  let own: OwnNamespace | undefined;
  beforeAll(async () => {
    own = await openNamespace(name);
    take(own);
  }, MOST_MS);
  afterAll(() => own?.end(), MOST_MS);
}
