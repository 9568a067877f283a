import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { PLANTED, withDefect } from './defects.ts';

const root = join(import.meta.dirname, '../../..');

it.each(PLANTED.map((defect) => [defect.name, defect] as const))('%s can be planted', (_name, defect) => {
  const source = readFileSync(join(root, defect.file), 'utf8');
  expect(withDefect(defect, source)).toContain(defect.stands);
});

it('a defect whose place is gone, or stands twice, is refused', () => {
  const [defect] = PLANTED;
  if (defect === undefined) throw new Error('there is none');
  expect(() => withDefect(defect, '')).toThrow('does not have it once');
  expect(() => withDefect(defect, defect.instead.repeat(2))).toThrow('does not have it once');
});
