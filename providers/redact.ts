/** Takes secrets out of what a cloud sent back: clouds like to quote what they were given. */

const PLACEHOLDER = '[removed]';

/** Parts of a secret that are shorter would also hit innocent text, in characters. */
const SHORTEST_PART = 8;

/**
 * The same JSON value with each of the secrets replaced wherever it stands in a string: whole and line by line, each as
 * it is, in base64, and both as they stand in a URL or a form.
 */
export function redact<T>(value: T, secrets: readonly string[]): T;
export function redact(value: unknown, secrets: readonly string[]): unknown {
  const forms = secrets.flatMap(formsOf).toSorted((a, b) => b.length - a.length);
  return forms.length === 0 ? value : redactForms(value, forms);
}

function redactForms(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return forms.reduce((text, form) => text.replaceAll(form, PLACEHOLDER), value);
  if (Array.isArray(value)) return value.map((item) => redactForms(item, forms));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactForms(item, forms)]));
}

function formsOf(secret: string): string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  const parts = lines.filter((line) => line.length >= SHORTEST_PART);
  const whole = secret.length > 0 ? [secret, Buffer.from(secret).toString('base64')] : [];
  return [
    ...new Set([...whole, ...parts].flatMap((text) => [text, encodeURIComponent(text.toWellFormed()), formOf(text)])),
  ];
}

/** As in the body of a form, where a space is a plus sign. */
function formOf(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
