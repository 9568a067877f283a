import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LINES } from './lines.ts';
import { addedFiles, walk } from './walk.ts';

jest.setTimeout(120_000);

const ROOT = join(import.meta.dirname, '..', '..');
const GUIDE = readFileSync(join(ROOT, 'docs', 'contributing.md'), 'utf8');
const NUMBERS = 'none one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'.split(
  ' ',
);

/** A file or a folder that the guide names; `<api>` and the like stand for one name. */
interface Place {
  readonly path: string;
  readonly isOptional: boolean;
}

/** What somebody added: files of their own, and lines in files that were there. */
interface Addition {
  readonly files: readonly string[];
  readonly lines: readonly string[];
}

function sectionOf(heading: string): string {
  const [, section = ''] = GUIDE.split(`\n## ${heading}\n`);
  return section.split('\n## ')[0] ?? '';
}

/** The places of a section's table: those of new files, and those of lines. */
function placesOf(section: string): { readonly files: Place[]; readonly lines: Place[] } {
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.slice(2).map((row) => row.split('|').slice(1, -1));
  const inColumn = (column: number): Place[] =>
    cells.flatMap((row) => {
      const { [column]: cell = '', 0: what = '' } = row;
      const isOptional = /\bwhere\b/.test(what + cell);
      return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => ({ path, isOptional }));
    });
  return { files: inColumn(1), lines: inColumn(2) };
}

function isAt({ path }: Place, file: string): boolean {
  const pattern = path.replaceAll('.', '\\.').replaceAll(/<[^>]+>/g, '[^/]+');
  return new RegExp(`^${pattern}${path.endsWith('/') ? '.+' : ''}$`).test(file);
}

/** What the guide names and nobody needed, and what somebody needed and the guide does not name. */
function differencesOf(named: readonly Place[], needed: readonly string[]): string[] {
  return [
    ...named
      .filter((place) => !place.isOptional && !needed.some((file) => isAt(place, file)))
      .map(({ path }) => `not needed: ${path}`),
    ...needed.filter((file) => !named.some((place) => isAt(place, file))).map((file) => `not named: ${file}`),
  ];
}

const hello: Addition = { files: addedFiles(), lines: [...new Set(LINES.map(({ file }) => file))] };
const second = globSync('k8s/**/*.*', { cwd: join(ROOT, 'test', 'second-api') });
const rooms: Addition = {
  files: second.filter((file) => !existsSync(join(ROOT, file))),
  lines: second.filter((file) => existsSync(join(ROOT, file))),
};

describe.each<[string, Addition]>([
  ['A kind', hello],
  ['An API', rooms],
])('docs/contributing.md, "%s"', (heading, addition) => {
  const section = sectionOf(heading);
  const places = placesOf(section);

  test('names places that are there', () => {
    const paths = [...places.files, ...places.lines].map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(2);
    expect(paths.filter((path) => globSync(path.replaceAll(/<[^>]+>/g, '*'), { cwd: ROOT }).length === 0)).toEqual([]);
  });

  test('names what was needed, and nothing else', () => {
    expect(differencesOf(places.files, addition.files)).toEqual([]);
    expect(differencesOf(places.lines, addition.lines)).toEqual([]);
  });

  test('tells how many files it takes', () => {
    const [, files, lines] = /(\w+) new files, and lines in (\w+) others?/.exec(section) ?? [];
    expect([files, lines]).toEqual([NUMBERS[addition.files.length], NUMBERS[addition.lines.length]]);
  });
});

test('docs/contributing.md names files and folders that are there, and sections that it has', () => {
  const paths = [...GUIDE.matchAll(/`([\w.<>*-]+\/[\w.<>*/-]*)`/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(40);
  // Those of its first table stand in their own folder.
  const isThere = (path: string): boolean =>
    [path, `k8s/${path}`, `devstack/${path}`].some(
      (each) => globSync(each.replaceAll(/<[^>]+>/g, '*'), { cwd: ROOT }).length > 0,
    );
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
  const linked = [...GUIDE.matchAll(/\]\(([^)#]*)#?([^)]*)\)/g)].map(([, file = '', heading = '']) => ({
    file,
    heading,
  }));
  const headings = [...GUIDE.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(' ', '-'),
  );
  const lost = linked.filter(({ file, heading }) =>
    file === '' ? !headings.includes(heading) : !existsSync(join(ROOT, 'docs', file)),
  );
  expect(lost).toEqual([]);
});

test('the lines of the new kind import what others may have imported under names of their own', () => {
  const imported = LINES.flatMap(({ line }) => [...line.matchAll(/import (?:type )?\{ (.*?) \}/g)]).flatMap(
    ([, names = '']) => names.split(', '),
  );
  expect(imported.length).toBeGreaterThan(5);
  expect(imported.filter((name) => !/greeting/i.test(name))).toEqual([]);
});

describe('a kind that was added as the guide says', () => {
  let copy: string;
  const run = (program: string, ...args: string[]) => promisify(execFile)(program, args, { cwd: copy });
  const node = (...args: string[]) => run(process.execPath, ...args);
  const tool = (name: string) => join(copy, 'node_modules', '.bin', name);

  beforeAll(async () => {
    copy = await walk();
    await node('tools/generate.ts');
  });

  afterAll(() => rm(copy, { recursive: true, force: true }));

  test('has its type, its page and its permissions from `npm run generate`', () => {
    const read = (file: string): string => readFileSync(join(copy, file), 'utf8');
    expect(read('k8s/api/machine.openshift.io/greeting.ts')).toContain('export interface GreetingObject {');
    expect(read('docs/reference/machine.openshift.io/greeting.md')).toContain('Who is greeted.');
    expect(read('deploy/chart/millwright/files/cluster-roles.yaml')).toContain('greetings/status');
  });

  test('compiles with all the others, their tests too', async () => {
    const { stdout } = await run(tool('tsc'), '--noEmit').catch((error: { readonly stdout: string }) => error);
    expect(stdout).toBe('');
  });

  test('leaves the tests as they are that go by the first API alone, as a whole new API beside it does', async () => {
    const file = join(copy, 'k8s/dialects/registry.ts');
    const registry = await readFile(file, 'utf8');
    const isDriven = registry.replace(/new ApiRegistry\(\[(.*)\]\)/, 'new ApiRegistry([$1, rooms])');
    const rooms = "import { rooms } from '../../test/second-api/k8s/dialects/rooms/api.ts';\n";
    await writeFile(file, `${rooms}${isDriven}`);
    try {
      const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--selectProjects', 'unit'];
      await node(...jest, '--runInBand', '--testPathPatterns', 'test/second-api/', 'commands/machine/follow');
    } finally {
      await writeFile(file, registry);
    }
  });

  test('is as the linter wants it', async () => {
    await run(tool('oxlint'), '--type-aware', '--deny-warnings', ...hello.files.filter((file) => file.endsWith('.ts')));
  });

  test('is played by its story, for its recorded history', async () => {
    await node('test/replay/record.ts', 'greeting-said');
    expect(existsSync(join(copy, 'test/histories/greeting-said.json'))).toBe(true);
  });
});
