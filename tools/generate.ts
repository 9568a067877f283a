/**
 * Writes what comes of the CRDs in `k8s/crds/`: `k8s/api/<group>/*.ts`, the types of our objects as the API server answers
 * them, and `docs/reference/<group>/*.md`, a page for each kind; what comes of the command line and of the table of
 * reasons, their pages of the reference; and the chart's roles, from what each process may do with the kinds of the registry.
 *
 *     node tools/generate.ts           writes them
 *     node tools/generate.ts --check   writes nothing; prints what differs and exits with 1 where something does
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { parse } from 'yaml';
import { APIS } from '../k8s/dialects/registry.ts';
import { readClusterRoles } from '../k8s/install/cluster-roles.ts';
import { createProgram } from '../starters/cli/program.ts';
import { CLI_PAGE_BANNER, cliReferencePage } from './cli-page.ts';
import { CLUSTER_ROLES_BANNER, clusterRolesFile } from './cluster-roles-file.ts';
import { PAGE_BANNER, referencePage, storedVersion, type CustomResourceDefinition, type Schema } from './crd-page.ts';
import { REASONS_PAGE_BANNER, reasonsPage } from './reasons-page.ts';
import { given } from '../providers/given.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CRDS = 'k8s/crds';
const API = 'k8s/api';
const REFERENCE = 'docs/reference';
const CHART_FILES = 'deploy/chart/millwright/files';

const BANNERS = [PAGE_BANNER, CLI_PAGE_BANNER, REASONS_PAGE_BANNER, CLUSTER_ROLES_BANNER];
const BANNER = `// Generated from k8s/crds by \`npm run generate\`: do not edit.
import type { ObjectMeta } from '../../object-meta.ts';`;

/**
 * The generated files, path → text: for each CRD one with the type `<Kind>Object` and one type per object within, and
 * its page of the reference; the pages of the command line and of the reasons; and the chart's roles.
 */
async function generate(): Promise<Map<string, string>> {
  const names = (await readdir(join(ROOT, CRDS))).filter((name) => name.endsWith('.yaml')).sort();
  const files = new Map<string, string>();
  for (const name of names) {
    const crd = parse(await readFile(join(ROOT, CRDS, name), 'utf8')) as CustomResourceDefinition;
    const {
      group,
      names: { kind },
    } = crd.spec;
    const version = storedVersion(crd);
    const schema = servedSchema(version.schema.openAPIV3Schema, `${group}/${version.name}`, kind);
    const text = await compile(schema, `${kind}Object`, {
      bannerComment: BANNER,
      // Bounds are the API server's business; as tuple types they would only be in the way.
      ignoreMinAndMaxItems: true,
      style: { singleQuote: true, bracketSpacing: true, printWidth: 120 },
    });
    // Two APIs may have a kind of the same name.
    const path = `${group}/${kebabCase(kind)}`;
    files.set(`${API}/${path}.ts`, text);
    files.set(`${REFERENCE}/${path}.md`, referencePage(crd));
  }
  files.set(`${REFERENCE}/cli.md`, cliReferencePage(createProgram()));
  files.set(`${REFERENCE}/reasons.md`, reasonsPage());
  files.set(`${CHART_FILES}/cluster-roles.yaml`, clusterRolesFile(await readClusterRoles(APIS)));
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
  const about = given({ description: schema.description });
  if (schema['x-kubernetes-int-or-string'] === true) return { ...about, tsType: 'number | string' };
  if (schema.type === 'array') {
    return { ...about, type: 'array', items: jsonSchemaOf(schema.items ?? {}, `${title}Item`) };
  }
  if (schema.type !== 'object') {
    return {
      ...about,
      ...given({ type: schema.type, enum: schema.enum && [...schema.enum] }),
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

/** The files there are, path → text. What a person wrote is none of them. */
async function readGenerated(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of [API, REFERENCE, CHART_FILES]) {
    for (const entry of await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      const text = await readFile(file, 'utf8');
      if (folder === API || BANNERS.some((banner) => text.startsWith(banner))) files.set(relative(ROOT, file), text);
    }
  }
  return files;
}

/** How a file differs from the one wanted, as lines from the first to the last that differ. */
function describeDifference(path: string, found: string | undefined, wanted: string | undefined): string {
  if (wanted === undefined) return `${path} comes of nothing`;
  if (found === undefined) return `${path} is missing`;
  const left = found.split('\n');
  const right = wanted.split('\n');
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  return [
    `${path}, from line ${start + 1}: - as it is, + as it should be`,
    ...left.slice(start, left.length - end).map((line) => `-${line}`),
    ...right.slice(start, right.length - end).map((line) => `+${line}`),
  ].join('\n');
}

const wanted = await generate();
const found = await readGenerated();
const paths = [...new Set([...wanted.keys(), ...found.keys()])].filter((path) => wanted.get(path) !== found.get(path));
if (process.argv.includes('--check')) {
  for (const path of paths) console.error(`${describeDifference(path, found.get(path), wanted.get(path))}\n`);
  if (paths.length > 0) {
    console.error(
      'k8s/api, docs/reference and the roles of the chart are not what k8s and starters/cli say: run `npm run generate`',
    );
    process.exitCode = 1;
  }
} else {
  for (const path of paths) {
    const text = wanted.get(path);
    const file = join(ROOT, path);
    if (text === undefined) {
      await rm(file);
    } else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    console.log(`${text === undefined ? 'removed' : 'wrote'} ${path}`);
  }
}
