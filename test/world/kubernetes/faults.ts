import type { OpenApiSchema } from './crd-schema.ts';
import { isFields } from './kube-object.ts';

// What is found begins with its path. That is put together on the way back, as nearly all that is written has no fault.

const patterns = new Map<string, RegExp>();

/**
 * What of a value that is applied the API server cannot read by the definition, before it looks at any rule: a field that is
 * not declared, a value of another type, items that cannot be told apart.
 */
export function mistake(value: unknown, schema: OpenApiSchema | undefined): string | undefined {
  if (schema === undefined || value === null || value === undefined) return undefined;
  // Of text with a format only the rules tell.
  const type = schema.type === 'integer' ? 'number' : schema.format === undefined ? schema.type : undefined;
  if (!isOfType(value, type)) return `: expected ${schema.type}`;
  if (Array.isArray(value)) {
    const { items = {} } = schema;
    for (const item of value) {
      const found = mistake(item, items);
      if (found !== undefined) return `[]${found}`;
    }
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    const isTold = value.every((item) => isFields(item) && keys.every((key) => item[key] !== undefined));
    return keys.length === 0 || isTold ? repeated(value, schema) : ': an item has no key';
  }
  if (!isFields(value) || (schema.type === undefined && schema.properties === undefined)) return undefined;
  const { properties = {}, additionalProperties } = schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  for (const name in value) {
    const known = properties[name] ?? others;
    if (known === undefined && !isOpen) return `.${name}: field not declared in schema`;
    const found = mistake(value[name], known);
    if (found !== undefined) return `.${name}${found}`;
  }
  return undefined;
}

/** What a definition's schema finds wrong with a value, its CEL rules apart; undefined where nothing is. */
export function faultIn(value: unknown, schema: OpenApiSchema): string | undefined {
  if (!isOfType(value, schema.type)) return `: Invalid value: must be of type ${schema.type}`;
  if (schema.enum !== undefined && !schema.enum.includes(value)) return `: Unsupported value: ${String(value)}`;
  if (typeof value === 'string') return isText(value, schema) ? undefined : `: Invalid value: "${value}"`;
  if (typeof value === 'number') {
    return value < (schema.minimum ?? -Infinity) ? `: Invalid value: ${value}: too small` : undefined;
  }
  if (Array.isArray(value)) return faultInList(value, schema);
  return isFields(value) ? faultInMap(value, schema) : undefined;
}

function isOfType(value: unknown, type: string | undefined): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isFields(value);
    case undefined:
      return true;
    default:
      return typeof value === type;
  }
}

function isText(value: string, { minLength = 0, maxLength = Infinity, pattern, format }: OpenApiSchema): boolean {
  if (value.length < minLength || value.length > maxLength) return false;
  if (format === 'date-time' && !/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d/.test(value)) return false;
  if (pattern === undefined) return true;
  const known = patterns.get(pattern) ?? new RegExp(pattern);
  patterns.set(pattern, known);
  return known.test(value);
}

function faultInList(value: readonly unknown[], schema: OpenApiSchema): string | undefined {
  const { items = {}, maxItems = Infinity } = schema;
  if (value.length > maxItems) return `: Too many: ${value.length}`;
  for (const [index, item] of value.entries()) {
    const fault = faultIn(item, items);
    if (fault !== undefined) return `[${index}]${fault}`;
  }
  return repeated(value, schema);
}

function repeated(value: readonly unknown[], schema: OpenApiSchema): string | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys === undefined || value.length < 2) return undefined;
  const told = value.map((item) => JSON.stringify(keys.map((key) => (isFields(item) ? item[key] : undefined))));
  return new Set(told).size < told.length ? ': Duplicate value' : undefined;
}

function faultInMap(
  value: Readonly<Record<string, unknown>>,
  { properties = {}, required = [], additionalProperties, maxProperties = Infinity }: OpenApiSchema,
): string | undefined {
  for (const name of required) if (value[name] === undefined) return `.${name}: Required value`;
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  let count = 0;
  for (const name in value) {
    const schema = properties[name] ?? others;
    const fault = schema === undefined ? undefined : faultIn(value[name], schema);
    if (fault !== undefined) return `.${name}${fault}`;
    count += 1;
  }
  return count > maxProperties ? `: Too many: ${count}` : undefined;
}
