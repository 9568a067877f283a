import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const MACHINE = join(import.meta.dirname, '../workflows/machine');
/** What several phases go by stands in a file of its own, which says it in words: emptying.ts, turn.ts. */
const SHARED = ['emptying', 'turn'];
/** What is so of the machine, or was asked for, whichever phase comes to know it: the only fields that several phases may go by. */
const FACTS = [
  'abandoned',
  'attempt',
  'cloud',
  'inspect',
  'instance',
  'instanceId',
  'isEndAskedFor',
  'joinFrom',
  'launchedOnce',
  'pastOpen',
  'provedGoneAt',
  'recount',
];
/** It holds all slots. */
const MEMORY = 'memory.ts';
/** What is read of the memory, by dot and by braces. */
const READS = [/\bmemory\.(\w+)/g, /\{([^{}]*)\}\s*=\s*(?:\w+\.)?memory\b/g, /\bmemory:\s*\{([^{}]*)\}/g];

const files = sourcesIn('phases');
const slots = files.map(slotOf);
const beside = sourcesIn('.').filter((file) => file !== MEMORY);

test.each(files)('%s knows no other phase', (file) => {
  const source = sourceOf(file);
  const imported = [...source.matchAll(/\bfrom '\.\/([^']+)'/g)].map(([, path]) => path);
  expect(imported).toEqual([]);
  const foreign = [...SHARED, ...slots].filter((slot) => slot !== slotOf(file));
  expect(fieldsRead(source).filter((field) => foreign.includes(field))).toEqual([]);
});

test.each(beside)(
  '%s, beside the phases, knows the slot of none but the one that it is a part of, and no shared one',
  (file) => {
    const known = fieldsRead(sourceOf(file)).filter((field) => slots.includes(field));
    const users = files.filter((phase) => reachedFrom(phase).has(file)).map(slotOf);
    for (const slot of known) expect(users).toEqual([slot]);
    const shared = SHARED.filter((slot) => slot !== slotOf(file));
    expect(fieldsRead(sourceOf(file)).filter((field) => shared.includes(field))).toEqual([]);
  },
);

test('no phase leaves another a field that is not a fact of the machine', () => {
  const readBy = files.map((file) => new Set(fieldsRead(sourceOf(file))));
  const fields = new Set(readBy.flatMap((read) => [...read]));
  const ofSeveral = [...fields].filter((field) => readBy.filter((read) => read.has(field)).length > 1);
  expect(ofSeveral.sort()).toEqual(FACTS);
});

test('what is read of the memory is found, however it is written', () => {
  const source = `memory.drained.isDone; const { settled: slot, alone } = pass.memory; f({ memory: { single } }: Pass)`;
  expect(fieldsRead(source).sort()).toEqual(['alone', 'drained', 'settled', 'single']);
  expect(slots).toEqual(expect.arrayContaining(['drained', 'outOfService', 'preDrainHooks']));
});

test('a phase is made up of what it imports, and of what that does', () => {
  const parts = reachedFrom('phases/launched.ts');
  expect([...parts]).toEqual(expect.arrayContaining(['launch-waits.ts', 'prepare-launch.ts', 'ports.ts']));
  expect(fieldsRead(sourceOf('launch-waits.ts'))).toContain('launched');
});

function sourcesIn(folder: string): string[] {
  return globSync('*.ts', { cwd: join(MACHINE, folder) })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => join(folder, file));
}

function sourceOf(file: string): string {
  return readFileSync(join(MACHINE, file), 'utf8');
}

/** The files beside the phases that a phase consists of. */
function reachedFrom(phase: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [phase];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const [, path = ''] of sourceOf(file).matchAll(/\bfrom '(\.[^']+)'/g)) {
      const imported = join(dirname(file), path);
      if (!beside.includes(imported) || reached.has(imported)) continue;
      reached.add(imported);
      open.push(imported);
    }
  }
  return reached;
}

function fieldsRead(source: string): string[] {
  return (
    READS.flatMap((pattern) => [...source.matchAll(pattern)])
      .flatMap(([, found = '']) => found.split(','))
      .map((field) => field.split(':')[0]?.trim() ?? '')
      // An import names the file of the memory.
      .filter((field) => field !== '' && field !== 'ts')
  );
}

/** The memory's field of the phase in this file. */
function slotOf(file: string): string {
  return basename(file, '.ts').replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}
