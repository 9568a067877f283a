import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { findKubernetesFolder } from '../install/manifests.ts';

type Part = 'spec' | 'status';

/** What is wrong with each part of a stored object; an absent part is as its schema wants it. */
export type Problems = Readonly<Partial<Record<Part, string>>>;

interface Crd {
  readonly spec: {
    readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: Schema } }];
  };
}

interface Schema {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/**
 * Checks the shape of stored objects' spec and status, the types and what is required, against the schema of our CRD. The API server does so when an object is
 * written; but what it stores may have been written under other CRDs, or older ones.
 *
 * @param crdFile name of the file in `k8s/crds`
 */
export function createWellFormedCheck(crdFile: string): (object: object) => Problems {
  let validators: Readonly<Record<Part, ValidateFunction>> | undefined;
  return (object) => {
    validators ??= compile(crdFile);
    const parts = object as Partial<Record<Part, unknown>>;
    const problems: Partial<Record<Part, string>> = {};
    for (const part of ['spec', 'status'] as const) {
      if (parts[part] === undefined || validators[part](parts[part])) continue;
      const [error] = validators[part].errors ?? [];
      const path = `${part}${(error?.instancePath ?? '').replaceAll('/', '.')}`;
      problems[part] = `${path} ${error?.message ?? 'is malformed'}`;
    }
    return problems;
  };
}

function compile(crdFile: string): Record<Part, ValidateFunction> {
  const crd = parse(readFileSync(join(findKubernetesFolder(), 'crds', crdFile), 'utf8')) as Crd;
  const { properties = {} } = crd.spec.versions[0].schema.openAPIV3Schema;
  const ajv = new Ajv({ strict: false, logger: false });
  const validatorOf = (part: Part) => ajv.compile(shapeOf(properties[part] ?? {}));
  return { spec: validatorOf('spec'), status: validatorOf('status') };
}

/**
 * The schema without its bounds, patterns and enumerations: another controller's objects may go beyond those, and can be
 * read all the same.
 */
function shapeOf({ type, required, properties, items, additionalProperties }: Schema): Schema {
  return {
    ...(type === undefined ? {} : { type }),
    ...(required === undefined ? {} : { required }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, shapeOf(field)])) }),
    ...(items === undefined ? {} : { items: shapeOf(items) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: shapeOf(additionalProperties) } : {}),
  };
}
