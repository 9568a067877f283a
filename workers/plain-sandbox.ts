import vm from 'node:vm';
import { TAKE_TURNS } from './sandbox-turns.ts';

/**
 * Has the SDK's sandboxes of workflow code made of a plain global object: Node else looks each global name up in C++, and the
 * SDK reads all of them whenever another workflow has its turn. It hands in an empty object, which nothing is lost with. And has
 * workflows take turns in one by {@link TAKE_TURNS}.
 */
export function makeSandboxesPlain(): void {
  const make = vm.createContext.bind(vm);
  vm.createContext = (object, options) =>
    // Only the SDK's sandboxes have microtasks of their own.
    make(options?.microtaskMode === 'afterEvaluate' ? vm.constants.DONT_CONTEXTIFY : object, options);
  const run = vm.runInContext.bind(vm);
  // What the SDK runs first in a sandbox, and nothing else, tells the holders of globals apart.
  vm.runInContext = (code, sandbox, options) =>
    run(code.includes('__TEMPORAL_BAG_HOLDER__') ? TAKE_TURNS : code, sandbox, options);
}
