import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly 'x-kubernetes-list-type'?: string;
}

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: Schema } }];
  };
}

const FOLDER = fileURLToPath(new URL('./crds', import.meta.url));
const CRDS = readdirSync(FOLDER).map((name) => parse(readFileSync(`${FOLDER}/${name}`, 'utf8')) as Crd);

function schemaOf(plural: string): Schema {
  const crd = CRDS.find(({ metadata }) => metadata.name === `${plural}.machine.openshift.io`);
  if (crd === undefined) throw new Error(`no CRD of ${plural}`);
  return crd.spec.versions[0].schema.openAPIV3Schema;
}

function at(schema: Schema, ...path: string[]): Schema {
  const [name, ...rest] = path;
  if (name === undefined) return schema;
  const property = schema.properties?.[name];
  if (property === undefined) throw new Error(`no property ${name}`);
  return at(property, ...rest);
}

/** Every field below a schema, with its path. */
function fieldsOf(schema: Schema, path: string): [string, Schema][] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    fieldsOf(property, `${path}.${name}`),
  );
  const items = schema.items === undefined ? [] : fieldsOf(schema.items, `${path}[]`);
  return [[path, schema], ...below, ...items];
}

describe.each([['machines'], ['machinesets'], ['machineclasses'], ['clusters']])('%s', (plural) => {
  const fields = fieldsOf(schemaOf(plural), plural);

  test('every field is explained with a sentence', () => {
    // The API server explains metadata itself; the items of a list of texts are explained with the list.
    const unexplained = fields.filter(
      ([path, { description, type }]) =>
        !/^[a-z]+\.metadata$/.test(path) &&
        !(path.endsWith('[]') && type === 'string') &&
        description?.endsWith('.') !== true,
    );
    expect(unexplained.map(([path]) => path)).toEqual([]);
  });

  test('every list says how server-side apply merges it', () => {
    const unsaid = fields.filter(
      ([, schema]) => schema.type === 'array' && schema['x-kubernetes-list-type'] === undefined,
    );
    expect(unsaid.map(([path]) => path)).toEqual([]);
  });
});

test('a MachineSet’s template takes the spec of a Machine, but for what is about one Machine', () => {
  const { providerID, delete: toGo, maintenance, ...ofMachine } = at(schemaOf('machines'), 'spec').properties ?? {};
  expect([providerID, toGo, maintenance]).not.toContain(undefined);
  // They stand in the template only to be refused.
  const {
    delete: noDelete,
    maintenance: noMaintenance,
    ...ofTemplate
  } = at(schemaOf('machinesets'), 'spec', 'template', 'spec').properties ?? {};
  expect([noDelete?.description, noMaintenance?.description]).toEqual(Array(2).fill(expect.stringMatching(/^Refused/)));
  expect(ofTemplate).toEqual(ofMachine);
});
