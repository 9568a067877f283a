/** The reference of one of our kinds as Markdown, from its CRD: what `kubectl explain --recursive` knows, on one page. */

/** What is read of an OpenAPI schema. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message?: string }[];
}

/** What is read of a CustomResourceDefinition. */
export interface CustomResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly additionalPrinterColumns?: readonly {
        readonly name: string;
        readonly description?: string;
        readonly priority?: number;
      }[];
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** The first line of every page; a file of the folder that lacks it was written by a person. */
export const PAGE_BANNER = '<!-- Generated from k8s/crds by `npm run generate`: do not edit. -->';

/** The stored version of a CRD. */
export function storedVersion(crd: CustomResourceDefinition): CustomResourceDefinition['spec']['versions'][number] {
  const version = crd.spec.versions.find(({ storage }) => storage);
  if (version === undefined) throw new Error(`${crd.spec.names.kind}: none of its versions is the stored one`);
  return version;
}

export function referencePage(crd: CustomResourceDefinition): string {
  const { group, scope, names } = crd.spec;
  const { name, schema, additionalPrinterColumns = [] } = storedVersion(crd);
  const root = schema.openAPIV3Schema;
  const columns = additionalPrinterColumns.map(
    (column) => `| ${column.name}${(column.priority ?? 0) > 0 ? ' (wide)' : ''} | ${cell(column.description ?? '')} |`,
  );
  const rows = Object.entries(root.properties ?? {})
    .filter(([field]) => !['apiVersion', 'kind', 'metadata'].includes(field))
    .flatMap(([field, property]) => rowsOf(field, property, root.required?.includes(field) === true));
  return [
    PAGE_BANNER,
    `# ${names.kind}`,
    '',
    `\`apiVersion: ${group}/${name}\` · \`kubectl get ${names.plural}.${group}\` · ${scope === 'Namespaced' ? 'in a namespace' : 'cluster-wide'}`,
    '',
    root.description ?? '',
    '',
    ...rulesOf(root).map((rule) => `- ${rule}`),
    ...(rulesOf(root).length === 0 ? [] : ['']),
    '## Fields',
    '',
    '| Field | Type | Default | Constraints | |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...(columns.length === 0 ? [] : ['## Columns', '', '| Column | |', '|---|---|', ...columns, '']),
  ].join('\n');
}

function rowsOf(path: string, schema: Schema, isRequired: boolean): string[] {
  const limits = constraintsOf(schema, isRequired).join('; ');
  const fallback = schema.default === undefined ? '' : code(JSON.stringify(schema.default));
  const row = `| ${code(path)} | ${cell(typeOf(schema))} | ${fallback} | ${limits} | ${cell(schema.description ?? '')} |`;
  const items = schema.type === 'array' ? schema.items : undefined;
  const { properties = {}, required = [] } = items ?? schema;
  const prefix = items === undefined ? path : `${path}[]`;
  const below = Object.entries(properties).flatMap(([name, property]) =>
    rowsOf(`${prefix}.${name}`, property, required.includes(name)),
  );
  return [row, ...below];
}

function typeOf(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.type === 'object' && schema.additionalProperties !== undefined) {
    return `map of ${typeOf(schema.additionalProperties)}`;
  }
  const format = schema.format === undefined ? '' : ` (${schema.format})`;
  return `${schema.type ?? 'any'}${format}`;
}

function constraintsOf(schema: Schema, isRequired: boolean): string[] {
  const inner = schema.items ?? schema.additionalProperties;
  const own = limitsOf(schema);
  const ofEach = inner === undefined ? [] : limitsOf(inner).map((limit) => `each: ${limit}`);
  return [...(isRequired ? ['required'] : []), ...own, ...ofEach, ...rulesOf(schema).map(cell)];
}

function limitsOf(schema: Schema): string[] {
  const bound = (value: number | undefined, text: (n: number) => string) => (value === undefined ? [] : [text(value)]);
  const keys = schema['x-kubernetes-list-map-keys'];
  return [
    ...(schema.enum === undefined ? [] : [`one of ${schema.enum.map(code).join(', ')}`]),
    ...bound(schema.minimum, (n) => `at least ${n}`),
    ...bound(schema.maximum, (n) => `at most ${n}`),
    ...bound(schema.minLength, (n) => `at least ${n} ${n === 1 ? 'character' : 'characters'}`),
    ...bound(schema.maxLength, (n) => `at most ${n} characters`),
    ...bound(schema.minItems, (n) => `at least ${n} entries`),
    ...bound(schema.maxItems, (n) => `at most ${n} entries`),
    ...bound(schema.maxProperties, (n) => `at most ${n} entries`),
    ...(keys === undefined ? [] : [`unique by ${keys.map(code).join(', ')}`]),
    ...(schema.pattern === undefined ? [] : [code(schema.pattern)]),
    ...(schema['x-kubernetes-preserve-unknown-fields'] === true ? ['any further fields'] : []),
  ];
}

/** What its rules say where they refuse. */
function rulesOf(schema: Schema): string[] {
  return (schema['x-kubernetes-validations'] ?? []).map(
    ({ rule, message }) => `refused with “${(message ?? rule).replaceAll('\n', ' ')}”`,
  );
}

/** A text in a cell of a table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}
