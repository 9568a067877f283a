import { describe, expect, it } from '@jest/globals';
import { aPass } from '../../test/workflow/a-pass.ts';
import { AGAIN, DONE, waitFor, waitMeanwhile, type Answer, type Wait } from './answer.ts';
import type { Pass } from './pass.ts';
import { runPhases } from './run-phases.ts';

const PAUSED: Wait = { step: 'Paused', reason: 'Paused', message: 'it is paused' };
const FIRST: Wait = { step: 'Launch', reason: 'NodeNotJoined', message: 'the first', until: 9_000 };
const SECOND: Wait = { step: 'Terminate', reason: 'AwaitingTurn', message: 'the second', until: 5_000 };
const KNOWN = { step: 'Old', reason: 'Throttled', message: 'as before', since: '1970-01-01T00:00:00.000Z' };
const INSTANCE = { id: 'i-1', providerID: 'p:///z/i-1', state: 'running', addresses: [] } as const;

/** Runs phases that answer so, over a machine that waited for something before; how many of them were asked? */
async function run(...answers: Answer[]) {
  const pass = aPass({ status: { waiting: KNOWN } });
  let asked = 0;
  const phases = answers.map((answer) => () => {
    asked += 1;
    return answer;
  });
  return { next: await runPhases(pass, phases), pass, asked: () => asked };
}

describe('a pass', () => {
  it('goes through its phases in their order, one after the other', async () => {
    const order: string[] = [];
    const slow = async () => {
      await Promise.resolve();
      order.push('slow');
      return DONE;
    };
    const quick = () => {
      order.push('quick');
      return DONE;
    };
    await runPhases(aPass(), [slow, quick, slow]);
    expect(order).toEqual(['slow', 'quick', 'slow']);
  });

  it('waits for nothing where all are done, and ends the wait of before', async () => {
    const { next, pass } = await run(DONE, DONE);
    expect(next).toEqual({ at: undefined, why: 'nothing' });
    expect(pass.status.waiting).toBeUndefined();
  });

  it('stops at a wait, and says it', async () => {
    const { next, pass, asked } = await run(DONE, waitFor(FIRST), waitFor(SECOND));
    expect(asked()).toBe(2);
    expect(next).toEqual({ at: 9_000, why: 'the first' });
    expect(pass.status.waiting).toMatchObject({ step: 'Launch', nextTry: '1970-01-01T00:00:09.000Z' });
  });

  it('says what holds up what a person asked for, whatever else it waits for', async () => {
    const wished = { ...waitMeanwhile(SECOND), wished: true } as Answer;
    const { next, pass } = await run(waitMeanwhile(FIRST), wished, waitFor(PAUSED));
    expect(next).toEqual({ at: 5_000, why: 'the second' });
    expect(pass.status.waiting).toMatchObject({ step: 'Terminate', message: 'the second' });
  });

  it('says nothing of a moment that is most likely over before anybody could read of it', async () => {
    const { next, pass } = await run(DONE, { ...waitFor(FIRST), untold: true } as Answer, DONE);
    expect(next).toEqual({ at: 9_000, why: 'the first', isUntold: true });
    expect(pass.status.waiting).toMatchObject(KNOWN);
  });

  it('says so where something else is to be said', async () => {
    const { next, pass } = await run(waitMeanwhile(SECOND), { ...waitFor(FIRST), untold: true } as Answer);
    expect(next).toEqual({ at: 5_000, why: 'the second' });
    expect(pass.status.waiting).toMatchObject({ step: 'Terminate' });
  });

  it('says so where something is told that no later pass tells', async () => {
    const pass = aPass({ status: { waiting: KNOWN } });
    pass.tell({ type: 'Normal', reason: 'Delete', message: 'it goes' });
    const moment = { ...waitFor(FIRST), untold: true } as Answer;
    expect(await runPhases(pass, [() => moment])).toMatchObject({ isUntold: true });
    pass.tell({ type: 'Warning', reason: 'OutOfTurn', message: 'as was asked for' });
    expect(await runPhases(pass, [() => moment])).toEqual({ at: 9_000, why: 'the first' });
  });

  it.each<[string, Partial<Pick<Pass, 'sighting' | 'isRecalled' | 'isPastFound'>>]>([
    ['an instance was seen', { sighting: { instance: INSTANCE, isNew: true } }],
    ['the stored status had lost something', { isRecalled: true }],
    ['what was before this workflow was found', { isPastFound: true }],
  ])('says so where %s, which has to be written', async (_what, found) => {
    const pass = Object.assign(aPass({ status: { waiting: KNOWN } }), found);
    const moment = { ...waitFor(FIRST), untold: true } as Answer;
    expect(await runPhases(pass, [() => moment])).toEqual({ at: 9_000, why: 'the first' });
    expect(pass.status.waiting).toMatchObject({ step: 'Launch' });
  });

  it('goes on meanwhile where a wait lets it: the first wait is what is said, the earliest time is the next look', async () => {
    const { next, pass, asked } = await run(waitMeanwhile(FIRST), waitMeanwhile(SECOND), DONE);
    expect(asked()).toBe(3);
    expect(next).toEqual({ at: 5_000, why: 'the second' });
    expect(pass.status.waiting).toMatchObject({ step: 'Launch' });
  });

  it('looks again at the earliest time, also where that is of a phase which is done', async () => {
    const early = { outcome: 'done', until: 2_000, why: 'addresses' } as const;
    expect((await run(waitMeanwhile(SECOND), early)).next).toEqual({ at: 2_000, why: 'addresses' });
    expect((await run(early, waitMeanwhile(SECOND))).next).toEqual({ at: 2_000, why: 'addresses' });
    const equal = { ...early, until: 5_000 };
    expect((await run(waitMeanwhile(SECOND), equal)).next).toEqual({ at: 5_000, why: 'the second' });
    expect((await run({ outcome: 'done', until: 2_000 })).next).toEqual({ at: 2_000, why: 'another look' });
  });

  it('looks again when a wait wants it to, before what it waits for is tried again', async () => {
    const { next, pass } = await run({ outcome: 'wait', wait: FIRST, lookAt: 4_000 });
    expect(next).toEqual({ at: 4_000, why: 'the first' });
    expect(pass.status.waiting).toMatchObject({ nextTry: '1970-01-01T00:00:09.000Z' });
  });

  it('looks again where only a change ends a wait, if another phase wants it to', async () => {
    const { next, pass } = await run({ outcome: 'done', until: 7_000, why: 'all' }, waitFor(PAUSED));
    expect(next).toEqual({ at: 7_000, why: 'all' });
    expect(pass.status.waiting).toMatchObject({ reason: 'Paused' });
    expect(pass.status.waiting).not.toHaveProperty('nextTry');
    expect((await run(waitFor(PAUSED))).next).toEqual({ at: undefined, why: 'it is paused' });
  });

  it('that failed says so, waits for nothing and is followed by another one', async () => {
    const failed: Answer = { outcome: 'failed', reason: 'JoinClusterTimeoutError', message: 'no Node' };
    const { next, pass, asked } = await run(waitMeanwhile(FIRST), failed, DONE);
    expect(asked()).toBe(2);
    expect(next).toBe('again');
    expect(pass.status).toMatchObject({ phase: 'Failed', error: { reason: 'JoinClusterTimeoutError' } });
    expect(pass.status.waiting).toBeUndefined();
    expect(pass.events).toMatchObject([{ type: 'Warning', reason: 'Failed', message: 'no Node' }]);
  });

  it('that has nothing to do says nothing anew', async () => {
    const { next, pass, asked } = await run({ outcome: 'idle', why: 'it failed', until: 3_000 }, waitFor(FIRST));
    expect(asked()).toBe(1);
    expect(next).toEqual({ at: 3_000, why: 'it failed' });
    expect(pass.status.waiting).toEqual(KNOWN);
  });

  it('that has nothing more to do looks again when a phase before that wants it to', async () => {
    const early = { outcome: 'done', until: 2_000, why: 'another count' } as const;
    expect((await run(early, { outcome: 'idle', why: 'it failed' })).next).toEqual({ at: 2_000, why: 'another count' });
  });

  it('that saw what is not true any more begins anew, and keeps what it waited for', async () => {
    const { next, pass, asked } = await run(waitMeanwhile(FIRST), AGAIN, DONE);
    expect([next, asked()]).toEqual(['again', 2]);
    expect(pass.status.waiting).toEqual(KNOWN);
  });

  it('that saw an instance and begins anew waits for nothing any more', async () => {
    const pass = aPass({ status: { waiting: KNOWN } });
    pass.sighting = { instance: INSTANCE, isNew: true };
    expect(await runPhases(pass, [() => AGAIN])).toBe('again');
    expect(pass.status.waiting).toBeUndefined();
  });

  it.each([
    ['has a call that waits for its turn', waitFor(SECOND), 'as before'],
    ['waits for it', waitFor({ ...SECOND, cloudFails: true }), 'the second'],
    ['waits for something else', waitFor({ ...SECOND, reason: 'NodeNotJoined' }), undefined],
    ['waits for nothing', DONE, undefined],
    ['begins anew', AGAIN, undefined],
  ])('remembers that the cloud fails while it %s', async (_what, answer, cloudFails) => {
    const pass = aPass({ memory: { cloudFails: 'as before' } });
    await runPhases(pass, [() => waitMeanwhile(FIRST), () => answer]);
    expect(pass.memory.cloudFails).toBe(cloudFails);
    expect(pass.status.waiting ?? {}).not.toHaveProperty('cloudFails');
  });

  it('that says nothing of a moment remembers all the same that the cloud fails no more', async () => {
    const pass = aPass({ memory: { cloudFails: 'as before' } });
    await runPhases(pass, [() => ({ ...waitFor(FIRST), untold: true }) as Answer]);
    expect(pass.memory.cloudFails).toBeUndefined();
  });

  it('ends where the object is gone', async () => {
    const { next, asked } = await run(waitMeanwhile(FIRST), { outcome: 'end' }, DONE);
    expect([next, asked()]).toEqual(['end', 2]);
  });
});
