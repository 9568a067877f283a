import vm from 'node:vm';

/**
 * Has the SDK's sandboxes of workflow code made of a plain global object: Node else looks each global name up in C++, and the
 * SDK writes and reads all of them whenever another workflow has its turn. It hands in an empty object, which nothing is lost with.
 */
export function makeSandboxesPlain(): void {
  const make = vm.createContext.bind(vm);
  vm.createContext = (object, options) =>
    // Only the SDK's sandboxes have microtasks of their own.
    make(options?.microtaskMode === 'afterEvaluate' ? vm.constants.DONT_CONTEXTIFY : object, options);
}
