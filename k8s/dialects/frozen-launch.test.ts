import { describe, expect, it } from '@jest/globals';
import { preparedLaunch } from '../../test/workflow/prepared-launch.ts';
import { problemOfLaunch, readLaunch } from './frozen-launch.ts';

const launch = preparedLaunch();
const { parameters } = launch;

describe('a frozen launch', () => {
  it('is read as it was frozen, with what only its provider knows', () => {
    const stored = { ...launch, parameters: { ...parameters, request: { image: 'i' } } };
    expect(problemOfLaunch(stored, 'launch')).toBeUndefined();
    expect(readLaunch(stored, 'default')).toEqual(stored);
  });

  it('is no problem where there is none', () => {
    expect(problemOfLaunch(undefined, 'launch')).toBeUndefined();
  });

  it.each<[object, string]>([
    [{ ...launch, attempt: 0 }, 'launch.attempt must be >= 1'],
    [{ ...launch, token: '' }, 'launch.token must NOT have fewer than 1 characters'],
    [{ ...launch, idempotency: 'hope' }, 'launch.idempotency must be equal to one of the allowed values'],
    [{ ...launch, parameters: {} }, "launch.parameters must have required property 'provider'"],
    [{ ...launch, parameters: { ...parameters, provider: 7 } }, 'launch.parameters.provider must be string'],
    [{ ...launch, parameters: { ...parameters, credentials: null } }, 'launch.parameters.credentials must be object'],
    [
      { ...launch, parameters: { ...parameters, loadBalancers: ['a'] } },
      'launch.parameters.loadBalancers.0 must be object',
    ],
    [{ ...launch, userData: { name: 'n' } }, "launch.userData must have required property 'uid'"],
  ])('is not read where it is %j', (stored, problem) => {
    expect(problemOfLaunch(stored, 'launch')).toBe(problem);
    expect(readLaunch(stored, 'default')).toBeUndefined();
  });
});
