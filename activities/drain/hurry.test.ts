import { describe, expect, it } from '@jest/globals';
import { readPod } from '../../k8s/model/pod.ts';
import { aPod } from '../../test/world/builders/a-pod.ts';
import type { PodPart } from './choose-pods.ts';
import { forceTimesOf } from './hurry.ts';

const pod = (graceSeconds: number, part: PodPart = 'evict') => ({ pod: readPod(aPod({ graceSeconds })), part });

describe('a drain that is to be over soon', () => {
  it('takes as long as the pod that takes longest to end', () => {
    const times = forceTimesOf({ hurry: { at: 1000 } }, [pod(10), pod(45), pod(50, 'leave')]);
    expect(times).toEqual({ force: { from: 1000, deadline: 46_000 }, hurriedUntil: 46_000 });
  });

  it('takes a minute at most', () => {
    expect(forceTimesOf({ hurry: { at: 0 } }, [pod(3600)])).toMatchObject({ hurriedUntil: 60_000 });
  });

  it('ends when it was said to, whichever pods are left', () => {
    expect(forceTimesOf({ hurry: { at: 0, until: 45_000 } }, [pod(10)])).toMatchObject({ hurriedUntil: 45_000 });
  });

  it('ends earlier where its time-out does', () => {
    const force = { from: 0, deadline: 20_000 };
    expect(forceTimesOf({ force, hurry: { at: 0 } }, [pod(30)])).toMatchObject({ force });
    expect(forceTimesOf({ force: { from: 0, deadline: 90_000 }, hurry: { at: 5 } }, [pod(30)])).toMatchObject({
      force: { from: 5, deadline: 30_005 },
    });
  });
});

it('any other drain has the time that its options give', () => {
  expect(forceTimesOf({}, [pod(30)])).toEqual({});
  expect(forceTimesOf({ force: { from: 1, deadline: 2 } }, [])).toEqual({ force: { from: 1, deadline: 2 } });
});
