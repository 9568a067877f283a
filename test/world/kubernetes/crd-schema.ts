import { LEAF, listBy, METADATA, OPEN, type FieldSchema, type MapSchema } from './field-schema.ts';
import { given } from '../../../providers/given.ts';

/** What of a CRD's OpenAPI schema bears on how fields are kept, and on what is refused. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
}

/** The schema of a custom resource, of the one that its CRD has. */
export function schemaOfCrd(root: OpenApiSchema): MapSchema {
  const { fields, defaults } = mapSchema(root);
  const own = [...fields].filter(([name]) => !['apiVersion', 'kind', 'metadata'].includes(name));
  const entries = root['x-kubernetes-preserve-unknown-fields'] === true ? { entries: OPEN } : {};
  const known = new Map<string, FieldSchema>([['apiVersion', LEAF], ['kind', LEAF], ['metadata', METADATA], ...own]);
  return { kind: 'map', fields: known, defaults, ...entries };
}

function schemaOf(schema: OpenApiSchema): FieldSchema {
  if (schema.type === 'array') return listSchema(schema);
  if (schema['x-kubernetes-map-type'] === 'atomic') return { kind: 'leaf', inside: mapSchema(schema) };
  if (schema.type === 'object') return mapSchema(schema);
  return schema.type === undefined && schema['x-kubernetes-preserve-unknown-fields'] === true ? OPEN : LEAF;
}

function listSchema(schema: OpenApiSchema): FieldSchema {
  const items = schemaOf(schema.items ?? {});
  if (schema['x-kubernetes-list-type'] === 'set') return listBy('value', items);
  if (schema['x-kubernetes-list-type'] === 'map') return listBy(schema['x-kubernetes-list-map-keys'] ?? [], items);
  return items === LEAF ? LEAF : { kind: 'leaf', inside: listBy([], items) };
}

function mapSchema({ properties = {}, additionalProperties, ...schema }: OpenApiSchema): MapSchema {
  const named = Object.entries(properties);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true;
  const entries = typeof additionalProperties === 'object' ? schemaOf(additionalProperties) : isOpen ? OPEN : undefined;
  return {
    kind: 'map',
    fields: new Map(named.map(([name, field]) => [name, schemaOf(field)])),
    defaults: new Map(named.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]]))),
    ...given({ entries }),
  };
}
