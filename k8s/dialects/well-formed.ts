import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { given } from '../../providers/given.ts';

/** What is wrong with each part of a stored object; an absent part is as its schema wants it. */
export type Problems<Part extends string = 'spec' | 'status'> = Readonly<Partial<Record<Part, string>>>;

const SPEC_AND_STATUS = ['spec', 'status'] as const;

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
 * Checks the shape of the parts of stored objects, the types and what is required, against the schema of their CRD. The API
 * server does so when an object is written; but what it stores may have been written under other CRDs, or older ones.
 *
 * @param definition path of the CRD
 * @param parts the object's own fields that are checked, in the order in which their problems are told; by default its
 *   spec and its status
 */
export function createWellFormedCheck(definition: string): (object: object) => Problems;
export function createWellFormedCheck<Part extends string>(
  definition: string,
  parts: readonly Part[],
): (object: object) => Problems<Part>;
export function createWellFormedCheck(
  definition: string,
  parts: readonly string[] = SPEC_AND_STATUS,
): (object: object) => Problems<string> {
  let validators: ReadonlyMap<string, ValidateFunction> | undefined;
  return (object) => {
    // Not before: a kind of which there is no object costs nothing. The largest takes 0.1 s.
    validators ??= compile(definition, parts);
    const problems: Record<string, string> = {};
    for (const [part, isValid] of validators) {
      const value = (object as Readonly<Record<string, unknown>>)[part];
      if (value === undefined || isValid(value)) continue;
      const [error] = isValid.errors ?? [];
      const path = `${part}${(error?.instancePath ?? '').replaceAll('/', '.')}`;
      problems[part] = `${path} ${error?.message ?? 'is malformed'}`;
    }
    return problems;
  };
}

function compile(definition: string, parts: readonly string[]): Map<string, ValidateFunction> {
  const crd = parse(readFileSync(definition, 'utf8')) as Crd;
  const { properties = {} } = crd.spec.versions[0].schema.openAPIV3Schema;
  // The API server has checked the schema, and code this small runs as quickly as it is: both took most of the time.
  const ajv = new Ajv({ strict: false, logger: false, validateSchema: false, code: { optimize: false } });
  return new Map(parts.map((part) => [part, ajv.compile(shapeOf(properties[part] ?? {}))]));
}

/**
 * The schema without its bounds, patterns and enumerations: another controller's objects may go beyond those, and can be
 * read all the same.
 */
function shapeOf({ type, required, properties, items, additionalProperties }: Schema): Schema {
  return given({
    type,
    required,
    properties:
      properties && Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, shapeOf(field)])),
    items: items && shapeOf(items),
    additionalProperties: typeof additionalProperties === 'object' ? shapeOf(additionalProperties) : undefined,
  });
}
