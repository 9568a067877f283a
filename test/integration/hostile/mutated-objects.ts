import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'yaml';

/** A JSON Schema, as far as its fields are looked for. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

type Path = readonly (string | number)[];

/** One change of an object: a value put at a path, or the path taken out. */
interface Mutation {
  readonly path: Path;
  readonly value: unknown;
}

/** What nobody expects in a field. Numbers stay small, so that no set is asked for a million machines. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(undefined, null, '', ' ', -1, 0, 3, 2.5, true, false, [], {}, [null], [[]], { '': '' }),
  fc.constantFrom('x'.repeat(300), 'ünïcode 🦀', '../../etc/passwd', '{{.Value}}', '-', 'a\nb', 'true', '0'),
  fc.string({ maxLength: 20 }),
  fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
);

/** Fields of a kind's spec, and of the providerSpec that the simulated cloud reads, as their schemas name them. */
function pathsOf(crdFile: string, providerSpecFields: readonly string[]): Path[] {
  const crd = parse(readFileSync(join('k8s', 'crds', crdFile), 'utf8')) as {
    spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  const spec = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec'];
  if (spec === undefined) throw new Error(`${crdFile} has no spec`);
  const paths = walk(spec, ['spec']);
  const values = paths.filter((path) => path.at(-2) === 'providerSpec' && path.at(-1) === 'value');
  return [...paths, ...values.flatMap((value) => providerSpecFields.map((field) => [...value, field]))];
}

function walk(schema: Schema, path: Path): Path[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => walk(field, [...path, name]));
  const items = schema.items === undefined ? [] : walk(schema.items, [...path, 0]);
  return [path, ...below, ...items];
}

const SIMULATED_FIELDS = ['kind', 'apiVersion', 'instanceType', 'zone', 'region', 'image', 'tags', 'userDataSecret'];

/** Lists of one to three changes, of a Machine or of a MachineSet. */
export function mutationsOf(kind: 'Machine' | 'MachineSet'): fc.Arbitrary<readonly Mutation[]> {
  const paths = pathsOf(`machine.openshift.io_${kind.toLowerCase()}s.yaml`, SIMULATED_FIELDS);
  return fc.array(fc.record({ path: fc.constantFrom(...paths), value: junk }), { minLength: 1, maxLength: 3 });
}

/** A copy of the object with the changes made, where it has, or can get, what leads to them. */
export function mutate(object: object, mutations: readonly Mutation[]): object {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const { path, value } of mutations) put(copy, path, value);
  return copy;
}

function put(target: unknown, [key, ...rest]: Path, value: unknown): void {
  if (key === undefined || target === null || typeof target !== 'object') return;
  const holder = target as Record<string | number, unknown>;
  if (rest.length === 0) {
    if (value === undefined) delete holder[key];
    else holder[key] = value;
    return;
  }
  holder[key] ??= typeof rest[0] === 'number' ? [] : {};
  put(holder[key], rest, value);
}
