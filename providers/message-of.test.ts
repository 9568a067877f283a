import { expect, test } from '@jest/globals';
import { messageOf } from './message-of.ts';

test('is the message of an error, and anything else as text', () => {
  expect([messageOf(new TypeError('no such thing')), messageOf('a word'), messageOf(undefined)]).toEqual([
    'no such thing',
    'a word',
    'undefined',
  ]);
});
