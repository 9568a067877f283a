import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { PLANTED, withDefect } from './defects.ts';

const root = join(import.meta.dirname, '../../..');

it.each(PLANTED.map((defect) => [defect.name, defect] as const))('%s can be planted', (_name, defect) => {
  const { name, also } = defect;
  for (const part of [defect, ...(also === undefined ? [] : [{ name, ...also }])]) {
    expect(withDefect(part, readFileSync(join(root, part.file), 'utf8'))).toContain(part.stands);
  }
});

it('a defect whose place is gone, or stands twice, is refused', () => {
  const [defect] = PLANTED;
  if (defect === undefined) throw new Error('there is none');
  expect(() => withDefect(defect, '')).toThrow('does not have it once');
  expect(() => withDefect(defect, defect.instead.repeat(2))).toThrow('does not have it once');
});
