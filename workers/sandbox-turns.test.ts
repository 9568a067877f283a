import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { beforeEach, expect, it } from '@jest/globals';
import { TAKE_TURNS } from './sandbox-turns.ts';

type Holder = { readonly bag: object };

let sandbox: vm.Context;
let begin: object;
beforeEach(() => {
  sandbox = vm.createContext({});
  vm.runInContext(TAKE_TURNS, sandbox);
  vm.runInContext(
    `globalThis.shared = 1;
     globalThis.__TEMPORAL__ = { api: { run: (code) => (0, eval)(code) } };`,
    sandbox,
  );
  begin = vm.runInContext('Object.getOwnPropertyDescriptors(globalThis)', sandbox) as object;
});

const aWorkflow = (): Holder => ({ bag: begin });

function run(holder: Holder, code: string): unknown {
  sandbox['__temporal_args'] = [holder, 'run', [code]];
  return vm.runInContext('__TEMPORAL_CALL_INTO_SCOPE()', sandbox);
}

it('a workflow finds the names that it gave, and no other does', () => {
  const [one, other] = [aWorkflow(), aWorkflow()];
  run(one, 'globalThis.own = "of one"');
  expect(run(other, 'typeof own')).toBe('undefined');
  run(other, 'globalThis.own = "of the other"');
  expect(run(one, 'own')).toBe('of one');
  expect(run(other, 'own')).toBe('of the other');
});

it('what a workflow makes of a name that all have concerns itself alone', () => {
  const [one, other] = [aWorkflow(), aWorkflow()];
  run(one, 'globalThis.shared = 2; globalThis.Date = undefined');
  expect(run(other, '[shared, typeof Date].join()')).toBe('1,function');
  expect(run(one, '[shared, typeof Date].join()')).toBe('2,undefined');
});

it('a name that a workflow takes away is gone for itself alone, until it gives it again', () => {
  const [one, other] = [aWorkflow(), aWorkflow()];
  run(one, 'delete globalThis.shared');
  expect(run(other, 'shared')).toBe(1);
  expect(run(one, 'typeof shared')).toBe('undefined');
  run(other, '1');
  run(one, 'globalThis.shared = 3');
  expect(run(other, 'shared')).toBe(1);
  expect(run(one, 'shared')).toBe(3);
});

it('a name that does not go over in a loop stays as it was described', () => {
  const [one, other] = [aWorkflow(), aWorkflow()];
  run(one, 'Object.defineProperty(globalThis, "hidden", { value: 1, configurable: true })');
  run(other, '1');
  expect(run(one, 'Object.keys(globalThis).includes("hidden")')).toBe(false);
  expect(run(one, 'hidden')).toBe(1);
});

it('stands in for a script that the SDK has still', () => {
  const worker = createRequire(import.meta.url).resolve('@temporalio/worker');
  const text = readFileSync(new URL('workflow/reusable-vm.js', `file://${worker}`), 'utf8');
  expect(text).toContain('if (globalThis.__TEMPORAL_BAG_HOLDER__ !== holder)');
  expect(text).toContain('const [holder, fn, args] = globalThis.__temporal_args;');
  expect(text).toContain('const holder = { bag: this.pristineObj };');
});
