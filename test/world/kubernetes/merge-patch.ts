import { isFields, type Fields } from './kube-object.ts';

/** JSON merge patch (RFC 7396): null removes, lists are written whole. */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const merged: Fields = isFields(value) ? { ...value } : {};
  for (const [name, field] of Object.entries(patch)) {
    if (field === null) delete merged[name];
    else if (field !== undefined) merged[name] = mergePatch(merged[name], field);
  }
  return merged;
}
