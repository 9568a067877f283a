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

const GROUP = 'machine.openshift.io';

function schemaOf(plural: string, group = GROUP): Schema {
  const crd = CRDS.find(({ metadata }) => metadata.name === `${plural}.${group}`);
  if (crd === undefined) throw new Error(`no CRD of ${plural} of ${group}`);
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

describe.each([
  ['machines', GROUP],
  ['machinesets', GROUP],
  ['machinedeployments', GROUP],
  ['machineclasses', GROUP],
  ['machinehealthchecks', GROUP],
  ['machinehealthchecks', 'healthchecking.openshift.io'],
  ['clusters', GROUP],
])('%s of %s', (plural, group) => {
  const fields = fieldsOf(schemaOf(plural, group), plural);

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

test('the MachineHealthChecks of both APIs have one status and one selector', () => {
  const [ours, early] = [GROUP, 'healthchecking.openshift.io'].map((group) => schemaOf('machinehealthchecks', group));
  if (ours === undefined || early === undefined) throw new Error('a CRD is missing');
  expect(at(early, 'status')).toEqual(at(ours, 'status'));
  expect(at(early, 'spec', 'selector')).toEqual(at(ours, 'spec', 'selector'));
});
