import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../providers/clock.ts';
import { createAskOn, createSlowPlaces } from './ask-on.ts';

const PATIENCE_MS = 200;

/** Someone who asks, and a call that is answered when the test says so. */
function asker(options: { readonly keptMs?: number; readonly most?: number } = {}) {
  let time = 0;
  const clock = { ...systemClock, now: () => time };
  const slow = createSlowPlaces();
  const askOn = createAskOn<string>(clock, slow, { patienceMs: PATIENCE_MS, slowPatienceMs: 1, ...options });
  const calls: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = [];
  const call = () => new Promise<string>((resolve, reject) => void calls.push({ resolve, reject }));
  return {
    slow,
    calls,
    ask: (question = 'q', place = 'p') => askOn(place, question, call),
    pass: (ms: number) => (time += ms),
  };
}

const LATER = { code: 'Unavailable', details: { cloudCode: 'CloudNotAnswering', retryAfterMs: 1000 } };

describe('who asks a cloud', () => {
  it('waits no longer than patience lasts, and gets the answer of the call that went on when he asks again', async () => {
    const { ask, calls, pass } = asker();
    await expect(ask()).rejects.toMatchObject(LATER);
    pass(1000);
    await expect(ask()).rejects.toMatchObject(LATER);
    calls[0]?.resolve('answer');
    pass(2000);
    expect(await ask()).toEqual({ answer: 'answer', agoMs: 3000 });
    expect(calls).toHaveLength(1);
  });

  it('gets a failure once, and then asks anew', async () => {
    const { ask, calls } = asker();
    await expect(ask()).rejects.toMatchObject(LATER);
    calls[0]?.reject(new Error('no answer within 10 s'));
    await expect(ask()).rejects.toThrow('within 10 s');
    await expect(ask()).rejects.toMatchObject(LATER);
    expect(calls).toHaveLength(2);
  });

  it('gets no answer that lay about for too long, and none to another question', async () => {
    const { ask, calls, pass } = asker({ keptMs: 100 });
    await expect(ask()).rejects.toMatchObject(LATER);
    calls[0]?.resolve('old');
    await delay(1);
    pass(101);
    await expect(ask()).rejects.toMatchObject(LATER);
    await expect(ask('another')).rejects.toMatchObject(LATER);
    expect(calls).toHaveLength(3);
  });

  it('gets the answer of his call although thousands of others asked meanwhile', async () => {
    const { ask, calls } = asker();
    await expect(ask('first')).rejects.toMatchObject(LATER);
    await Promise.all(Array.from({ length: 3000 }, (_, n) => expect(ask(`other-${n}`)).rejects.toMatchObject(LATER)));
    calls[0]?.resolve('answer');
    expect(await ask('first')).toMatchObject({ answer: 'answer' });
  });

  it('has an answer that came in time from that moment', async () => {
    const { ask, calls } = asker();
    const answer = ask();
    calls[0]?.resolve('now');
    expect(await answer).toEqual({ answer: 'now' });
  });

  it('waits hardly at all where others waited in vain, until the place answers in time again', async () => {
    const { ask, calls, slow, pass } = asker();
    await expect(ask('first')).rejects.toMatchObject(LATER);
    expect(slow.get('p')).toBe('calls');
    const startedAt = performance.now();
    await expect(ask('second')).rejects.toMatchObject(LATER);
    expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS);
    pass(PATIENCE_MS + 1);
    calls[0]?.resolve('late');
    await delay(1);
    expect(slow.get('p')).toBe('calls');
    const third = ask('third');
    calls[2]?.resolve('in time');
    expect(await third).toEqual({ answer: 'in time' });
    expect(slow.get('p')).toBeUndefined();
  });

  it('is one of so many that are remembered', async () => {
    const { ask, calls } = asker({ most: 2 });
    for (const question of ['a', 'b', 'c', 'a']) await expect(ask(question)).rejects.toMatchObject(LATER);
    expect(calls).toHaveLength(4);
  });
});
