import { JSONPath } from 'jsonpath-plus';
import { CliError, reasonOf } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';

/**
 * Fills in a template in kubectl's syntax: text, and expressions in braces, e.g. `{.items[*].metadata.name}{"\n"}`. What an
 * expression finds stands there with spaces between; what is not there is nothing. Not supported, and refused: `{range}`,
 * and lists of paths (`['a','b']`). Throws a {@link CliError} where it is no such template.
 */
export function renderTemplate(template: string, data: unknown): string {
  const parts = partsOf(template);
  if (!parts.some(({ isExpression }) => isExpression)) {
    throw refusal(template, 'it has no expression in braces, as in {.metadata.name}');
  }
  return parts.map(({ isExpression, text }) => (isExpression ? evaluate(template, text, data) : text)).join('');
}

interface Part {
  readonly isExpression: boolean;
  readonly text: string;
}

/** A brace within quotes is text. */
const EXPRESSION = /\{((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^}"'])*)\}/g;

function partsOf(template: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of template.matchAll(EXPRESSION)) {
    parts.push({ isExpression: false, text: template.slice(end, match.index) });
    parts.push({ isExpression: true, text: (match[1] ?? '').trim() });
    end = match.index + match[0].length;
  }
  parts.push({ isExpression: false, text: template.slice(end) });
  if (parts.some(({ isExpression, text }) => !isExpression && /[{}]/.test(text))) {
    throw refusal(template, 'its braces do not match');
  }
  return parts;
}

function evaluate(template: string, expression: string, data: unknown): string {
  if (/^(range\b|end$)/.test(expression)) {
    throw refusal(
      template,
      '{range} is not supported: name the values at once, as in {.items[*].metadata.name}, or take -o json with jq',
    );
  }
  if (/^["']/.test(expression)) return literalOf(expression);
  const path = pathOf(template, expression);
  try {
    // A filter asks for a field of something that is not there: then it does not match.
    const found: unknown = JSONPath({ path, json: data as object, wrap: true, ignoreEvalErrors: true });
    return Array.isArray(found) ? found.map(textOf).join(' ') : '';
  } catch (error) {
    throw refusal(template, `{${expression}}: ${reasonOf(error)}`);
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function literalOf(quoted: string): string {
  const inner = quoted.slice(1, -1);
  return inner.replaceAll(/\\(.)/g, (_all, char: string) => ({ n: '\n', t: '\t', r: '\r' })[char] ?? char);
}

/** A step of a path: `..`, a field with `\.` for a dot of its name, or brackets; within those, quotes and a filter's parentheses. */
const STEP = /(\.\.)|\.?((?:\\.|[^.[\]\\])+)|\.?\[((?:"[^"]*"|'[^']*'|[^\]"'])+)\]/gy;

/** kubectl's expression in the words of jsonpath-plus. */
function pathOf(template: string, expression: string): string {
  const text = expression.replace(/^[$@]/, '');
  if (text === '' || text === '.') return '$';
  if (!/^[.[]/.test(text)) throw refusal(template, `{${expression}} does not begin with a dot`);
  let path = '$';
  let end = 0;
  for (const match of text.matchAll(STEP)) {
    end = match.index + match[0].length;
    const [, descent, field, brackets] = match;
    if (descent !== undefined) path += '..';
    else if (field !== undefined) path += fieldStep(field.replaceAll(/\\(.)/g, '$1'));
    else path += bracketStep(template, brackets ?? '');
  }
  if (end !== text.length) throw refusal(template, `{${expression}} cannot be read from "${text.slice(end)}" on`);
  return path;
}

function fieldStep(name: string): string {
  return name === '*' ? '[*]' : `['${name}']`;
}

function bracketStep(template: string, content: string): string {
  const text = content.trim();
  if (text.startsWith('?')) return `[${text}]`;
  const quoted = /^(["'])(.*)\1$/s.exec(text)?.[2];
  if (/^(["']).*\1\s*,/s.test(text)) {
    throw refusal(template, `[${text}] is not supported: write an expression for each, as in {.a} {.b}`);
  }
  // kubectl reads what is quoted as a path.
  if (quoted !== undefined) {
    const steps = quoted.match(/(?:\\.|[^.\\])+/g) ?? [];
    return steps.map((step) => fieldStep(step.replaceAll(/\\(.)/g, '$1'))).join('');
  }
  const fromEnd = /^-(\d+)$/.exec(text)?.[1];
  if (fromEnd === undefined) return `[${text}]`;
  return fromEnd === '1' ? '[-1:]' : `[-${fromEnd}:-${Number(fromEnd) - 1}]`;
}

function refusal(template: string, why: string): CliError {
  return new CliError(`could not print by -o jsonpath=${template}: ${why}`, { exitCode: EXIT.usage });
}
