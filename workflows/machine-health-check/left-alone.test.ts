import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Away } from './away.ts';
import {
  begunOf,
  CHECK_UID,
  Course,
  failed,
  found,
  iso,
  MINUTE,
  notReady,
  NOW,
  SET,
  setSight,
  suspect,
  wished,
  withoutSet,
} from './check-for-tests.ts';
import type { SeenCause, Suspect } from './health-activities.ts';
import { whyAnothers, whyAutoscalersTurn, whyNotOurs } from './left-alone.ts';
import type { Illness } from './sightings.ts';

const bad = (cause: SeenCause, since: number): Illness => ({
  cause,
  since,
  dueAt: since + cause.timeoutMs,
  isUnhealthy: true,
  isFlapping: false,
  isTold: true,
});

describe('a machine that somebody wants left alone', () => {
  const held = (changes: Partial<Suspect>) =>
    whyNotOurs({ suspect: suspect('m', changes), illnesses: [] }, CHECK_UID, NOW);

  test('waits until that is taken off, or until the time that is said', () => {
    expect(held({ skip: '' })).toEqual({
      words: 'until nobody wants it left alone any more (its annotation skip-remediation names no time)',
    });
    expect(held({ skip: iso(NOW + MINUTE) })).toEqual({
      words: `until ${iso(NOW + MINUTE)}: somebody wants it left alone until then (its annotation skip-remediation)`,
      until: NOW + MINUTE,
    });
    expect(held({ skip: 'tomorrow' })).not.toHaveProperty('until');
    expect(held({ skip: 'tomorrow' })?.words).toMatch(/^until tomorrow: /);
  });

  test('waits no more when the time has come', () => {
    expect(held({ skip: iso(NOW) })).toBeUndefined();
  });
});

describe('a machine that another program remedies', () => {
  const held = (changes: Partial<Suspect>) => whyAnothers({ suspect: suspect('m', changes), illnesses: [] }, CHECK_UID);

  test('waits for that', () => {
    expect(held({ isExternal: true })).toEqual({ words: 'for another program, which remedies it' });
    expect(held({ isExternal: true, claim: { name: 'other', uid: 'uid-of-another-check' } })).toBeDefined();
  });

  test('does not wait where this check has annotated it for that program, or nobody has', () => {
    expect(held({ isExternal: true, claim: { name: 'check', uid: CHECK_UID } })).toBeUndefined();
    expect(held({})).toBeUndefined();
  });
});

describe('a machine for which the cloud has no room', () => {
  const sized = { [SET.uid]: setSight({ mayBeScaledDown: true }) };
  let away: Away[] = [];
  beforeEach(() => {
    away = [];
  });
  const held = (...illnesses: Illness[]) =>
    whyAutoscalersTurn({ suspect: suspect('m', { lacksRoom: true }), illnesses }, { sets: sized }, { away, now: NOW });

  test('is left to cluster-autoscaler for ten minutes from its first failure, whatever else is bad', () => {
    expect(held(bad(failed(), NOW - 4 * MINUTE), bad(notReady(), NOW - 60 * MINUTE))).toMatchObject({
      until: NOW + 6 * MINUTE,
      dueAt: NOW + 6 * MINUTE,
    });
    const again = bad(failed({ key: 'failed again' }), NOW - 9 * MINUTE);
    expect(held(bad(failed(), NOW - 4 * MINUTE), again)).toMatchObject({ until: NOW + MINUTE });
    expect(held(bad(failed(), NOW - 10 * MINUTE))).toBeUndefined();
  });

  test('is left to it for as long of the time in which the API server was there', () => {
    away = [{ from: NOW - 8 * MINUTE, until: NOW - 3 * MINUTE }];
    expect(held(bad(failed(), NOW - 10 * MINUTE))).toMatchObject({ until: NOW + 5 * MINUTE });
    away = [{ from: NOW - 8 * MINUTE, until: Infinity }];
    expect(held(bad(failed(), NOW - 10 * MINUTE))).toEqual({ words: expect.stringContaining('autoscaler') });
  });

  test('is so from when it says that it failed, where a check looks at it for the first time', () => {
    const sick = failed({ key: 'failed InsufficientResources', changedAt: NOW - 8 * MINUTE });
    const one = suspect('m', { lacksRoom: true, causes: [sick] });
    const { unhealthy } = new Course().look(NOW, found({ suspects: [one], sets: sized }));
    expect(unhealthy).toMatchObject([{ since: iso(NOW - 8 * MINUTE), next: expect.stringContaining('autoscaler') }]);
    expect(begunOf(new Course().look(NOW + 2 * MINUTE, found({ suspects: [one], sets: sized })))).toEqual(['m']);
  });

  test('is not, where it has not failed, or a person wants it remediated', () => {
    expect(held(bad(notReady(), NOW))).toBeUndefined();
    expect(held()).toBeUndefined();
    expect(held(bad(failed(), NOW), bad(wished(), NOW))).toBeUndefined();
  });

  test('is not, where it failed for something else, or cluster-autoscaler does not make its set smaller', () => {
    const illnesses = [bad(failed(), NOW)];
    const lacking = { suspect: suspect('m', { lacksRoom: true }), illnesses };
    expect(
      whyAutoscalersTurn({ suspect: suspect('m'), illnesses }, { sets: sized }, { away: [], now: NOW }),
    ).toBeUndefined();
    expect(whyAutoscalersTurn(lacking, { sets: { [SET.uid]: setSight() } }, { away: [], now: NOW })).toBeUndefined();
    expect(whyAutoscalersTurn(lacking, { sets: {} }, { away: [], now: NOW })).toBeUndefined();
    const alone = { suspect: withoutSet(lacking.suspect), illnesses };
    expect(whyAutoscalersTurn(alone, { sets: sized }, { away: [], now: NOW })).toBeUndefined();
  });
});
