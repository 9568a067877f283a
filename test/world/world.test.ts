import { describe, expect, it } from '@jest/globals';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { answerLost } from './kubernetes/request.ts';
import { MachineWorld } from './machine-world.ts';
import { notSent, type CloudPassage } from './world-cloud.ts';
import { ownClock } from './world-clock.ts';
import { CLUSTER_UID } from './world.ts';

/** A Machine whose launch is frozen, and the call that is to follow. */
async function prepared() {
  const world = new MachineWorld('m', ownClock(Date.now()));
  const target = { ref: world.ref, clusterUid: CLUSTER_UID };
  const { status } = world;
  const frozen = await world.activities.prepareLaunch({ ...target, attempt: 1, replace: false, status });
  if (frozen.outcome !== 'prepared') throw new Error(frozen.outcome);
  const { launch } = frozen;
  const request = { ...target, clusterName: 'c1', launch, lookFirst: false };
  return { world, launch: () => world.run((on) => on.launchInstance(request), { isLocal: false }) };
}

describe('an answer of the cloud', () => {
  it('arrives', async () => {
    const { world, launch } = await prepared();
    expect(await launch()).toMatchObject({ outcome: 'instance', instance: { id: world.instanceId } });
  });

  it('is held back until it is let go, without any time passing', async () => {
    const { world, launch } = await prepared();
    let letGo = () => {};
    const until = new Promise<void>((resolve) => (letGo = resolve));
    world.cloud.onRequest = held(world, until);
    const since = world.clock.now();
    const answer = launch();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([world.instances.length, world.clock.now()]).toEqual([1, since]);
    letGo();
    expect(await answer).toMatchObject({ outcome: 'instance' });
  });

  it('is late by as much as it is delayed', async () => {
    const { world, launch } = await prepared();
    world.cloud.behave({ launchLatencyMs: 7000 });
    const since = world.clock.now();
    await launch();
    expect(world.clock.now() - since).toBe(7000);
  });

  it('never comes, whatever became of the call: that takes as long as the caller waits', async () => {
    const { world, launch } = await prepared();
    world.cloud.fail({ action: 'launch', when: 'after', answer: 'hang' });
    const since = world.clock.now();
    expect(await launch()).toMatchObject({ outcome: 'refused', failure: { code: 'DeadlineExceeded' } });
    expect([world.instances.length, world.clock.now() - since]).toEqual([1, 30_000]);
  });

  it('is not asked for where the call is not sent', async () => {
    const { world, launch } = await prepared();
    world.cloud.onRequest = notSent('launch', { cloudCode: 'AwaitingTurn', retryAfterMs: 1000 });
    expect(await launch()).toMatchObject({ outcome: 'notCalled', because: 'NotSent' });
    expect(world.cloud.calls('launch')).toEqual([]);
  });
});

describe('an answer of the API server', () => {
  it('is lost after the request took effect', async () => {
    const world = new MachineWorld('m', ownClock(Date.now()));
    const { ref } = world;
    world.onRequest = answerLost({ verb: 'apply', resource: MACHINES });
    const writing = world.activities.writeMachineStatus({
      ref,
      clusterUid: CLUSTER_UID,
      status: { ...world.status, phase: 'Provisioning' },
      events: [],
    });
    await expect(writing).rejects.toThrow('no answer');
    expect(world.status.phase).toBe('Provisioning');
  });
});

function held({ clock }: MachineWorld, until: Promise<void>): CloudPassage {
  return async (_request, carryOut) => {
    const answer = await carryOut();
    await clock.holding(until);
    return answer;
  };
}
