import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const PHASES = join(import.meta.dirname, '../workflows/machine/phases');
/** What several phases go by stands in a file of its own, which says it in words: emptying.ts, turn.ts. */
const SHARED = ['emptying', 'turn'];
/** What a phase reads of the memory, by dot and by braces. */
const READS = [/\bmemory\.(\w+)/g, /\{([^{}]*)\}\s*=\s*(?:\w+\.)?memory\b/g, /\bmemory:\s*\{([^{}]*)\}/g];

const files = globSync('*.ts', { cwd: PHASES }).filter((file) => !file.endsWith('.test.ts'));
const slots = files.map(slotOf);

test.each(files)('%s knows no other phase', (file) => {
  const source = readFileSync(join(PHASES, file), 'utf8');
  const imported = [...source.matchAll(/\bfrom '\.\/([^']+)'/g)].map(([, path]) => path);
  expect(imported).toEqual([]);
  const foreign = [...SHARED, ...slots].filter((slot) => slot !== slotOf(file));
  expect(fieldsRead(source).filter((field) => foreign.includes(field))).toEqual([]);
});

test('what a phase reads is found, however it is written', () => {
  const source = `memory.drained.isDone; const { settled: slot, alone } = pass.memory; f({ memory: { single } }: Pass)`;
  expect(fieldsRead(source).sort()).toEqual(['alone', 'drained', 'settled', 'single']);
  expect(slots).toEqual(expect.arrayContaining(['drained', 'outOfService', 'preDrainHooks']));
});

function fieldsRead(source: string): string[] {
  return READS.flatMap((pattern) => [...source.matchAll(pattern)])
    .flatMap(([, found = '']) => found.split(','))
    .map((field) => field.split(':')[0]?.trim() ?? '')
    .filter((field) => field !== '');
}

/** The memory's field of the phase in this file. */
function slotOf(file: string): string {
  return basename(file, '.ts').replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}
