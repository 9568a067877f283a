import { parseSync } from '@swc/core';

/** A part of a source, in bytes. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A node of the parsed source. */
export interface Syntax extends Range {
  readonly type: string;
  readonly child: (field: string) => Syntax | undefined;
  readonly list: (field: string) => readonly Syntax[];
  /** The text of a field that holds no node, as an operator does. */
  readonly word: (field: string) => string;
  /** All nodes right below this one; types have none, they do nothing. */
  readonly below: readonly Syntax[];
}

/** What the parser answers: JSON, whose nodes have a type and most of them a span. */
type Answer = Readonly<Record<string, unknown>>;

const TYPES_ONLY = /^type(Annotation|Params|Parameters|Arguments)$|^returnType$|^superTypeParams$/;
/** Nodes of TypeScript's own that hold an expression. */
const WRAPPERS: ReadonlySet<string> = new Set(['TsAsExpression', 'TsNonNullExpression', 'TsSatisfiesExpression']);

/** The statements of a module in TypeScript, with ranges that count its bytes from 0. */
export function parseModule(source: string): readonly Syntax[] {
  // The parser counts from a number of its own: what is put in front shows which.
  const [first, ...statements] = parseSync(`;${source}`, { syntax: 'typescript', target: 'es2022' }).body;
  const offset = first === undefined ? 0 : first.span.start + 1;
  return statements.flatMap((statement) => readNode(statement, offset) ?? []);
}

function readNode(value: unknown, offset: number): Syntax | undefined {
  if (!isAnswer(value)) return undefined;
  // Elements of lists and arguments, and what a method does, are wrapped without a type.
  const type = typeof value['type'] === 'string' ? value['type'] : 'Element';
  if (type === 'Element' && !isAnswer(value['expression']) && !isAnswer(value['body'])) return undefined;
  if (type.startsWith('Ts') && !WRAPPERS.has(type)) return undefined;
  const range = rangeOf(value);
  if (range === undefined) return undefined;
  const fields = Object.entries(value).filter(([name]) => !TYPES_ONLY.test(name));
  const child = (field: string) => readNode(value[field], offset);
  const list = (field: string) => [value[field]].flat().flatMap((item) => readNode(item, offset) ?? []);
  return {
    type,
    start: range.start - offset,
    end: range.end - offset,
    child,
    list,
    word: (field) => String(value[field]),
    get below() {
      return fields.flatMap(([name]) => list(name));
    },
  };
}

/** The parser gives some nodes no span: theirs is that of what is in them. */
function rangeOf(value: unknown): Range | undefined {
  if (Array.isArray(value)) return around(value.map(rangeOf));
  if (!isAnswer(value)) return undefined;
  if (isRange(value['span'])) return value['span'];
  return isRange(value) ? value : around(Object.values(value).map(rangeOf));
}

function around(ranges: readonly (Range | undefined)[]): Range | undefined {
  const known = ranges.filter((range) => range !== undefined);
  if (known.length === 0) return undefined;
  return { start: Math.min(...known.map((r) => r.start)), end: Math.max(...known.map((r) => r.end)) };
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRange(value: unknown): value is Range {
  return isAnswer(value) && typeof value['start'] === 'number' && typeof value['end'] === 'number';
}
