import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { withAwsDefaults } from './with-defaults.ts';

const DEFAULTS = {
  region: 'us-east-1',
  userDataSecret: 'boot',
  credentialsSecret: 'cloud',
  tags: [{ name: 'team', value: 'x' }],
};
const placementOf = (placement: unknown) => withAwsDefaults({ placement }, DEFAULTS)['placement'];

describe('the default region', () => {
  it.each<[unknown, unknown]>([
    [undefined, { region: 'us-east-1' }],
    [null, { region: 'us-east-1' }],
    [{ region: '' }, { region: 'us-east-1' }],
    [
      { region: null, availabilityZone: '', tenancy: 'default' },
      { region: 'us-east-1', availabilityZone: '', tenancy: 'default' },
    ],
    [{ region: 'eu-west-1' }, { region: 'eu-west-1' }],
    ['text', 'text'],
    [[], []],
  ])('makes of the placement %j: %j', (placement, expected) => {
    expect(placementOf(placement)).toEqual(expected);
  });

  it('does not contradict the zone, which says its region', () => {
    expect(placementOf({ availabilityZone: 'us-west-2a' })).toEqual({ availabilityZone: 'us-west-2a' });
    const blank = { availabilityZone: 'us-west-2-lax-1a', region: '' };
    expect(placementOf(blank)).toEqual(blank);
    expect(placementOf({ availabilityZone: 'no-zone' })).toMatchObject({ region: 'us-east-1' });
  });
});

describe('a default Secret', () => {
  it.each([undefined, null, {}, { name: '' }, { name: null }])('is used for one that is %j', (credentialsSecret) => {
    const spec = { credentialsSecret, userDataSecret: credentialsSecret };
    expect(withAwsDefaults(spec, DEFAULTS)).toMatchObject({
      credentialsSecret: { name: 'cloud' },
      userDataSecret: { name: 'boot' },
    });
  });

  it.each([{ name: 'own' }, { nmae: 'own' }, 'own', 7, []])('leaves %j to be read, or refused', (credentialsSecret) => {
    expect(withAwsDefaults({ credentialsSecret }, DEFAULTS)['credentialsSecret']).toEqual(credentialsSecret);
  });
});

it('fills in any spec without a throw', () => {
  const fields = ['placement', 'tags', 'credentialsSecret', 'userDataSecret'];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()), (spec) => {
      withAwsDefaults(spec, DEFAULTS);
    }),
  );
});
