import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ProviderError } from '../provider-error.ts';
import { parseCredentialsSpec, parseProviderSpec } from './provider-spec.ts';

const valid = {
  apiVersion: 'machine.millwright.dev/v1alpha1',
  kind: 'SimulatedMachineProviderConfig',
  instanceType: 'sim.small',
};

describe('a provider spec', () => {
  it('has defaults for all but the instance type', () => {
    expect(parseProviderSpec(valid)).toEqual({
      ...valid,
      region: 'sim-1',
      zone: 'zone-a',
      image: 'image-default',
      tags: [],
    });
  });

  it.each([
    [null, '', /must be object, is null/],
    ['text', '', /must be object, is "text"/],
    [{ ...valid, instanceType: undefined }, '.instanceType', /is required/],
    [{ ...valid, instanceType: 5 }, '.instanceType', /must be string, is 5/],
    [{ ...valid, instanceType: '' }, '.instanceType', /must NOT have fewer than 1 characters, is ""/],
    [{ ...valid, apiVersion: 'v1' }, '.apiVersion', /must be "machine.millwright.dev\/v1alpha1", is "v1"/],
    [{ ...valid, instancetype: 'x' }, '.instancetype', /is no field; there are: .*instanceType/],
    [{ ...valid, userDataSecret: 'name' }, '.userDataSecret', /must be object, is "name"/],
    [{ ...valid, userDataSecret: {} }, '.userDataSecret.name', /is required/],
    [{ ...valid, credentialsSecret: { name: 'A_B' } }, '.credentialsSecret.name', /must match pattern/],
    [{ ...valid, tags: [{ name: 'a' }] }, '.tags[0].value', /is required/],
    ...['cluster', 'namespace', 'name', 'machineUid', 'clusterUid', 'launchToken'].map(
      (name) => [{ ...valid, tags: [{ name, value: '' }] }, '.tags[0].name', /Millwright sets itself/] as const,
    ),
    [{ ...valid, tags: [1, 2].map(() => ({ name: 'a', value: '' })) }, '.tags[1].name', /names must be unique/],
  ])('%j is refused, and the message says what is wrong with providerSpec.value%s', (value, path, message) => {
    const refusal = refusalOf(value);
    expect(refusal.details.field).toBe(`providerSpec.value${path}`);
    expect(refusal.message).toMatch(message);
    expect(refusal.message).toContain(`providerSpec.value${path}: `);
  });

  it('names everything that is wrong with it at once', () => {
    const { message } = refusalOf({ ...valid, zone: 1, image: 2, unknown: 3 });
    for (const field of ['zone', 'image', 'unknown']) expect(message).toContain(`providerSpec.value.${field}: `);
  });

  it('of any shape is either read or refused with InvalidArgument, in words that stay short', () => {
    const spec = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.string(), fc.jsonValue()).map((more) => ({ ...valid, ...more })),
    );
    fc.assert(
      fc.property(spec, (value) => {
        try {
          parseProviderSpec(value);
        } catch (error) {
          expect(error).toMatchObject({ name: 'ProviderError', code: 'InvalidArgument' });
          if (error instanceof ProviderError) expect(error.message.length).toBeLessThan(5_000);
        }
      }),
    );
  });

  it('that was broken elsewhere still tells where its calls go', () => {
    const spec = { kind: 'Other', instanceType: 7, credentialsSecret: { name: 'login' } };
    expect(parseCredentialsSpec(spec)).toMatchObject({ region: 'sim-1', credentialsSecret: { name: 'login' } });
    expect(() => parseCredentialsSpec({ credentialsSecret: 'login' })).toThrow(/providerSpec.value.credentialsSecret/);
  });
});

function refusalOf(value: unknown): ProviderError {
  try {
    parseProviderSpec(value);
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'InvalidArgument') return error;
  }
  throw new Error('it was not refused');
}
