import { beforeEach, describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { readPod, type Pod, type StoredPod } from '../../k8s/model/pod.ts';
import { PODS } from '../../k8s/resources.ts';
import { delay } from '../../providers/clock.ts';
import { momentOf } from '../../providers/moment.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { aPod } from '../../test/world/builders/a-pod.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import { AT_ONCE, PodCalls } from './evictions.ts';

let world: World;
let calls: PodCalls;
/** How long the API server takes for an eviction, in milliseconds. */
let answersAfterMs: number;

beforeEach(() => {
  world = new World(ownClock());
  world.kube.put(aNode({ name: 'n' }));
  answersAfterMs = 1000;
  world.onRequest = async (request, carryOut) => {
    if (request.subresource === 'eviction') await delay(world.clock, answersAfterMs);
    return carryOut();
  };
  calls = new PodCalls(world.kube.client, world.clock);
});

function pods(count: number, prefix = 'web'): Pod[] {
  const names = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
  world.kube.put(...names.map((name) => aPod({ name, node: 'n' })));
  return names.map((name) => readPod(world.kube.peek(PODS, 'default', name) as StoredPod));
}

/** For a Machine that was looked at so long ago, in milliseconds. */
const asking = (agoMs = 0) => {
  const { now, timeOfDay } = momentOf(world.clock);
  return { lookedAt: { now: now - agoMs, timeOfDay: timeOfDay - agoMs }, patienceMs: 1500 };
};
const evict = (some: readonly Pod[], agoMs = 0) => Promise.all(some.map((pod) => calls.evict(pod, asking(agoMs))));
const remove = (some: readonly Pod[]) => Promise.all(some.map((pod) => calls.remove(pod, 30, asking())));
const sent = () => world.requests.filter(({ subresource }) => subresource === 'eviction').length;

describe('evictions beside very many others', () => {
  it('are asked for so many at a time', async () => {
    const answers = evict(pods(AT_ONCE + 8));
    await delay(world.clock, 900);
    expect(sent()).toBe(AT_ONCE);
    expect(new Set((await answers).map(({ outcome }) => outcome))).toEqual(new Set(['accepted', 'held']));
    expect(sent()).toBe(AT_ONCE + 8);
  });

  it('are not sent eight seconds after the look at their Machine, and are asked for anew by who asks again', async () => {
    answersAfterMs = 1400;
    const [first, second, late] = [pods(AT_ONCE, 'first'), pods(AT_ONCE, 'second'), pods(1, 'late')];
    const answers = await evict([...first, ...second, ...late], 6000);
    expect(answers.slice(0, AT_ONCE).every(({ outcome }) => outcome === 'accepted')).toBe(true);
    expect(answers[AT_ONCE]).toMatchObject({ outcome: 'held', by: 'soon' });
    expect(answers.at(-1)).toEqual({ outcome: 'notSent' });
    await delay(world.clock, 5000);
    expect(sent()).toBe(2 * AT_ONCE);
    expect(await evict(late)).toEqual([{ outcome: 'accepted' }]);
    expect(sent()).toBe(2 * AT_ONCE + 1);
  });

  it('find a turn although a webhook keeps all that were sent waiting', async () => {
    answersAfterMs = 60_000;
    void evict(pods(AT_ONCE));
    await delay(world.clock, 1000);
    answersAfterMs = 0;
    expect(await evict(pods(1, 'other'))).toEqual([{ outcome: 'accepted' }]);
  });

  it('are not sent where the worker stood still, or its computer did, since the look at their Machine', async () => {
    const web = pods(2);
    expect(await evict(web, 8001)).toEqual([{ outcome: 'notSent' }, { outcome: 'notSent' }]);
    const before = asking();
    world.clock.set(60_000);
    expect(await calls.evict(web[0] as Pod, before)).toEqual({ outcome: 'notSent' });
    expect(await calls.remove(web[0] as Pod, 30, before)).toEqual({ outcome: 'notSent' });
    expect(sent()).toBe(0);
    expect(await evict(web)).toEqual([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
  });
});

describe('deletions of very many pods', () => {
  it('are asked for so many at a time, and are not sent when a slow webhook has let their time go by', async () => {
    world.onRequest = async (request, carryOut) => {
      if (request.verb === 'delete') await delay(world.clock, 10_000);
      return carryOut();
    };
    const deleted = () => world.requests.filter(({ verb }) => verb === 'delete').length;
    const answers = remove(pods(7 * AT_ONCE));
    await delay(world.clock, 1000);
    expect(deleted()).toBe(AT_ONCE);
    expect((await answers).filter(({ outcome }) => outcome === 'notSent')).toHaveLength(6 * AT_ONCE);
    await delay(world.clock, 60_000);
    expect(deleted()).toBeLessThanOrEqual(5 * AT_ONCE);
  });
});

describe('an eviction that the API server refuses as the pod changes', () => {
  const changing = (then: (pod: Pod) => void) => {
    const [pod] = pods(1) as [Pod];
    world.onRequest = async (request, carryOut) => {
      if (request.subresource !== 'eviction') return carryOut();
      then(pod);
      throw new KubeError(409, 'Conflict', 'the object has been modified');
    };
    return calls.evict(pod, asking());
  };
  const drop = ({ namespace, name }: Pod) => world.kube.drop(PODS, namespace, name);

  it('is asked for again in a moment where it is that pod still', async () => {
    expect(await changing(() => {})).toEqual({
      outcome: 'held',
      by: 'soon',
      message: 'the object has been modified',
    });
  });

  it('is done where the pod is gone, and where another one has its name', async () => {
    expect(await changing(drop)).toEqual({ outcome: 'gone' });
    expect(
      await changing((pod) => {
        drop(pod);
        world.kube.put(aPod({ name: pod.name, node: 'n', metadata: { uid: 'another' } }));
      }),
    ).toEqual({ outcome: 'gone' });
  });

  it('is asked for again where the pod cannot be looked at', async () => {
    const [pod] = pods(1) as [Pod];
    world.onRequest = async ({ verb, subresource }, carryOut) => {
      if (subresource === 'eviction') throw new KubeError(409, 'Conflict', 'the object has been modified');
      if (verb === 'get') throw new KubeError(503, 'ServiceUnavailable', 'etcd has no leader');
      return carryOut();
    };
    expect(await calls.evict(pod, asking())).toEqual({ outcome: 'held', by: 'server', message: 'etcd has no leader' });
  });
});
