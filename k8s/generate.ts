/**
 * Writes `k8s/api/*.ts`, the types of our objects as the API server answers them, from the CRDs in `k8s/crds/`.
 *
 *     node k8s/generate.ts           writes them
 *     node k8s/generate.ts --check   writes nothing; prints what differs and exits with 1 where something does
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { parse } from 'yaml';

const CRDS = fileURLToPath(new URL('./crds', import.meta.url));
const API = fileURLToPath(new URL('./api', import.meta.url));

const BANNER = `// Generated from k8s/crds by \`npm run generate\`: do not edit.
import type { ObjectMeta } from '../object-meta.ts';`;

/** What is read of a CustomResourceDefinition. */
interface CustomResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** What is read of an OpenAPI schema. */
interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** The generated files, name → text: for each CRD one with the type `<Kind>Object` and one type per object within. */
async function generate(): Promise<Map<string, string>> {
  const names = (await readdir(CRDS)).filter((name) => name.endsWith('.yaml')).sort();
  const files = new Map<string, string>();
  for (const name of names) {
    const { spec } = parse(await readFile(join(CRDS, name), 'utf8')) as CustomResourceDefinition;
    const { kind } = spec.names;
    const version = spec.versions.find(({ storage }) => storage);
    if (version === undefined) throw new Error(`${name}: none of its versions is the stored one`);
    const schema = servedSchema(version.schema.openAPIV3Schema, `${spec.group}/${version.name}`, kind);
    const text = await compile(schema, `${kind}Object`, {
      bannerComment: BANNER,
      // Bounds are the API server's business; as tuple types they would only be in the way.
      ignoreMinAndMaxItems: true,
      style: { singleQuote: true, bracketSpacing: true, printWidth: 120 },
    });
    files.set(`${kebabCase(kind)}.ts`, text);
  }
  return files;
}

/** The JSON Schema of an object that the API server answered: what it defaults is there, and so is its identity. */
function servedSchema(root: Schema, apiVersion: string, kind: string): JSONSchema {
  const schema = jsonSchemaOf(root, `${kind}Object`);
  return {
    ...schema,
    required: ['apiVersion', 'kind', 'metadata', ...(root.required ?? [])],
    properties: {
      ...schema.properties,
      apiVersion: { const: apiVersion },
      kind: { const: kind },
      metadata: { tsType: 'ObjectMeta' },
    },
  };
}

/** `title` names the type that comes of an object. */
function jsonSchemaOf(schema: Schema, title: string): JSONSchema {
  const about = schema.description === undefined ? {} : { description: schema.description };
  if (schema.type === 'array') {
    return { ...about, type: 'array', items: jsonSchemaOf(schema.items ?? {}, `${title}Item`) };
  }
  if (schema.type !== 'object') {
    return {
      ...about,
      ...(schema.type === undefined ? {} : { type: schema.type }),
      ...(schema.enum === undefined ? {} : { enum: [...schema.enum] }),
    };
  }
  const unknownFields = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const { properties, additionalProperties } = schema;
  if (properties === undefined) {
    const values =
      additionalProperties === undefined ? unknownFields : jsonSchemaOf(additionalProperties, `${title}Value`);
    return { ...about, type: 'object', additionalProperties: values };
  }
  const defaulted = Object.keys(properties).filter((name) => properties[name]?.default !== undefined);
  return {
    ...about,
    title,
    type: 'object',
    additionalProperties: unknownFields,
    required: [...new Set([...(schema.required ?? []), ...defaulted])],
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, jsonSchemaOf(property, title + pascalCase(name))]),
    ),
  };
}

function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}

/** The files there are, name → text. */
async function readGenerated(): Promise<Map<string, string>> {
  await mkdir(API, { recursive: true });
  const files = new Map<string, string>();
  for (const name of await readdir(API)) files.set(name, await readFile(join(API, name), 'utf8'));
  return files;
}

/** How a file differs from the one wanted, as lines from the first to the last that differ. */
function describeDifference(name: string, found: string | undefined, wanted: string | undefined): string {
  if (wanted === undefined) return `k8s/api/${name} comes from no CRD`;
  if (found === undefined) return `k8s/api/${name} is missing`;
  const left = found.split('\n');
  const right = wanted.split('\n');
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  return [
    `k8s/api/${name}, from line ${start + 1}: - as it is, + as it should be`,
    ...left.slice(start, left.length - end).map((line) => `-${line}`),
    ...right.slice(start, right.length - end).map((line) => `+${line}`),
  ].join('\n');
}

const wanted = await generate();
const found = await readGenerated();
const names = [...new Set([...wanted.keys(), ...found.keys()])].filter((name) => wanted.get(name) !== found.get(name));
if (process.argv.includes('--check')) {
  for (const name of names) console.error(`${describeDifference(name, found.get(name), wanted.get(name))}\n`);
  if (names.length > 0) {
    console.error('k8s/api is not what k8s/crds say: run `npm run generate`');
    process.exitCode = 1;
  }
} else {
  for (const name of names) {
    const text = wanted.get(name);
    if (text === undefined) await rm(join(API, name));
    else await writeFile(join(API, name), text);
    console.log(`${text === undefined ? 'removed' : 'wrote'} k8s/api/${name}`);
  }
}
