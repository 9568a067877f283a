import { beforeEach, describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { UnansweredLooks } from './unanswered-looks.ts';

const clock = ownClock();
let looks: UnansweredLooks;
beforeEach(() => {
  looks = new UnansweredLooks(clock);
});

const unanswered = (uid = 'a', error: Error = new KubeError(0, 'Unreachable', 'connection refused')) =>
  expect(looks.look(uid, () => Promise.reject(error))).rejects.toThrow(error);
const answered = (uid = 'a', afterMs = 0) =>
  looks.look(uid, async () => {
    await clock.goAhead(afterMs);
    return 'all';
  });
const outageOf = async (uid = 'a', afterMs = 0) => (await answered(uid, afterMs)).outage;
const lastsMs = ({ from, until = '' }: { readonly from: string; readonly until?: string }) =>
  Date.parse(until) - Date.parse(from);

describe('the API server was away', () => {
  it('from the first try of a look until one was answered', async () => {
    await unanswered();
    await clock.goAhead(20_000);
    await unanswered();
    await clock.goAhead(10_000);
    const outage = await outageOf();
    expect(outage && lastsMs(outage)).toBe(30_000);
    expect(Date.parse(outage?.until ?? '')).toBe(clock.timeOfDay());
    // The next look knows nothing of it.
    expect(await answered()).toEqual({ seen: 'all' });
  });

  it('where a look was answered very late, without having been repeated', async () => {
    expect(await outageOf('a', 9_999)).toBeUndefined();
    const outage = await outageOf('a', 10_000);
    expect(outage && lastsMs(outage)).toBe(10_000);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a connection was lost for a moment', () => unanswered()],
    ['another check was not answered', () => unanswered('b').then(() => clock.goAhead(30_000))],
    [
      'the look was refused',
      () => unanswered('a', new KubeError(403, 'Forbidden', 'no')).then(() => clock.goAhead(30_000)),
    ],
  ])('and was not where %s', async (_what, happens) => {
    await happens();
    await clock.goAhead(1999);
    expect(await outageOf()).toBeUndefined();
  });
});
