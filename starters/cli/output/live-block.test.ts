import { expect, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { LiveBlock } from './live-block.ts';

function terminal(size: { readonly columns?: number; readonly rows?: number }) {
  const stream = new PassThrough();
  const written = () => String(stream.read() ?? '');
  return { block: new LiveBlock(Object.assign(stream, size)), written };
}

const UP = (lines: number) => `\u001B[${lines}A\u001B[0J`;

test('what is shown takes the place of what was shown before, and so does what follows', () => {
  const { block, written } = terminal({ columns: 20, rows: 10 });
  block.show('a\nb');
  expect(written()).toBe('a\nb\n');
  block.show('c');
  expect(written()).toBe(`${UP(2)}c\n`);
  block.clear();
  block.clear();
  expect(written()).toBe(UP(1));
});

test('long lines are broken, and what does not fit the terminal is left out', () => {
  const { block, written } = terminal({ columns: 5, rows: 4 });
  block.show('abcdefg\n\nh\ni');
  expect(written()).toBe('abcd\nefg\n\n');
  block.clear();
  expect(written()).toBe(UP(3));
});

test('a terminal that does not know its size is taken for one of 80 columns and 24 rows', () => {
  for (const size of [{}, { columns: 0, rows: 0 }]) {
    const { block, written } = terminal(size);
    block.show(`${'a'.repeat(80)}\n${'\n'.repeat(30)}`);
    expect(written()).toBe(`${'a'.repeat(79)}\na\n${'\n'.repeat(21)}`);
  }
});
