import { describe, expect, it } from '@jest/globals';
import { delay } from '../../providers/clock.ts';
import { CLOUD_NOT_ANSWERING, ProviderError } from '../../providers/provider-error.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { changedSignal, inspectSignal } from '../../workflows/signals.ts';
import { MachineWorld } from '../world/machine-world.ts';
import { holdBack, provisioned } from './machine-stages.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

const WINDOW_MS = DEFAULT_MACHINE_SETTINGS.goneWindowSeconds * 1000;
const NEXT_TRY_MS = 90_000;
/** When the next try is due, in milliseconds, less what a workflow's clock may lag behind its activities'. */
const DUE_MS = NEXT_TRY_MS - 1000;

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** The cloud did not answer, and nothing is sent to it for a while. */
const notAsked = (retryAfterMs = NEXT_TRY_MS) =>
  new ProviderError('Unavailable', 'the cloud did not answer the last calls: it is not asked for a while', {
    cloudCode: CLOUD_NOT_ANSWERING,
    retryAfterMs,
    notSent: true,
  });

describe('a cloud that does not answer', () => {
  it('is told in conditions, with the time of the next try, before which nobody looks', async () => {
    const { world, handle } = await provisioned(temporal, 'unlooked');
    const looks = holdBack(world, 'describe', notAsked());
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.waiting?.reason === 'CloudNotAnswering');
    expect(world.condition('InstanceExists')).toMatchObject({ status: 'Unknown', reason: 'CloudNotAnswering' });
    const [first = 0] = looks;
    expect(Date.parse(world.status.waiting?.nextTry ?? '')).toBeGreaterThanOrEqual(first + DUE_MS);
    await temporal.until(() => looks.length === 2, { within: 300, step: 5 });
    expect((looks[1] ?? 0) - first).toBeGreaterThanOrEqual(DUE_MS);
  });

  it('is looked at when the worker asks it again, however often it was not asked before', async () => {
    const { world, handle } = await provisioned(temporal, 'refused-often');
    const times = holdBack(world, 'describe', notAsked(12_000));
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => times.length === 10, { within: 300, step: 5 });
    const pauses = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    expect(Math.max(...pauses)).toBeLessThan(20_000);
  });

  it('is not asked to terminate before its time', async () => {
    const { world, handle } = await provisioned(temporal, 'unended');
    const asked = holdBack(world, 'terminate', notAsked(), (nth) => nth === 1);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'CloudNotAnswering');
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    const [first = 0, second = 0] = asked;
    expect(second - first).toBeGreaterThanOrEqual(DUE_MS);
  });

  it('owes nothing for launches that were never sent: the Machine can be deleted at once', async () => {
    const world = new MachineWorld('unsent', temporal.clock);
    const launches = holdBack(world, 'launch', notAsked());
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'CloudNotAnswering');
    await temporal.until(() => launches.length === 2, { within: 300, step: 5 });
    const [first = 0, second = 0] = launches;
    expect(second - first).toBeGreaterThanOrEqual(DUE_MS);
    expect(world.status.launch?.attempt).toBe(1);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle, 30)).resolves.toEqual({ outcome: 'deleted' });
    // Neither before the second try, nor before the end.
    expect(world.cloud.calls('describe', 'terminate')).toEqual([]);
  });

  it('proves an absence by when it was asked, not by when its answer was fetched', async () => {
    const { world, handle } = await provisioned(temporal, 'late-answer');
    world.cloud.vanish(world.instanceId);
    const asked: number[] = [];
    world.cloud.onRequest = async ({ action }, carryOut) => {
      const nth = action === 'describe' ? asked.push(world.clock.now()) : 0;
      const answer = await carryOut();
      if (nth === 3) await delay(world.clock, 8000);
      return answer;
    };
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => asked.length === 2, { within: 300, step: 10 });
    // The third is asked for before the window ends, and answered after it.
    await temporal.until(() => world.clock.now() - (asked[0] ?? 0) >= WINDOW_MS - 6000, { within: 300 });
    await temporal.signal(handle, inspectSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    const [first = 0, , late = 0, last = 0, ...more] = asked;
    expect([late - first < WINDOW_MS, last - first >= WINDOW_MS, more]).toEqual([true, true, []]);
  });

  it('is asked by timers for what a vanished Machine left: no workflow task waits for that', async () => {
    const { world, handle } = await provisioned(temporal, 'left');
    const notYet = new ProviderError('Unavailable', 'not yet', { retryAfterMs: 6000 });
    const looks = holdBack(world, 'describe', notYet, (nth) => nth <= 2);
    world.drop();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    expect(looks).toHaveLength(3);
    const { events } = await handle.fetchHistory();
    const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) => timer?.startToFireTimeout ?? []);
    expect(timers.filter(({ seconds }) => Number(seconds) === 6)).toHaveLength(2);
  });
});
