/**
 * Workflows take turns in a sandbox: each finds the global names as it left them. The SDK describes and compares all of them each
 * time that another workflow has its turn, which takes some 40 µs; this keeps of each workflow only what differs from what all begin
 * with, a name or two, and takes 8.
 *
 * It stands in for the script of the SDK that defines the same function, with the same arguments: `holder.bag` has the names that
 * all begin with, and their descriptors.
 */
export const TAKE_TURNS = `{
  // What all begin with, as it is described, and by its values.
  let descriptors;
  let values;
  // Whose turn it is.
  let current;

  // What differs now: names and their descriptors; no descriptor where the name is gone.
  const differences = () => {
    const found = new Map();
    let known = 0;
    for (const name of Reflect.ownKeys(globalThis)) {
      const isKnown = values.has(name);
      if (isKnown) known += 1;
      if (!isKnown || !Object.is(values.get(name), globalThis[name])) {
        found.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
      }
    }
    if (known === values.size) return found;
    for (const name of values.keys()) if (!Object.hasOwn(globalThis, name)) found.set(name, undefined);
    return found;
  };

  const put = (name, descriptor) => {
    if (descriptor === undefined) delete globalThis[name];
    else Object.defineProperty(globalThis, name, descriptor);
  };

  const change = (holder) => {
    if (values === undefined) {
      descriptors = holder.bag;
      values = new Map(Reflect.ownKeys(descriptors).map((name) => [name, descriptors[name].value]));
    }
    const before = differences();
    if (current !== undefined) current.own = before;
    const own = holder.own ?? new Map();
    for (const name of before.keys()) if (!own.has(name)) put(name, descriptors[name]);
    for (const [name, descriptor] of own) put(name, descriptor);
    current = holder;
  };

  const __TEMPORAL_CALL_INTO_SCOPE = () => {
    const [holder, fn, args] = globalThis.__temporal_args;
    delete globalThis.__temporal_args;
    if (current !== holder) change(holder);
    return __TEMPORAL__.api[fn](...args);
  };
  Object.defineProperty(globalThis, '__TEMPORAL_CALL_INTO_SCOPE', {
    value: __TEMPORAL_CALL_INTO_SCOPE, writable: false, enumerable: false, configurable: false
  });
}`;
