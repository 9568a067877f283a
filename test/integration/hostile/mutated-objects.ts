import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import { PROVIDER_SPEC_SCHEMA as AWS_SCHEMA } from '../../../providers/aws/provider-spec-schema.ts';

/** A JSON Schema, as far as its fields are looked for. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
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

const SIMULATED_FIELDS = ['kind', 'apiVersion', 'instanceType', 'zone', 'region', 'image', 'tags', 'userDataSecret'];

/** What is mutated, and which of its fields, by paths from the object's root. */
const FIELDS = {
  machine: () => withProviderFields(fieldsOf('machines', 'spec')),
  machineStatus: () => [
    ...fieldsOf('machines', 'status'),
    ...['launch', 'cloud'].flatMap((name) => [
      ['status', 'providerStatus', name],
      ['status', 'providerStatus', name, 'parameters'],
      ['status', 'providerStatus', name, 'credentials'],
    ]),
  ],
  awsMachine: () => walk(AWS_SCHEMA, ['spec', 'providerSpec', 'value']),
  machineSet: () => withProviderFields(fieldsOf('machinesets', 'spec')),
  machineSetStatus: () => fieldsOf('machinesets', 'status'),
  machineDeployment: () => withProviderFields(fieldsOf('machinedeployments', 'spec')),
  machineDeploymentStatus: () => fieldsOf('machinedeployments', 'status'),
  machineHealthCheck: () => fieldsOf('machinehealthchecks', 'spec'),
  machineHealthCheckStatus: () => fieldsOf('machinehealthchecks', 'status'),
  machineClass: () =>
    ['provider', 'providerSpec', 'secretRef', 'credentialsSecretRef', 'nodeTemplate']
      .flatMap((part) => fieldsOf('machineclasses', part))
      .concat(SIMULATED_FIELDS.map((field) => ['providerSpec', field])),
  cluster: () => fieldsOf('clusters', 'spec'),
} as const satisfies Readonly<Record<string, () => Path[]>>;

export type Mutable = keyof typeof FIELDS;

/** Lists of one to three changes. */
export function sampleMutations(what: Mutable, count: number, seed: number): readonly (readonly Mutation[])[] {
  const path = fc.constantFrom(...FIELDS[what]());
  const mutations = fc.array(fc.record({ path, value: junk }), { minLength: 1, maxLength: 3 });
  return fc.sample(mutations, { numRuns: count, seed });
}

/** A copy of the object with the changes made, where it has, or can get, what leads to them. */
export function mutate(object: object, mutations: readonly Mutation[]): object {
  const copy = structuredClone(object) as Record<string, unknown>;
  for (const { path, value } of mutations) put(copy, path, value);
  return copy;
}

/** The changes as a JSON merge patch, which takes a field out by null. */
export function patchOf(mutations: readonly Mutation[]): object {
  return mutate(
    {},
    mutations.map(({ path, value }) => ({ path, value: value === undefined ? null : value })),
  );
}

function fieldsOf(plural: string, part: string): Path[] {
  const file = `machine.openshift.io_${plural}.yaml`;
  const crd = parse(readFileSync(join('k8s', 'crds', file), 'utf8')) as {
    spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
  };
  const schema = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.[part];
  if (schema === undefined) throw new Error(`${file} has no ${part}`);
  return walk(schema, [part]);
}

/** With the fields that the simulated cloud reads, wherever a providerSpec has a value. */
function withProviderFields(paths: Path[]): Path[] {
  const values = paths.filter((path) => path.at(-2) === 'providerSpec' && path.at(-1) === 'value');
  return [...paths, ...values.flatMap((value) => SIMULATED_FIELDS.map((field) => [...value, field]))];
}

function walk(schema: Schema, path: Path): Path[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => walk(field, [...path, name]));
  const items = schema.items === undefined ? [] : walk(schema.items, [...path, 0]);
  return [path, ...below, ...items];
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
