import { expect, test } from '@jest/globals';
import { readFailure } from './read-failure.ts';
import { MACHINES } from './dialects/openshift/resources.ts';

const target = { resource: MACHINES, name: 'm' };
const failure = (status: number, answer: object) => readFailure('PATCH /m', target, status, JSON.stringify(answer));
const invalid = (field: string) => ({
  kind: 'Status',
  reason: 'Invalid',
  message: `Machine "m" is invalid: ${field}: field is immutable`,
  details: { name: 'm', causes: [{ reason: 'FieldValueInvalid', field, message: 'field is immutable' }] },
});

test('a write that names another uid is a conflict, however the API server calls it', () => {
  expect(failure(422, invalid('metadata.uid'))).toMatchObject({ status: 409, reason: 'Conflict' });
});

test('a field that is invalid is none', () => {
  expect(failure(422, invalid('metadata.name'))).toMatchObject({ status: 422, reason: 'Invalid' });
  expect(failure(422, { kind: 'Status', reason: 'Invalid', details: { causes: null } })).toMatchObject({ status: 422 });
});
