import { expect, it } from '@jest/globals';
import { describePoint, parsePoint, PointCounter, pointFits, pointName } from './request-point.ts';

it('numbers requests per verb, resource and object', () => {
  const counter = new PointCounter();
  const next = (verb: string, object: string) => counter.next({ verb, resource: 'machines/status', object }).ordinal;
  expect([next('patch', 'a'), next('patch', 'a'), next('get', 'a'), next('patch', 'b'), next('patch', 'a')]).toEqual([
    1, 2, 1, 1, 3,
  ]);
});

it('writes a point in a form that it can read again', () => {
  const point = { verb: 'patch', resource: 'machines/status', object: 'default/web-1', ordinal: 2 };
  expect(pointName(point)).toBe('PATCH machines/status #2');
  expect(describePoint(point)).toBe('PATCH machines/status #2 of default/web-1');
  expect(parsePoint(describePoint(point))).toEqual(point);
  expect(parsePoint(pointName(point))).toEqual({ verb: 'patch', resource: 'machines/status', ordinal: 2 });
  expect(() => parsePoint('PATCH machines')).toThrow('"PATCH machines" is no point');
});

it('fits what is given of a point', () => {
  const point = { verb: 'get', resource: 'nodes', object: 'n-1', ordinal: 3 };
  expect(pointFits({}, point)).toBe(true);
  expect(pointFits({ verb: 'get', ordinal: 3 }, point)).toBe(true);
  expect(pointFits({ ...point, object: 'n-2' }, point)).toBe(false);
});

it('finds an action again that keeps its capitals', () => {
  const point = { verb: 'GetCallerIdentity', resource: 'other', object: '', ordinal: 1 };
  expect(pointFits(parsePoint(pointName(point)), point)).toBe(true);
});
