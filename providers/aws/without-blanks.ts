/** Go clients write fields they do not set, as null or as an empty text: those count as left out. */

export interface SchemaNode {
  readonly type?: string;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

/**
 * The same value without the blank fields of the schema: those that are null, and empty texts where the schema allows
 * none. Fields that the schema does not know are left for it to refuse.
 */
export function withoutBlanks(value: unknown, schema: SchemaNode): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => withoutBlanks(item, items));
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value;
  const { properties } = schema;
  const kept = Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined) return [[name, field]];
    return isBlank(field, known) ? [] : [[name, withoutBlanks(field, known)]];
  });
  return Object.fromEntries(kept);
}

function isBlank(value: unknown, { minLength, pattern, enum: allowed, const: only }: SchemaNode): boolean {
  if (value === null || value === undefined) return true;
  return value === '' && [minLength, pattern, allowed, only].some((rule) => rule !== undefined);
}
