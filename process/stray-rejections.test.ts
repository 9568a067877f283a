import { expect, test } from '@jest/globals';
import type { Logger } from 'pino';
import { outliveStrayRejections, STRAY_REJECTION } from './stray-rejections.ts';

test('a process listens to promises that are rejected while nobody waits, and says so', () => {
  const known = new Set(process.listeners('unhandledRejection'));
  const said: unknown[][] = [];
  outliveStrayRejections({ error: (...words: unknown[]) => void said.push(words) } as unknown as Logger);
  const added = process.listeners('unhandledRejection').filter((listener) => !known.has(listener));
  const error = new Error('nobody waits');
  for (const listener of added) {
    listener(error, Promise.resolve());
    process.off('unhandledRejection', listener);
  }
  expect(said).toEqual([[{ error }, STRAY_REJECTION]]);
});
