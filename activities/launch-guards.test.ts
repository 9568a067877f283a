import { describe, expect, it } from '@jest/globals';
import type { Machine } from '../k8s/model/machine.ts';
import { given } from '../providers/given.ts';
import { aLaunch, type LaunchFacts } from '../test/world/builders/a-launch.ts';
import { aMachine, readMachine, type MachineFacts } from '../test/world/builders/a-machine.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { makesRoom, startStopwatch, whatChanged, whyTooLate } from './launch-guards.ts';

const { ref } = readMachine(aMachine());
const THEN = '2026-01-01T00:00:00Z';
const SINCE = '2026-01-01T00:00:01Z';

describe('a prepared launch', () => {
  /** Whether it makes room for attempt 2. */
  const makesRoomFor2 = (stored: LaunchFacts, replace: boolean, meant?: string) => {
    const launch = meant === undefined ? undefined : aLaunch(ref, { attempt: 2, preparedAt: meant });
    const status = { addresses: [], conditions: [], ...given({ launch }) };
    return makesRoom(aLaunch(ref, { preparedAt: THEN, ...stored }), { attempt: 2, replace, status });
  };

  it('makes room for a later attempt, and for no earlier one', () => {
    expect(makesRoomFor2({ attempt: 1 }, false)).toBe(true);
    expect(makesRoomFor2({ attempt: 3 }, false)).toBe(false);
    expect(makesRoomFor2({ attempt: 3 }, true, THEN)).toBe(false);
  });

  it('makes room for its own attempt where it is the one that is to be replaced', () => {
    expect(makesRoomFor2({ attempt: 2 }, true, THEN)).toBe(true);
    expect(makesRoomFor2({ attempt: 2 }, false, THEN)).toBe(false);
    expect(makesRoomFor2({ attempt: 2 }, true, SINCE)).toBe(false);
    expect(makesRoomFor2({ attempt: 2 }, true)).toBe(false);
  });
});

describe('what changed since a call to launch was asked for', () => {
  const changeOf = (facts: MachineFacts, launch: LaunchFacts = {}, by: Partial<Machine> = {}) =>
    whatChanged({ ...readMachine(aMachine(facts)), ...by }, aLaunch(ref, launch), 'spec.providerID');

  it('is nothing where the Machine tells of the same call', () => {
    expect(changeOf({ launch: {} })).toBeUndefined();
    expect(changeOf({ launch: { callsGivenUp: 1 } }, { callsGivenUp: 1 })).toBeUndefined();
    expect(changeOf({ launch: {}, spec: { delete: false } })).toBeUndefined();
  });

  it.each<[string, MachineFacts]>([
    ['the Machine is being deleted', { launch: {}, deleting: true }],
    ['the Machine is to be deleted', { launch: {}, spec: { delete: true } }],
    ['the Machine is paused', { launch: {}, paused: true }],
    ['the Machine does not carry our finalizer', { launch: {}, metadata: { finalizers: [] } }],
    ['the Machine has the instance i-9', { launch: {}, instanceId: 'i-9' }],
    ["the Machine's spec.providerID names simulated:///z/i-8", { launch: {}, providerID: 'simulated:///z/i-8' }],
    ["the Machine's status tells of no launch", {}],
    ['this call was given up', { launch: { callsGivenUp: 1 } }],
  ])('%s', (why, facts) => {
    expect(changeOf(facts)).toBe(why);
  });

  it('who paused the Machine, where that is told', () => {
    expect(changeOf({ launch: {} }, {}, { paused: true, pausedBy: 'Cluster default/c1' })).toBe(
      'Cluster default/c1 is paused',
    );
  });

  it.each<[string, LaunchFacts]>([
    ['attempt', { attempt: 2, token: aLaunch(ref).token }],
    ['token', { token: 'another' }],
  ])('the launch, where its %s is another', (_what, other) => {
    const { status } = readMachine(aMachine({ launch: {} }));
    const launch = aLaunch(ref, other);
    expect(changeOf({}, {}, { status: { ...status, launch } })).toBe(
      "the Machine's status tells of another launch than attempt 1",
    );
  });
});

describe('a call to launch', () => {
  const clock = ownClock();
  const whyLate = (agoMs: number, isCancelled = false) =>
    whyTooLate(
      clock,
      { currentAttemptScheduledTimestampMs: clock.timeOfDay() - agoMs },
      { callTimeoutSeconds: 60 },
      isCancelled,
    );

  it('is in time up to the end of the longest call, and a minute more, by which clocks may be apart', () => {
    expect(whyLate(0)).toBeUndefined();
    expect(whyLate(120_000)).toBeUndefined();
    expect(whyLate(120_001)).toMatch(/^the call was asked for 120 s ago, or the clocks .* differ$/);
  });

  it('is too late once Temporal does not wait for it any more', () => {
    expect(whyLate(0, true)).toBe('Temporal does not wait for this call any more');
  });
});

describe('a stopwatch', () => {
  it('goes by the clock that saw more time pass', async () => {
    const clock = ownClock();
    const stopwatch = startStopwatch(clock);
    expect(stopwatch.elapsedMs()).toBe(0);
    clock.set(6000);
    expect(stopwatch.elapsedMs()).toBe(6000);
    clock.set(-8000);
    expect(stopwatch.elapsedMs()).toBe(0);
    await clock.goAhead(3000);
    expect(stopwatch.elapsedMs()).toBe(3000);
  });
});
