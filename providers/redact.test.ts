import { expect, it } from '@jest/globals';
import { redact } from './redact.ts';

const secret = 'first line of it\npassword=swordfish\nx';

it.each([
  ['whole', secret],
  ['in base64', Buffer.from(secret).toString('base64')],
  ['line by line', 'password=swordfish'],
  ['in a URL', encodeURIComponent(secret)],
  ['in a form', new URLSearchParams([['', secret]]).toString().slice(1)],
  ['in base64 in a URL', encodeURIComponent(Buffer.from(secret).toString('base64'))],
])('takes a secret out %s, at any depth', (_, quoted) => {
  const answer = { error: { message: `cannot use "${quoted}"`, more: [quoted] }, status: 1 };
  expect(redact(answer, [secret])).toEqual({
    error: { message: 'cannot use "[removed]"', more: ['[removed]'] },
    status: 1,
  });
});

it('leaves everything else alone', () => {
  expect(redact({ message: 'x is bad' }, [secret, ''])).toEqual({ message: 'x is bad' });
});
