import { isObject } from '../../../../k8s/json.ts';

/**
 * Path of the first field in which a live object is not what its manifest says; undefined: it is. The API server fills
 * in defaults, so fields that only the live object has do not count, but within a schema: there they are another release's.
 */
export function firstDifference(wanted: unknown, live: unknown, path = '', isExact = false): string | undefined {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live) || live.length !== wanted.length) return path;
    for (const [index, item] of wanted.entries()) {
      const found = firstDifference(item, live[index], `${path}[${index}]`, isExact);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isObject(wanted)) {
    if (!isObject(live)) return path;
    if (isExact) {
      const extra = Object.keys(live).find((key) => !(key in wanted));
      if (extra !== undefined) return `${path}.${extra}`;
    }
    for (const [key, value] of Object.entries(wanted)) {
      const found = firstDifference(value, live[key], `${path}.${key}`, isExact || key === 'openAPIV3Schema');
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return wanted === live ? undefined : path;
}
