import { isDeepStrictEqual } from 'node:util';
import { copyOf, isFields } from './kube-object.ts';

/** A step of a JSON patch (RFC 6902), as far as the API server's clients use it. */
export interface PatchStep {
  readonly op: 'add' | 'remove' | 'replace' | 'test';
  readonly path: string;
  readonly value?: unknown;
}

/** A step that cannot be taken: a `test` that fails, or a path that leads nowhere. The whole patch is refused. */
export class PatchStepFailed extends Error {}

/** Takes the steps in order, on a copy. */
export function jsonPatch(value: unknown, steps: readonly PatchStep[]): unknown {
  const root = { '': copyOf(value) };
  for (const step of steps) take(root, step);
  return root[''];
}

function take(root: object, step: PatchStep): void {
  const names = ['', ...step.path.split('/').slice(1)].map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.at(-1) ?? '';
  let parent: unknown = root;
  for (const name of names.slice(0, -1)) parent = childOf(parent, name);
  if (Array.isArray(parent)) takeInList(parent, last, step);
  else if (isFields(parent)) takeInMap(parent, last, step);
  else throw new PatchStepFailed(`${step.op} operation does not apply: doc is missing path: ${step.path}`);
}

function childOf(parent: unknown, name: string): unknown {
  if (Array.isArray(parent)) return parent[Number(name)];
  return isFields(parent) ? parent[name] : undefined;
}

/** As the API server's library does it, `replace` takes a field that is missing, too. */
function takeInMap(parent: Record<string, unknown>, name: string, { op, path, value }: PatchStep): void {
  if (op === 'test') return demand(parent[name], value, path);
  if (op === 'remove' && !Object.hasOwn(parent, name)) throw missing(op, path);
  if (op === 'remove') delete parent[name];
  else parent[name] = value;
}

function takeInList(parent: unknown[], name: string, { op, path, value }: PatchStep): void {
  const index = op === 'add' && name === '-' ? parent.length : Number(name);
  const isThere = Number.isInteger(index) && index >= 0 && index < parent.length + (op === 'add' ? 1 : 0);
  if (!isThere) throw missing(op, path);
  if (op === 'test') demand(parent[index], value, path);
  else if (op === 'add') parent.splice(index, 0, value);
  else if (op === 'remove') parent.splice(index, 1);
  else parent[index] = value;
}

function demand(found: unknown, wanted: unknown, path: string): void {
  // To its library what is missing is null.
  if (!isDeepStrictEqual(found ?? null, wanted ?? null))
    throw new PatchStepFailed(`testing value ${path} failed: test failed`);
}

function missing(op: string, path: string): PatchStepFailed {
  return new PatchStepFailed(`${op} operation does not apply: doc is missing key: ${path}`);
}
