import { expect, it } from '@jest/globals';
import type { Provider } from '../providers/provider.ts';
import { onePerPlace, placeKey } from './place.ts';

const provider = { name: 'near' } as Provider;
const other = { name: 'far' } as Provider;
const credentials = { namespace: 'ns', secretName: 'keys' };

it('a place is a cloud and the credentials for it', () => {
  expect(placeKey({ provider, credentials })).toBe(placeKey({ provider, credentials: { ...credentials } }));
  const another = [
    { provider: other, credentials },
    { provider, credentials: { namespace: 'ns' } },
    { provider, credentials: { ...credentials, region: 'r' } },
  ];
  expect(new Set(another.map(placeKey)).add(placeKey({ provider, credentials })).size).toBe(4);
});

it('what is made for a place is made once', () => {
  const of = onePerPlace((place) => ({ place }));
  expect(of({ provider, credentials })).toBe(of({ provider, credentials: { ...credentials } }));
  expect(of({ provider, credentials })).not.toBe(of({ provider: other, credentials }));
});

it('a thousand places are remembered, those that were asked for last', () => {
  const of = onePerPlace((place) => ({ place }));
  const nth = (n: number) => of({ provider, credentials: { namespace: 'ns', secretName: `s-${n}` } });
  const [first, second] = [nth(1), nth(2)];
  for (let n = 3; n <= 1000; n += 1) nth(n);
  expect(nth(1)).toBe(first);
  nth(1001);
  expect([nth(1) === first, nth(2) === second]).toEqual([true, false]);
});
