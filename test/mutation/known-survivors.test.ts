import { expect, it } from '@jest/globals';
import { readKnownSurvivors, rowOf } from './known-survivors.ts';

const SURVIVOR = { file: 'a/b.ts', change: 'a || b → a' };
const page = (row: string) =>
  `# Page\n\n| \`c.ts\` | \`x\` | elsewhere |\n\n## Changes that no test sees\n\n| File | Change | Reason |\n|---|---|---|\n${row}\n\n## Next\n\n| \`d.ts\` | \`y\` | too |\n`;

it('a survivor is read from its row as it was written', () => {
  const row = rowOf(SURVIVOR).replace(/\|$/, 'it makes no difference |');
  expect(readKnownSurvivors(page(row))).toEqual([SURVIVOR]);
});

it('a survivor without a reason is refused', () => {
  expect(() => readKnownSurvivors(page(rowOf(SURVIVOR)))).toThrow('no reason is given for a || b → a of a/b.ts');
});
