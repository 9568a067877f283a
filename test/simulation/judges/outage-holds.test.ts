import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Outage } from '../../../workflows/machine-health-check/health-activities.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { OutageHoldsJudge } from './outage-holds.ts';
import { given } from '../../../providers/given.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const iso = (seconds: number) => new Date(NOON + seconds * 1000).toISOString();

let told: { at: number; outage: Outage }[];
let accused: string[];
let isHeard: boolean;
let clocksAgree: boolean;
beforeEach(() => {
  told = [];
  accused = [];
  isHeard = true;
  clocksAgree = true;
});

/** @param until seconds from noon; undefined: it lasts */
const tell = (at: number, from: number, until?: number) =>
  told.push({
    at: NOON + at * 1000,
    outage: { from: iso(from), ...given({ until: until === undefined ? undefined : iso(until) }) },
  });
const remediate = (at: number): readonly string[] => {
  const judge = new OutageHoldsJudge({
    told: () => told,
    isHeardSince: () => isHeard,
    clocksAgree: () => clocksAgree,
    accuse: (message) => void accused.push(message),
  });
  judge.see({ machine: aMachine({ name: 'a' }), check: 'check', at: NOON + at * 1000 });
  return accused;
};

describe('the judge of outages', () => {
  it('accuses a check that remediates right after one', () => {
    tell(5, 0);
    tell(125, 0, 120);
    expect(remediate(150)).toEqual(['Machine a is remediated although the API server was away a moment ago']);
  });

  it('accuses one that remediates while it lasts', () => {
    tell(5, 0);
    expect(remediate(100)).toHaveLength(1);
  });

  it('goes by no times that had not come when they were told', () => {
    tell(5, 0);
    tell(125, 0, 120);
    tell(130, 155, 158);
    tell(135, 131);
    tell(140, 131, 160);
    tell(145, 165);
    expect(remediate(220)).toEqual([]);
  });

  it('takes a time that nobody watched for no end of one that lasts', () => {
    tell(5, 0);
    told.push({ at: NOON + 20_000, outage: { from: iso(-60), until: iso(15), unwatched: true } });
    expect(remediate(150)).toHaveLength(1);
  });

  it.each([
    ['was over for long', 180],
    ['was not known when that was decided', 20],
  ])('leaves alone what comes after one that %s', (_words, at) => {
    tell(5, 0);
    tell(125, 0, 120);
    expect(remediate(at)).toEqual([]);
  });

  it('goes by no news of a beginning that come after the end', () => {
    tell(5, 0, 4);
    tell(6, 0);
    expect(remediate(100)).toEqual([]);
  });

  it('takes a word that it answers for the end of what lasted', () => {
    tell(5, 0);
    tell(20, 20, 20);
    expect(remediate(100)).toEqual([]);
  });

  it('leaves alone who could not know it', () => {
    tell(5, 0);
    isHeard = false;
    expect(remediate(100)).toEqual([]);
    isHeard = true;
    clocksAgree = false;
    expect(remediate(100)).toEqual([]);
  });
});
