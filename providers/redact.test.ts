import { describe, expect, it } from '@jest/globals';
import { redact } from './redact.ts';

const secret = 'first line of it\npassword=swordfish\nx';
const encoded = Buffer.from(secret).toString('base64');

it.each([
  ['whole', secret],
  ['in base64', encoded],
  ['line by line', 'password=swordfish'],
  ['in a URL', encodeURIComponent(secret)],
  ['in a form', new URLSearchParams([['', secret]]).toString().slice(1)],
  ['in base64 in a URL', encodeURIComponent(encoded)],
  ['in a JSON string', JSON.stringify(secret).slice(1, -1)],
  ['cut short', secret.slice(0, 20)],
  ['as a piece of a line', 'assword=swordfis'],
  ['as the beginning of its base64', encoded.slice(0, 16)],
  ['as a piece of its base64', encoded.slice(7, 30)],
])('takes a secret out %s, at any depth', (_, quoted) => {
  const answer = { error: { message: `cannot use "${quoted}"`, more: [quoted] }, status: 1 };
  expect(redact(answer, [secret])).toEqual({
    error: { message: 'cannot use "[removed]"', more: ['[removed]'] },
    status: 1,
  });
});

it('leaves everything else alone', () => {
  const message = 'x is bad: first line, password=swo';
  expect(redact({ message }, [secret, ''])).toEqual({ message });
});

describe('user-data', () => {
  const userData = `#!/bin/sh\n${Array.from({ length: 400 }, (_, i) => `join --as "<${i}>" --password canary-${i} & é`).join('\n')}\n`;

  it.each([0, 1, 2, 3, 4])('is taken out of the base64 of a document that holds it, %i bytes in', (before) => {
    const document = Buffer.from(`${'-'.repeat(before)}${userData}--`).toString('base64');
    for (const form of [document, document.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(document)]) {
      const left = redact(form, [userData]).replaceAll('[removed]', '');
      // What the neighbours had a part in.
      expect(left.length).toBeLessThan(24);
      expect(redact(form.slice(600, 660), [userData])).toBe('[removed]');
    }
  });

  it.each([
    ['JavaScript', JSON.stringify(userData)],
    ['Go', JSON.stringify(userData).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026')],
    ['Python', JSON.stringify(userData).replaceAll('é', '\\u00e9')],
  ])('is taken out of the JSON of %s', (_, json) => {
    expect(redact(`cannot read ${json}`, [userData])).toBe('cannot read "[removed]"');
    expect(redact(`cannot read ${json.slice(1000, 1040)}`, [userData])).toBe('cannot read [removed]');
  });

  it('that is no text is known by its bytes', () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, i) => (i * 151) % 256);
    expect(redact(`bad: ${Buffer.from(bytes).toString('base64').slice(0, 60)}`, [bytes])).toBe('bad: [removed]');
  });

  it('of 16 KiB, quoted back whole in many ways, is looked for in a moment', () => {
    const long = userData.repeat(2).slice(0, 16_384);
    const quoted = [long, Buffer.from(long).toString('base64'), '-'.repeat(100_000)].join(' ');
    const dull = ' '.repeat(16_384);
    const startedAt = performance.now();
    expect(redact(quoted, [long, dull]).length).toBe('[removed] [removed] '.length + 100_000);
    expect(redact(dull, [dull])).toBe('[removed]');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
