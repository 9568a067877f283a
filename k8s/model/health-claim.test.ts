import { describe, expect, it, test } from '@jest/globals';
import { readAsked, withAsked, writeAsked } from './health-claim.ts';

const TEMPLATE = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
  kind: 'Metal3RemediationTemplate',
  name: 'r',
};

describe('what other programs were asked for', () => {
  it('is all that was asked for by and by, each once', () => {
    const first = writeAsked(withAsked(undefined, { annotations: { a: '1' }, templates: [TEMPLATE] }));
    const then = withAsked(first, {
      annotations: { a: '2', b: '' },
      templates: [TEMPLATE, { ...TEMPLATE, name: 's' }],
    });
    expect(readAsked(writeAsked(then))).toEqual({
      annotations: { a: '2', b: '' },
      templates: [TEMPLATE, { ...TEMPLATE, name: 's' }],
    });
  });

  test.each([
    undefined,
    '',
    'null',
    '[]',
    '{"annotations":"a","templates":{}}',
    '{"annotations":{"a":1},"templates":[null,{"kind":"Metal3RemediationTemplate"}]}',
    JSON.stringify({ templates: [{ ...TEMPLATE, kind: 'Secret' }] }),
  ])('is nothing where the annotation is %j', (value) => {
    expect(readAsked(value)).toEqual({ annotations: {}, templates: [] });
  });
});
