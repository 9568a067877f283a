import { describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { tokenOf } from '../k8s/launch-token.ts';
import { ProviderError } from '../providers/provider.ts';
import { createCloudActivities, targetOf } from '../test/unit/cloud-activities.ts';
import { preparedLaunch } from '../test/workflow/prepared-launch.ts';
import { silence } from '../test/unit/scripted-cloud.ts';

jest.setTimeout(20_000);

/** What a cloud may keep a workflow task waiting, in milliseconds. */
const MOST_MS = 2000;
/** What the activity's own work may take besides, in milliseconds. */
const WORK_MS = 700;
const NOT_YET = { outcome: 'failed', failure: { code: 'Unavailable', cloudCode: 'CloudNotAnswering' } };

const NAME = 'm';
const target = targetOf(NAME);

function kitWith(instanceId: string | null = 'i-1') {
  const kit = createCloudActivities();
  const launched = { loadBalancers: [{ name: 'front', type: 'network' }] };
  kit.addMachine(NAME, instanceId === null ? {} : { instanceId, launched });
  if (instanceId !== null) kit.cloud.add(instanceId);
  return kit;
}

/** How much longer it took than a timer of two seconds, which a busy machine holds up as well. */
async function timed<T>(run: Promise<T>): Promise<{ readonly answer: T; readonly lateMs: number }> {
  const startedAt = performance.now();
  const tookMs = async (waited: Promise<unknown>) => {
    await waited.catch(() => undefined);
    return performance.now() - startedAt;
  };
  const [ms, timerMs] = await Promise.all([tookMs(run), tookMs(delay(MOST_MS))]);
  return { answer: await run, lateMs: ms - timerMs };
}

describe('a cloud that hangs keeps no workflow task waiting for longer than two seconds', () => {
  const status = { addresses: [], conditions: [] };
  type Kit = ReturnType<typeof kitWith>;
  const cases: readonly [string, string, string | null, (kit: Kit) => Promise<unknown>][] = [
    ['look at an instance', 'describe', 'i-1', ({ run }) => run((own) => own.lookAtInstance({ ...target, id: 'i-1' }))],
    [
      'termination',
      'terminate',
      'i-1',
      ({ run }) => run((own) => own.terminateInstance({ ...target, id: 'i-1', lookAfterMs: 10 })),
    ],
    [
      'detachment from load balancers',
      'deregister',
      'i-1',
      ({ run }) => run((own) => own.detachLoadBalancers({ ...target, id: 'i-1' })),
    ],
    [
      'termination of an instance too many',
      'describe',
      'i-1',
      ({ run }) => run((own) => own.endSurplusInstance({ ...target, id: 'i-2', keep: 'i-1' })),
    ],
    [
      'look-up by uid and token',
      'findByMachine',
      null,
      ({ run }) => run((own) => own.findInstances({ ...target, clusterName: 'c', token: 't' })),
    ],
    [
      'preparation of a launch',
      'resolve',
      null,
      ({ run }) => run((own) => own.prepareLaunch({ ...target, attempt: 1, replace: false, status })),
    ],
  ];

  it.each(cases)('in a %s', async (_what, operation, instanceId, run) => {
    const kit = kitWith(instanceId);
    kit.cloud.disturb = (call) => (call.operation === operation ? silence() : undefined);
    const { answer, lateMs } = await timed(run(kit));
    expect(answer).toMatchObject(NOT_YET);
    expect(Math.abs(lateMs)).toBeLessThan(WORK_MS);
  });

  it('in a look whose doubt it does not answer', async () => {
    const kit = kitWith();
    kit.addMachine('other', { instanceId: 'i-2', launched: {} });
    kit.cloud.instances.clear();
    kit.cloud.disturb = ({ ids }) => (ids.length > 1 ? silence() : undefined);
    const { answer, lateMs } = await timed(kit.run((own) => own.lookAtInstance({ ...target, id: 'i-1' })));
    expect(answer).toMatchObject(NOT_YET);
    expect(lateMs).toBeLessThan(WORK_MS);
  });

  it('in the look after a termination: what the cloud said of that counts', async () => {
    const kit = kitWith();
    kit.cloud.disturb = ({ operation }) => (operation === 'describe' ? silence() : undefined);
    const ending = kit.run((own) => own.terminateInstance({ ...target, id: 'i-1', lookAfterMs: 1000 }));
    const { answer, lateMs } = await timed(ending);
    expect(answer).toEqual({ outcome: 'asked', state: 'shutting-down' });
    expect(lateMs).toBeLessThan(WORK_MS);
  });

  it('in the look at what a vanished Machine left, which is tried again by a timer', async () => {
    const kit = kitWith();
    kit.cloud.disturb = silence;
    const cloud = { provider: 'fake', credentials: { namespace: 'ns' } };
    const looking = kit.run((own) => own.lookAtLeftover({ ...target, id: 'i-1', cloud }));
    const { answer, lateMs } = await timed(looking.catch((error: unknown) => error));
    expect(answer).toMatchObject({ type: 'Unavailable', nextRetryDelay: 6000 });
    expect(lateMs).toBeLessThan(WORK_MS);
  });
});

it('a launch that never left the worker was not called: nothing can have come of it', async () => {
  const kit = createCloudActivities();
  kit.addMachine(NAME, { launched: {} });
  kit.cloud.disturb = () => {
    throw new ProviderError('Unavailable', 'not asked for a while', { notSent: true, retryAfterMs: 30_000 });
  };
  const parameters = {
    provider: 'fake',
    credentials: { namespace: 'ns' },
    zone: 'zone-a',
    instanceType: 't',
    request: {},
  };
  const launch = { ...preparedLaunch(), token: tokenOf(target.ref.uid, 1), parameters };
  const request = { ...target, clusterName: 'c', launch, lookFirst: false };
  const answer = await kit.run((own) => own.launchInstance(request), { isLocal: false });
  expect(answer).toMatchObject({
    outcome: 'notCalled',
    because: 'NotSent',
    failure: { notSent: true, retryAfterMs: 30_000 },
  });
});

describe('a cloud that takes its time', () => {
  it('answers the look that is repeated, without a call of its own, and says how old that is', async () => {
    const kit = kitWith();
    kit.cloud.instances.clear();
    kit.cloud.disturb = () => delay(3000);
    const look = () => kit.run((own) => own.lookAtInstance({ ...target, id: 'i-1' }));
    expect(await look()).toMatchObject(NOT_YET);
    await delay(2500);
    const answer = await look();
    expect(answer).toMatchObject({ outcome: 'absent', agoMs: expect.any(Number) });
    expect('agoMs' in answer ? answer.agoMs : 0).toBeGreaterThan(4000);
    expect(kit.cloud.called('describe')).toHaveLength(1);
  });

  it('is asked for a termination once: who asks again gets the answer', async () => {
    const kit = kitWith();
    kit.cloud.disturb = () => delay(3000);
    const end = () => kit.run((own) => own.terminateInstance({ ...target, id: 'i-1', lookAfterMs: 10 }));
    expect(await end()).toMatchObject(NOT_YET);
    await delay(2500);
    kit.cloud.disturb = () => undefined;
    expect(await end()).toEqual({ outcome: 'asked', state: 'shutting-down' });
    expect(kit.cloud.called('terminate')).toHaveLength(1);
  });

  it('keeps hardly anybody waiting once it is known to', async () => {
    const kit = kitWith();
    kit.addMachine('other', { instanceId: 'i-2', launched: {} });
    kit.cloud.disturb = silence;
    await kit.run((own) => own.lookAtInstance({ ...target, id: 'i-1' }));
    const other = targetOf('other');
    const look = await timed(kit.run((own) => own.lookAtInstance({ ...other, id: 'i-2' })));
    expect(look.answer).toMatchObject(NOT_YET);
    const ending = await timed(kit.run((own) => own.terminateInstance({ ...other, id: 'i-2', lookAfterMs: 10 })));
    expect(ending.answer).toMatchObject(NOT_YET);
    expect(Math.max(look.lateMs, ending.lateMs)).toBeLessThan(-1000);
  });
});
