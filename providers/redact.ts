/** Takes secrets out of what a cloud sent back: clouds like to quote what they were given, whole or cut short. */

const PLACEHOLDER = '[removed]';

/** Lines of a secret that are shorter would also hit innocent text, in characters. */
const SHORTEST_LINE = 8;

/** So much of a secret, or of one of its encodings, is taken out wherever it was cut from, in characters. */
const SHORTEST_RUN = 16;

/**
 * The same JSON value with each of the secrets replaced wherever it stands in a string: whole, line by line, or any run of
 * {@link SHORTEST_RUN} characters of it; each as it is, in base64 (also where it is part of a longer text that was encoded),
 * as in a JSON string, and as in a URL or a form. A secret that is no text is given as its bytes.
 *
 * Takes time in proportion to the value and the secrets: some milliseconds for 16 KiB of user-data.
 */
export function redact<T>(value: T, secrets: readonly (string | Uint8Array)[]): T;
export function redact(value: unknown, secrets: readonly (string | Uint8Array)[]): unknown {
  const known = secrets.filter(({ length }) => length > 0);
  if (known.length === 0) return value;
  const wholes = [...new Set(known.flatMap(wholesOf))];
  const runs = runsInBoth(
    stringsIn(value),
    known.flatMap((secret) => [...formsOf(textOf(secret)), ...encodedAnywhere(secret)]),
  );
  return redactStrings(value, (text) => redactText(text, wholes, runs));
}

function redactStrings(value: unknown, redactOne: (text: string) => string): unknown {
  if (typeof value === 'string') return redactOne(value);
  if (Array.isArray(value)) return value.map((item) => redactStrings(item, redactOne));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactStrings(item, redactOne)]));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function redactText(text: string, wholes: readonly string[], runs: ReadonlySet<string>): string {
  const isSecret = new Uint8Array(text.length);
  for (const whole of wholes) {
    for (let at = text.indexOf(whole); at >= 0; at = text.indexOf(whole, at + whole.length)) {
      isSecret.fill(1, at, at + whole.length);
    }
  }
  if (runs.size > 0) {
    for (let at = 0; at + SHORTEST_RUN <= text.length; at += 1) {
      if (runs.has(text.slice(at, at + SHORTEST_RUN))) isSecret.fill(1, at, at + SHORTEST_RUN);
    }
  }
  return withoutMarked(text, isSecret);
}

function withoutMarked(text: string, isMarked: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const marked = isMarked[at];
    const next = isMarked.indexOf(marked === 1 ? 0 : 1, at);
    const end = next < 0 ? text.length : next;
    parts.push(marked === 1 ? PLACEHOLDER : text.slice(at, end));
    at = end;
  }
  return parts.join('');
}

/** The runs of {@link SHORTEST_RUN} characters that stand in one of the texts and in one of the forms of a secret. */
function runsInBoth(texts: readonly string[], forms: readonly string[]): ReadonlySet<string> {
  const inTexts = new Set(texts.flatMap((text) => windowsOf(text, SHORTEST_RUN)));
  const found = new Set<string>();
  if (inTexts.size === 0) return found;
  // Each run of a form holds one of its blocks of half the length: most forms are passed over by these alone.
  const block = SHORTEST_RUN / 2;
  const blocksInTexts = new Set(texts.flatMap((text) => windowsOf(text, block)));
  for (const form of new Set(forms)) {
    for (let at = 0; at + block <= form.length; at += block) {
      if (!blocksInTexts.has(form.slice(at, at + block))) continue;
      const around = form.slice(Math.max(0, at - block), at + SHORTEST_RUN);
      for (const run of windowsOf(around, SHORTEST_RUN)) if (inTexts.has(run)) found.add(run);
    }
  }
  return found;
}

function windowsOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length));
}

/** What is taken out however short it is, or as short as a line may be. */
function wholesOf(secret: string | Uint8Array): string[] {
  const text = textOf(secret);
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE);
  return [text, Buffer.from(secret).toString('base64'), ...lines].flatMap(formsOf);
}

/**
 * What base64 makes of the secret within a longer text: that depends on whether as many bytes as are a multiple of three, or
 * one or two more, stand before it. Of its ends only what the neighbours do not change is ever found.
 */
function encodedAnywhere(secret: string | Uint8Array): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return [encoded, encodeURIComponent(encoded), encoded.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** As it is, in a URL, in the body of a form (a space is a plus sign), and in the JSON of JavaScript, Go and Python. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [
    text,
    encodeURIComponent(text.toWellFormed()),
    new URLSearchParams([['', text]]).toString().slice(1),
    json,
    json.replaceAll(/[<>&\u2028\u2029]/g, escaped),
    json.replaceAll(/[\u007f-\uffff]/g, escaped),
  ];
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function textOf(secret: string | Uint8Array): string {
  return typeof secret === 'string' ? secret : Buffer.from(secret).toString('utf8');
}
