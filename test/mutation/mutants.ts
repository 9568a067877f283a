import { parseModule, type Range, type Syntax } from './syntax.ts';
import { oneLine } from '../../providers/one-line.ts';

/** A source with one small change. */
export interface Mutant {
  readonly line: number;
  /** The changed part, in one line, before and after. */
  readonly change: string;
  readonly source: string;
}

/** What to put in the place of a part. */
interface Edit {
  readonly at: Range;
  readonly text: string;
  /** What is shown of it, where the part alone says too little. */
  readonly shown?: Range;
}

/** What a node's surroundings have to do with it. */
interface Place {
  /** It is decided on, so that it is tried as true and as false: the opposite would tell no more. */
  readonly isDecided?: boolean;
  /** It orders two things that are never the same: that they might be changes nothing. */
  readonly isOrder?: boolean;
}

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
};
const OPPOSITES: Readonly<Record<string, string>> = { '===': '!==', '!==': '===' };
const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' };
const ASSIGNMENTS: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=', '??=': '=', '||=': '=' };
/** Methods of which the other one decides otherwise. */
const SIBLINGS: Readonly<Record<string, string>> = { some: 'every', every: 'some', min: 'max', max: 'min' };
/** Methods that answer much the same as what they are called on. */
const NARROWING: ReadonlySet<string> = new Set([
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
]);
const LONGEST_SHOWN = 110;

/** All mutants of a source, in the order of its text. */
export function mutantsOf(source: string): readonly Mutant[] {
  const bytes = Buffer.from(source);
  const textOf = ({ start, end }: Range) => bytes.subarray(start, end).toString();
  const edits = parseModule(source)
    .filter(({ type }) => type !== 'ImportDeclaration')
    .flatMap((statement) => editsIn(statement, {}, textOf))
    .sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
  const times = new Map<string, number>();
  return edits.map(({ at, text, shown = at }) => {
    const before = shortLine(textOf(shown));
    const after = shortLine(
      textOf({ start: shown.start, end: at.start }) + text + textOf({ start: at.end, end: shown.end }),
    );
    const change = after === '' || after === ';' ? `without ${before}` : `${before} → ${after}`;
    const nth = (times.get(change) ?? 0) + 1;
    times.set(change, nth);
    return {
      line: textOf({ start: 0, end: at.start }).split('\n').length,
      change: nth === 1 ? change : `${change} (${nth})`,
      source: textOf({ start: 0, end: at.start }) + text + textOf({ start: at.end, end: bytes.length }),
    };
  });
}

function shortLine(text: string): string {
  const line = oneLine(text);
  return line.length <= LONGEST_SHOWN ? line : `${line.slice(0, LONGEST_SHOWN / 2)}…${line.slice(-LONGEST_SHOWN / 2)}`;
}

type TextOf = (range: Range) => string;

function editsIn(node: Syntax, place: Place, textOf: TextOf): Edit[] {
  return [
    ...editsOf(node, place, textOf),
    ...node.below.flatMap((child) => editsIn(child, placeOf(node, child), textOf)),
  ];
}

function placeOf(parent: Syntax, child: Syntax): Place {
  const isDecided = DECIDING.has(parent.type) && isSame(parent.child('test'), child);
  return { isDecided, isOrder: isDecided && isOrder(parent) };
}

const DECIDING: ReadonlySet<string> = new Set(['IfStatement', 'ConditionalExpression', 'WhileStatement']);

/** `… ? -1 : 1` */
function isOrder(node: Syntax): boolean {
  return node.child('consequent')?.type === 'UnaryExpression' && node.child('alternate')?.type === 'NumericLiteral';
}

function isSame(a: Syntax | undefined, b: Syntax): boolean {
  return a !== undefined && a.start === b.start && a.end === b.end;
}

function editsOf(node: Syntax, place: Place, textOf: TextOf): Edit[] {
  switch (node.type) {
    case 'IfStatement':
      return decided(node, ['true', 'false']);
    case 'WhileStatement':
      return decided(node, ['false']);
    case 'ConditionalExpression':
      return ofConditional(node);
    case 'BinaryExpression':
      return ofBinary(node, place, textOf);
    case 'UnaryExpression':
      return ofUnary(node, place, textOf);
    case 'BooleanLiteral':
      return [{ at: node, text: node.word('value') === 'true' ? 'false' : 'true' }];
    case 'OptionalChainingExpression':
      return ofOptionalChaining(node, textOf);
    case 'CallExpression':
      return ofCall(node, textOf);
    case 'AssignmentExpression':
      return ofAssignment(node, textOf);
    case 'AssignmentPattern':
      return [{ at: { start: node.child('left')?.end ?? node.end, end: node.end }, text: '', shown: node }];
    case 'AssignmentPatternProperty':
      return node.child('value') === undefined
        ? []
        : [{ at: { start: node.child('key')?.end ?? node.end, end: node.end }, text: '', shown: node }];
    case 'ExpressionStatement':
    case 'ThrowStatement':
    case 'ContinueStatement':
    case 'BreakStatement':
      return [{ at: node, text: ';' }];
    case 'ObjectExpression':
      return withoutEach(node.list('properties'));
    case 'ArrayExpression':
      return withoutEach(node.list('elements'));
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ClassMethod':
    case 'PrivateMethod':
    case 'ArrowFunctionExpression':
      return ofFunction(node);
    default:
      return [];
  }
}

function decided(node: Syntax, answers: readonly string[]): Edit[] {
  const test = node.child('test');
  if (test === undefined) return [];
  const shown = { start: node.start, end: test.end + 1 };
  return answers.map((text) => ({ at: test, text, shown }));
}

function ofConditional(node: Syntax): Edit[] {
  const test = node.child('test');
  return test === undefined ? [] : ['true', 'false'].map((text) => ({ at: test, text, shown: node }));
}

function ofBinary(node: Syntax, { isDecided = false, isOrder: isOrdering = false }: Place, textOf: TextOf): Edit[] {
  const [left, right, operator] = [node.child('left'), node.child('right'), node.word('operator')];
  if (left === undefined || right === undefined) return [];
  if (['&&', '||', '??'].includes(operator)) {
    // `isSo || undefined`, of a field that may be absent: that it is always there is a change as well.
    const isOptionalField = operator === '||' && textOf(right) === 'undefined';
    return [textOf(left), textOf(right), ...(isOptionalField ? ['true'] : [])].map((text) => ({ at: node, text }));
  }
  const isText = [left, right].some(({ type }) => type === 'StringLiteral' || type === 'TemplateLiteral');
  const others = [
    ...(COMPARISONS[operator] ?? []).slice(isOrdering ? 1 : 0),
    ...(isDecided ? [] : [OPPOSITES[operator] ?? []].flat()),
    ...(isText ? [] : [ARITHMETIC[operator] ?? []].flat()),
  ];
  const between = textOf({ start: left.end, end: right.start });
  return others.map((other) => ({
    at: { start: left.end, end: right.start },
    text: between.replace(operator, other),
    shown: node,
  }));
}

function ofUnary(node: Syntax, { isDecided = false }: Place, textOf: TextOf): Edit[] {
  const [argument, operator] = [node.child('argument'), node.word('operator')];
  if (argument === undefined || !(operator === '-' || (operator === '!' && !isDecided))) return [];
  // The index of the last is no number to change the sign of.
  if (argument.type === 'NumericLiteral') return [];
  return [{ at: node, text: textOf(argument) }];
}

function ofOptionalChaining(node: Syntax, textOf: TextOf): Edit[] {
  const token = node.child('base')?.child('object')?.end ?? node.child('base')?.child('callee')?.end;
  if (token === undefined) return [];
  const rest = textOf({ start: token, end: node.end });
  const question = /^\s*\?\./.exec(rest)?.[0];
  if (question === undefined) return [];
  const isDotNeeded = !/^[[(]/.test(rest.slice(question.length));
  return [
    { at: { start: token, end: token + Buffer.byteLength(question) }, text: isDotNeeded ? '.' : '', shown: node },
  ];
}

function ofCall(node: Syntax, textOf: TextOf): Edit[] {
  const callee = node.child('callee');
  if (callee !== undefined && textOf(callee) === 'unlessEmpty') return ofUnlessEmpty(node, textOf);
  const [object, property] = [callee?.child('object'), callee?.child('property')];
  if (object === undefined || property === undefined) return [];
  const name = textOf(property);
  const sibling = SIBLINGS[name];
  if (sibling !== undefined) return [{ at: property, text: sibling, shown: node }];
  return NARROWING.has(name) ? [{ at: node, text: textOf(object) }] : [];
}

/** What counts as absent where it is empty is there. */
function ofUnlessEmpty(node: Syntax, textOf: TextOf): Edit[] {
  return node.list('arguments').map((argument) => ({ at: node, text: textOf(argument) }));
}

function ofAssignment(node: Syntax, textOf: TextOf): Edit[] {
  const [left, right, operator] = [node.child('left'), node.child('right'), node.word('operator')];
  const other = ASSIGNMENTS[operator];
  if (left === undefined || right === undefined || other === undefined) return [];
  const at = { start: left.end, end: right.start };
  return [{ at, text: textOf(at).replace(operator, other), shown: node }];
}

/** Each of a list's elements left out. */
function withoutEach(elements: readonly Syntax[]): Edit[] {
  return elements.map((element, i) => {
    const [before, after] = [elements[i - 1], elements[i + 1]];
    if (after !== undefined) return { at: { start: element.start, end: after.start }, text: '' };
    return { at: { start: before?.end ?? element.start, end: element.end }, text: '' };
  });
}

/** It does nothing. One of a single expression that answers nothing is covered by that. */
function ofFunction(node: Syntax): Edit[] {
  const body = node.child('body') ?? node.child('function')?.child('body');
  if (body === undefined || !['FunctionBody', 'BlockStatement'].includes(body.type)) return [];
  const statements = body.list('stmts');
  if (statements.length === 0) return [];
  if (statements.length === 1 && statements[0]?.type === 'ExpressionStatement') return [];
  return [{ at: body, text: '{}' }];
}
