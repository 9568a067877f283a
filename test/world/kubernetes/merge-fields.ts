import { isDeepStrictEqual } from 'node:util';
import { itemsByElement } from './compare-fields.ts';
import { fieldSchema, listSchemaOf, mapSchemaOf, type FieldSchema, type ListSchema } from './field-schema.ts';
import { isFields, type Fields } from './kube-object.ts';

/** What is stored with what is applied laid over it. What that leaves as it is, is not copied. */
export function mergeFields(live: unknown, config: unknown, schema: FieldSchema): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const list = listSchemaOf(schema, live, config);
  if (list !== undefined) return mergeLists(live, config, list);
  const map = mapSchemaOf(schema, live, config);
  if (map === undefined || !isFields(live) || !isFields(config)) return isDeepStrictEqual(live, config) ? live : config;
  let merged: Fields = live;
  for (const name in config) {
    const field = mergeFields(live[name], config[name], fieldSchema(map, name));
    if (field === live[name] && name in live) continue;
    if (merged === live) merged = { ...live };
    merged[name] = field;
  }
  return merged;
}

/** Items that both have come in the order of what is applied; the others keep their place before the next of those. */
function mergeLists(live: unknown, config: unknown, schema: ListSchema): unknown {
  const [old, now] = [itemsByElement(schema, live), itemsByElement(schema, config)];
  const [left, right] = [[...old.keys()], [...now.keys()]];
  const shared = right.filter((element) => old.has(element));
  const merged: unknown[] = [];
  const taken = new Set<string>();
  const take = (element: string) => {
    merged.push(mergeFields(old.get(element), now.get(element), schema.items));
    taken.add(element);
    if (shared[0] === element) shared.shift();
  };
  while (left.length > 0 || right.length > 0) {
    const [ours] = left;
    const [theirs] = right;
    if (ours !== undefined && ours === theirs) {
      take(ours);
      left.shift();
      right.shift();
    } else if (ours !== undefined && !now.has(ours)) {
      take(ours);
      left.shift();
    } else if (ours !== undefined && (taken.has(ours) || (theirs !== undefined && ours !== shared[0]))) {
      left.shift();
    } else if (theirs !== undefined) {
      take(theirs);
      right.shift();
    } else {
      left.shift();
    }
  }
  const isSame = Array.isArray(live) && live.length === merged.length && live.every((item, i) => item === merged[i]);
  return isSame ? live : merged;
}
