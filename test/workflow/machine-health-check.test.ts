import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../k8s/model/health-claim.ts';
import { DEFAULT_CLUSTER_RULES } from '../../k8s/model/cluster-rules.ts';
import { PROCEED_ANNOTATION } from '../../k8s/model/machine-health-check.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { checkSightQuery } from '../../workflows/machine-health-check/messages.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { aMachineHealthCheck } from '../world/builders/a-machine-health-check.ts';
import { refOf } from '../world/builders/metadata.ts';
import type { HealthWorldFacts } from '../world/health-world.ts';
import { before } from '../world/kubernetes/request.ts';
import { diesAfter } from '../world/world.ts';
import { nextFor, runningHealthCheck, secondsUntilDeleted, SICK } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const running = (name: string, facts?: HealthWorldFacts) => runningHealthCheck(temporal, name, facts);

describe('a health check', () => {
  it('has a machine replaced whose Node was not Ready for five minutes, and not before', async () => {
    const { world, tell } = await running('default');
    await tell(() => world.say(2, 'Unknown'));
    await temporal.pass(280);
    expect(world.deleted).toEqual([]);
    expect(world.status).toMatchObject({ expectedMachines: 3, currentHealthy: 2 });
    expect(nextFor(world, 2)).toContain('5 min');
    const seconds = await secondsUntilDeleted(temporal, world, { n: 2, within: 60 });
    expect(seconds).toBeGreaterThan(10);
    expect(seconds).toBeLessThan(25);
    expect(world.deleted).toEqual([2]);
    expect(world.machine(2)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toContain('default');
  });

  it('leaves one alone that was well again in time', async () => {
    const { world, tell } = await running('recovers');
    await tell(() => world.say(1, 'False'));
    // Not when it looks by itself, each 100 s: this server loses a task in which a timer is called off that fires meanwhile.
    await temporal.pass(190);
    await tell(() => world.say(1, 'True'));
    await temporal.until(() => world.status.currentHealthy === 3);
    // The task that wrote it is over then.
    await temporal.pass(2);
    await tell(() => world.say(1, 'False'));
    await temporal.pass(200);
    expect(world.deleted).toEqual([]);
  });

  it('is not reset by who writes the condition anew every 30 s', async () => {
    const { world, tell } = await running('rewritten');
    const began = temporal.clock.now();
    await tell(() => world.say(1, 'False'));
    for (let n = 1; n <= 12 && world.deleted.length === 0; n += 1) {
      await temporal.pass(30);
      if (world.deleted.length === 0) world.say(1, 'False', { reason: `Reason${n}` });
    }
    expect(world.deleted).toEqual([1]);
    expect((temporal.clock.now() - began) / 1000).toBeLessThan(345);
  });

  it('costs nothing while nothing changes, and ends with its object', async () => {
    const { world, handle, tell } = await running('idle');
    const { historyLength } = await handle.describe();
    const asked = world.requests.length;
    await temporal.pass(3600);
    expect((await handle.describe()).historyLength).toBe(historyLength);
    expect(world.requests).toHaveLength(asked);
    await tell(() => world.lose());
    await temporal.resultOf(handle);
  });

  it('looks once for a change', async () => {
    const { world, tell } = await running('once');
    let looks = 0;
    world.onActivity = (name, run) => {
      if (name === 'surveyHealth') looks += 1;
      return run();
    };
    await tell(() => world.say(1, 'False'));
    await temporal.pass(30);
    expect([world.status.currentHealthy, looks]).toEqual([2, 1]);
  });

  it('looks once a second, however many Nodes change', async () => {
    const { world, tell } = await running('many', { machines: 40 });
    let looks = 0;
    world.onActivity = (name, run) => {
      if (name === 'surveyHealth') looks += 1;
      return run();
    };
    for (let n = 1; n <= 40; n += 1) {
      await tell(() => world.say(n, 'False'));
      if (n % 10 === 0) await temporal.pass(1);
    }
    await temporal.pass(10);
    expect(world.status.currentHealthy).toBe(0);
    // Of each look the status that it wrote is looked at as well.
    expect(looks).toBeLessThanOrEqual(10);
  });

  it('remediates as many at a time as it may, and the next one when a set is whole again', async () => {
    const { world, tell } = await running('paced', { machines: 5, spec: { unhealthyConditions: [SICK] } });
    await tell(() => [1, 2].forEach((n) => world.say(n, 'True', { type: 'Sick' })));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    await temporal.pass(300);
    expect(world.deleted).toHaveLength(1);
    expect(world.condition('InFlightLimit')).toMatchObject({ status: 'True', reason: 'AtLimit' });
    const [first = 0] = world.deleted;
    await tell(() => world.endMachine(first));
    await temporal.pass(30);
    expect(world.deleted).toEqual([]);
    await tell(() => world.add(6));
    await temporal.until(() => world.deleted.length > 0, { within: 120 });
    expect(world.deleted).toEqual([3 - first]);
    expect(world.condition('InFlightLimit')?.status ?? 'False').toBe('False');
  });

  it('remediates none where too many are unhealthy, and says so once', async () => {
    const { world, tell } = await running('restricted', {
      machines: 5,
      spec: { maxUnhealthy: '20%', unhealthyConditions: [SICK] },
    });
    await tell(() => [1, 2].forEach((n) => world.say(n, 'True', { type: 'Sick' })));
    await temporal.pass(300);
    expect(world.deleted).toEqual([]);
    expect(world.condition('RemediationAllowed')).toMatchObject({ status: 'False', reason: 'TooManyUnhealthy' });
    expect(world.status.remediationsAllowed).toBe(0);
    expect(world.events.filter(({ reason }) => reason === 'RemediationRestricted')).toHaveLength(1);
    await tell(() => world.say(1, 'False', { type: 'Sick' }));
    await temporal.until(() => world.deleted.length > 0, { within: 60 });
    expect(world.deleted).toEqual([2]);
  });

  it('takes many at once for a storm: the proved dead go, the others wait until a person says proceed', async () => {
    const { world, tell } = await running('storm', { machines: 10, spec: { unhealthyConditions: [SICK] } });
    await tell(() => {
      for (let n = 1; n <= 8; n += 1) world.say(n, 'True', { type: 'Sick' });
      world.edit(1, ({ status, ...machine }) => ({
        ...machine,
        status: { ...status, providerStatus: { ...status?.providerStatus, instanceState: 'terminated' } },
      }));
    });
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    await temporal.pass(600);
    expect(world.deleted).toEqual([1]);
    expect(world.condition('StormSuspected')).toMatchObject({ status: 'True', reason: 'ManyAtOnce' });
    await tell(() => {
      for (let n = 2; n <= 8; n += 1) world.say(n, 'False', { type: 'Sick' });
    });
    await temporal.until(() => world.condition('StormSuspected')?.status !== 'True', { within: 60 });
    await temporal.pass(300);
    expect(world.deleted).toEqual([1]);
  });

  it('goes on in spite of a storm where a person says so: one at a time first', async () => {
    const { world, tell } = await running('proceeds', { machines: 10, spec: { unhealthyConditions: [SICK] } });
    await tell(() => [1, 2, 3, 4, 5, 6].forEach((n) => world.say(n, 'True', { type: 'Sick' })));
    await temporal.until(() => world.condition('StormSuspected')?.status === 'True', { within: 90 });
    await temporal.pass(120);
    expect(world.deleted).toEqual([]);
    const now = new Date(temporal.clock.timeOfDay()).toISOString();
    await tell(() => world.changeMeta({ annotations: { [PROCEED_ANNOTATION]: now } }));
    await temporal.until(() => world.deleted.length > 0, { within: 30 });
    await temporal.pass(120);
    expect(world.deleted).toHaveLength(1);
  });

  it('asks once more for what the API server refused, and says why it waits', async () => {
    const { world, tell } = await running('refused', { spec: { unhealthyConditions: [SICK] } });
    let refusals = 0;
    world.onRequest = before({ verb: 'delete', resource: MACHINES }, () => {
      if (refusals >= 3) return;
      refusals += 1;
      throw new KubeError(403, 'Forbidden', 'a webhook says no');
    });
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => nextFor(world, 1).includes('a webhook says no'), { within: 90 });
    await temporal.until(() => world.deleted.length > 0, { within: 120 });
    expect([refusals, world.deleted]).toEqual([3, [1]]);
  });

  it('deletes a machine once, also where its worker died right after it', async () => {
    const { world, tell } = await running('dies', { spec: { unhealthyConditions: [SICK] } });
    world.onActivity = diesAfter('remediate');
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    await temporal.pass(120);
    const deletions = world.requests.filter(({ verb, resource }) => verb === 'delete' && resource === MACHINES);
    expect([world.deleted, deletions.length]).toEqual([[1], 1]);
  });

  it('asks once for a machine that goes', async () => {
    const { world, tell } = await running('asks-once', { spec: { unhealthyConditions: [SICK] } });
    let asked = 0;
    world.onActivity = (name, run) => {
      if (name === 'remediate') asked += 1;
      return run();
    };
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    await temporal.pass(300);
    expect(world.status.unhealthyMachines).toMatchObject([{ next: expect.stringContaining('it is being deleted') }]);
    expect(asked).toBe(1);
  });

  it('has a drain end by force where the Node falls silent in its midst, also where the first try to say so came to nothing', async () => {
    const { world, tell } = await running('silent', { spec: { unhealthyConditions: [SICK] } });
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    const onTimeout = () => world.machine(1)?.spec.drain?.onTimeout;
    expect(onTimeout()).toBe('Wait');
    let conflicts = 0;
    world.onRequest = before({ verb: 'mergePatch', resource: MACHINES }, () => {
      if (conflicts > 0) return;
      conflicts += 1;
      throw new KubeError(409, 'Conflict', 'somebody else wrote it');
    });
    await tell(() => world.say(1, 'Unknown'));
    await temporal.pass(5);
    expect([conflicts, onTimeout()]).toEqual([1, 'Wait']);
    await tell(() => {});
    await temporal.until(() => onTimeout() === 'Force', { within: 10 });
  });

  it('has a drain go by the steps as they are edited, whatever place its own has by then', async () => {
    const steps = [{ action: 'Reboot' as const }, { action: 'Replace' as const }];
    const { world, tell } = await running('edited-steps', {
      spec: { unhealthyConditions: [SICK], remediation: { steps } },
    });
    const onTimeout = () => world.machine(1)?.spec.drain?.onTimeout;
    await tell(() =>
      world.edit(1, ({ status, ...machine }) => ({ ...machine, status: { ...status, phase: 'Failed' } })),
    );
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    expect(onTimeout()).toBe('Wait');
    await tell(() => world.change({ remediation: { steps: [{ action: 'Replace', onTimeout: 'Force' }] } }));
    await temporal.until(() => onTimeout() === 'Force', { within: 10 });
    await tell(() => world.change({ remediation: { steps: [{ action: 'Replace' }] } }));
    await temporal.until(() => onTimeout() === 'Wait', { within: 10 });
    await tell(() => world.say(1, 'Unknown'));
    await temporal.until(() => onTimeout() === 'Force', { within: 10 });
  });

  it('says so once a minute where that is refused, however often it looks', async () => {
    const { world, tell } = await running('refused-drain', { spec: { unhealthyConditions: [SICK] } });
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    let tries = 0;
    world.onRequest = before({ verb: 'mergePatch', resource: MACHINES }, () => {
      tries += 1;
      throw new KubeError(403, 'Forbidden', 'a webhook says no');
    });
    await tell(() => world.say(1, 'Unknown'));
    for (let looks = 0; looks < 10; looks += 1) {
      await tell(() => {});
      await temporal.pass(3);
    }
    expect(tries).toBe(1);
    await temporal.pass(60);
    await tell(() => {});
    await temporal.until(() => tries === 2, { within: 10 });
  });

  it('tells later what it could not tell while its status was refused', async () => {
    const { world, tell } = await running('untold', { spec: { maxUnhealthy: 0, unhealthyConditions: [SICK] } });
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => world.status.currentHealthy === 2);
    world.onRequest = before({ verb: 'apply', resource: MACHINE_HEALTH_CHECKS }, () => {
      throw new KubeError(403, 'Forbidden', 'a webhook says no');
    });
    const told = () => world.events.map(({ reason }) => reason);
    await temporal.until(() => told().includes('FailedStatusWrite'), { within: 120 });
    expect(told()).not.toContain('DetectedUnhealthy');
    world.onRequest = (_request, carryOut) => carryOut();
    await temporal.until(() => told().includes('DetectedUnhealthy'), { within: 400 });
    expect(told().filter((reason) => reason === 'DetectedUnhealthy')).toHaveLength(1);
    expect(told()).toContain('RemediationRestricted');
  });

  it('goes on trying to take its claim off, and says that it is there', async () => {
    const steps = [{ action: 'Annotate' as const, key: 'example.com/remedy', value: 'now' }];
    const { world, tell } = await running('held-claim', {
      spec: { unhealthyConditions: [SICK], remediation: { steps } },
    });
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => world.annotationsOf(1)['example.com/remedy'] === 'now', { within: 90 });
    await temporal.pass(2);
    world.onRequest = before({ verb: 'mergePatch', resource: MACHINES }, () => {
      throw new KubeError(403, 'Forbidden', 'a webhook says no');
    });
    await tell(() => world.say(1, 'False', { type: 'Sick' }));
    const cause = () => world.status.unhealthyMachines?.map((one) => one.cause);
    await temporal.until(() => cause()?.[0]?.includes('its claim by this check is to be taken off') === true);
    world.onRequest = (_request, carryOut) => carryOut();
    await temporal.until(() => world.annotationsOf(1)[REMEDIATED_BY_ANNOTATION] === undefined, { within: 90 });
  });

  it('goes by an edit while it remediates: nothing more begins, and what is under way is counted', async () => {
    const { world, tell } = await running('edited', {
      machines: 5,
      spec: { remediation: { maxInFlight: 1 }, unhealthyConditions: [SICK] },
    });
    await tell(() => [1, 2].forEach((n) => world.say(n, 'True', { type: 'Sick' })));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    const [first = 0] = world.deleted;
    await tell(() => world.change({ maxUnhealthy: 0 }));
    await tell(() => world.endMachine(first));
    await tell(() => world.add(6));
    await temporal.pass(300);
    expect(world.deleted).toEqual([]);
    expect(world.condition('RemediationAllowed')).toMatchObject({ status: 'False' });
  });

  it('takes no step by what it saw long before: a storm that came in between holds it', async () => {
    const { world, tell } = await running('long-ago', { machines: 10, spec: { unhealthyConditions: [SICK] } });
    let isLate = false;
    world.onActivity = (name, run) => {
      if (name === 'remediate' && !isLate) {
        isLate = true;
        world.clock.set(40_000);
        for (let n = 2; n <= 8; n += 1) world.say(n, 'True', { type: 'Sick' });
      }
      return run();
    };
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => world.condition('StormSuspected')?.status === 'True', { within: 90 });
    expect(isLate).toBe(true);
    await temporal.pass(120);
    expect(world.deleted).toEqual([]);
  });

  it('begins nothing more when it is deleted while it remediates: the deletion goes on, and another check has the rest', async () => {
    const spec = { remediation: { maxInFlight: 1 }, unhealthyConditions: [SICK] };
    const { world, handle, tell } = await running('dropped', { machines: 5, spec });
    await tell(() => [1, 2].forEach((n) => world.say(n, 'True', { type: 'Sick' })));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    const [first = 0] = world.deleted;
    // The task in which that was done is over then.
    await temporal.pass(2);
    await tell(() => world.lose());
    await temporal.resultOf(handle);
    await temporal.pass(300);
    expect(world.deleted).toEqual([first]);
    expect(world.machine(first)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toContain('dropped');
    // Its place was its own: another check waits for no end of what this one began.
    const other = aMachineHealthCheck('after-dropped', spec);
    world.kube.put(other);
    await temporal.startObject('machineHealthCheck', world, refOf(other));
    await temporal.until(() => world.deleted.length > 1, { within: 90 });
    expect(world.machine(3 - first)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toContain('after-dropped');
  });

  it('leaves what it asked another program for where it is when it is deleted, and another check passes over its claim', async () => {
    const spec = { unhealthyConditions: [SICK] };
    const steps = [{ action: 'Annotate' as const, key: 'example.com/remedy', value: 'now' }];
    const { world, handle, tell } = await running('dropped-in-steps', {
      spec: { ...spec, remediation: { steps: [...steps] } },
    });
    const annotations = () => world.machine(1)?.metadata.annotations ?? {};
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => annotations()['example.com/remedy'] === 'now', { within: 90 });
    await temporal.pass(2);
    await tell(() => world.lose());
    await temporal.resultOf(handle);
    expect(annotations()).toMatchObject({
      'example.com/remedy': 'now',
      [REMEDIATED_BY_ANNOTATION]: expect.stringContaining('dropped-in-steps'),
    });
    const other = aMachineHealthCheck('after-steps', spec);
    world.kube.put(other);
    await temporal.startObject('machineHealthCheck', world, refOf(other));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    expect(annotations()[REMEDIATED_BY_ANNOTATION]).toContain('after-steps');
  });

  it('says what is wrong with an object that no schema has checked, and goes on when it is mended', async () => {
    const { world, tell } = await running('malformed', { spec: { unhealthyConditions: [SICK] } });
    await tell(() => world.change({ maxUnhealthy: 'abc' }));
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.pass(120);
    expect(world.deleted).toEqual([]);
    expect(world.events.map(({ reason }) => reason).filter((reason) => reason === 'FailedValidate')).toHaveLength(1);
    expect(world.condition('RemediationAllowed')).toMatchObject({ status: 'False', reason: 'MalformedObject' });
    expect(world.status).toMatchObject({ unhealthyMachines: [], remediationsAllowed: 0 });
    await tell(() => world.change({ maxUnhealthy: '50%' }));
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
  });

  it('has another program remedy it first, and replaces it where that does not help in time', async () => {
    const steps = [
      { action: 'Annotate', key: 'example.com/remedy', value: 'now', timeout: '2m' },
      { action: 'Replace' },
    ] as const;
    const { world, tell } = await running('stepwise', {
      spec: { unhealthyConditions: [SICK], remediation: { steps: [...steps] } },
    });
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => world.machine(1)?.metadata.annotations?.['example.com/remedy'] === 'now', {
      within: 90,
    });
    await temporal.pass(100);
    expect(world.deleted).toEqual([]);
    await temporal.until(() => world.deleted.length > 0, { within: 60 });
    expect(world.deleted).toEqual([1]);
  });

  it('lets go of a machine that another program has remedied', async () => {
    const steps = [{ action: 'Annotate' as const, key: 'example.com/remedy', value: 'now' }];
    const { world, tell } = await running('remedied', {
      spec: { unhealthyConditions: [SICK], remediation: { steps: [...steps] } },
    });
    await tell(() => world.say(1, 'True', { type: 'Sick' }));
    await temporal.until(() => world.machine(1)?.metadata.annotations?.['example.com/remedy'] === 'now', {
      within: 90,
    });
    await tell(() => world.say(1, 'False', { type: 'Sick' }));
    await temporal.until(() => world.machine(1)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION] === undefined, {
      within: 60,
    });
    await temporal.pass(60);
    expect(world.status).toMatchObject({ currentHealthy: 3 });
    expect(world.deleted).toEqual([]);
  });

  it('ends what a person wished when the program takes its annotation off: no wish, no claim, nobody deleted', async () => {
    const WISH = 'machine.openshift.io/remediate';
    const { world, tell } = await running('wished', {
      spec: { remediation: { steps: [{ action: 'Annotate', key: 'example.com/remedy', value: 'now' }] } },
    });
    await tell(() => world.annotate(1, { [WISH]: 'its disk is slow' }));
    const annotations = () => world.machine(1)?.metadata.annotations ?? {};
    await temporal.until(() => annotations()['example.com/remedy'] === 'now', { within: 30 });
    await temporal.pass(60);
    expect(annotations()[WISH]).toBe('its disk is slow');
    await tell(() =>
      world.edit(1, ({ metadata, ...machine }) => {
        const { 'example.com/remedy': _done, ...rest } = metadata.annotations ?? {};
        return { ...machine, metadata: { ...metadata, annotations: rest } };
      }),
    );
    await temporal.until(() => annotations()[REMEDIATED_BY_ANNOTATION] === undefined, { within: 60 });
    expect(annotations()[WISH]).toBeUndefined();
    await temporal.pass(120);
    expect(annotations()).not.toHaveProperty(['example.com/remedy']);
    expect(world.status).toMatchObject({ currentHealthy: 3 });
    expect(world.deleted).toEqual([]);
  });

  it('marks machines for Metal3 where it is to, those that nobody controls too, and deletes one that is Failed', async () => {
    const MARK = 'host.metal3.io/external-remediation';
    const { world, tell } = await running('bare-metal', {
      machines: 4,
      spec: { unhealthyConditions: [SICK], remediation: { maxInFlight: 3 } },
    });
    const marks = () => [1, 2, 3, 4].map((n) => world.machine(n)?.metadata.annotations?.[MARK]);
    await tell(() => {
      world.changeMeta({ annotations: { 'machine.openshift.io/remediation-strategy': 'external-baremetal' } });
      world.edit(2, ({ metadata, ...machine }) => ({ ...machine, metadata: { ...metadata, ownerReferences: [] } }));
      world.edit(3, ({ status, ...machine }) => ({ ...machine, status: { ...status, phase: 'Failed' } }));
      for (const n of [1, 2]) world.say(n, 'True', { type: 'Sick' });
    });
    await temporal.until(() => marks()[0] !== undefined && marks()[1] !== undefined, { within: 120 });
    expect(marks()).toEqual(['', '', undefined, undefined]);
    await temporal.pass(3600);
    expect(world.deleted).toEqual([3]);
    await tell(() => world.say(1, 'False', { type: 'Sick' }));
    await temporal.until(() => marks()[0] === undefined, { within: 60 });
    expect(world.machine(1)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toBeUndefined();
  });

  it('holds everything while the API server is away and a while after, and does not count that time', async () => {
    const { world, handle, tell } = await running('outage');
    const iso = (at: number): string => new Date(at).toISOString();
    await tell(() => world.say(2, 'Unknown'));
    await temporal.pass(250);
    const from = iso(temporal.clock.now());
    await tell(() => (world.workflows.outages = [{ from }]));
    // Not when it looks by itself, as above.
    await temporal.pass(190);
    expect(world.deleted).toEqual([]);
    expect(world.condition('ApiServerAway')).toMatchObject({ status: 'True', reason: 'RecentOutage' });
    await tell(() => (world.workflows.outages = [{ from, until: iso(temporal.clock.now()) }]));
    // Of five minutes 50 s are left.
    const seconds = await secondsUntilDeleted(temporal, world, { n: 2, within: 120 });
    expect(seconds).toBeGreaterThan(40);
    expect(seconds).toBeLessThan(70);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('ApiServerAway') === undefined);
  });

  it('does so as well where nobody told it, and its own look was not answered', async () => {
    const { world, tell } = await running('own-outage');
    await tell(() => world.say(2, 'Unknown'));
    await temporal.pass(280);
    world.onRequest = () => Promise.reject(new KubeError(0, 'Unreachable', 'connection refused'));
    await temporal.pass(60);
    world.onRequest = (_request, carryOut) => carryOut();
    await temporal.pass(15);
    expect(world.deleted).toEqual([]);
    expect(world.condition('ApiServerAway')).toMatchObject({ status: 'True', reason: 'RecentOutage' });
    // It looked when five minutes were over: a minute later it is known again which Nodes answer.
    const seconds = await secondsUntilDeleted(temporal, world, { n: 2, within: 120 });
    expect(seconds).toBeGreaterThan(20);
    expect(seconds).toBeLessThan(70);
  });

  it('tells all that are not healthy to who asks, of whom the status lists a hundred', async () => {
    const { world, handle, tell } = await running('crowd', { machines: 105 });
    await tell(() => {
      for (let n = 1; n <= 105; n += 1) world.say(n, 'Unknown');
    });
    await temporal.until(() => world.status.currentHealthy === 0);
    const { unhealthy, clusterRules } = await handle.query(checkSightQuery);
    expect([world.status.unhealthyMachines?.length, unhealthy.length]).toEqual([100, 105]);
    expect(unhealthy.slice(0, 100)).toEqual(world.status.unhealthyMachines);
    expect(clusterRules).toEqual(DEFAULT_CLUSTER_RULES);
  });

  it('asks for outages only while there is something to count', async () => {
    const { world, tell } = await running('asks');
    expect(world.workflows.askedForOutages).toBe(0);
    await tell(() => world.say(2, 'Unknown'));
    await temporal.until(() => world.workflows.askedForOutages > 0);
  });
});
