import { describe, expect, it } from '@jest/globals';
import { CAUSE_ANNOTATION } from '../../k8s/model/cause.ts';
import { EXTERNAL_REMEDIATION_ANNOTATION, REMEDIATED_BY_ANNOTATION } from '../../k8s/model/health-claim.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { aCluster } from '../world/builders/a-cluster.ts';
import { aMachineHealthCheck, type MachineHealthCheckSpec } from '../world/builders/a-machine-health-check.ts';
import { refOf } from '../world/builders/metadata.ts';
import type { HealthWorld } from '../world/health-world.ts';
import { nextFor, runningHealthCheck, SICK } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const SKIP = 'machine.openshift.io/skip-remediation';
const ANNOTATE = { action: 'Annotate', key: 'example.com/remedy', value: 'now' } as const;

const running = (name: string, spec: Partial<MachineHealthCheckSpec> = {}, machines = 3) =>
  runningHealthCheck(temporal, name, { machines, spec: { unhealthyConditions: [SICK], ...spec } });
const reasonsOf = (world: HealthWorld) => world.events.map(({ reason }) => reason);

describe('a machine is left alone', () => {
  it('until the time that somebody says', async () => {
    const { world, tell } = await running('until');
    const skip = new Date(temporal.clock.timeOfDay() + 600_000).toISOString();
    await tell(() => {
      world.annotate(1, { [SKIP]: skip });
      world.sicken(1);
    });
    await temporal.pass(595);
    expect(world.deleted).toEqual([]);
    expect(nextFor(world, 1)).toContain(`until ${skip}`);
    await temporal.until(() => world.deleted.length > 0, { within: 10 });
  });

  it.each([
    ['without a time', SKIP, ''],
    ['in words that are no time', SKIP, 'tomorrow'],
    ['by the annotation of Cluster API, with any value', 'cluster.x-k8s.io/skip-remediation', '2020-01-01T00:00:00Z'],
  ])('as long as somebody says so %s', async (_words, key, value) => {
    const { world, tell } = await running(`skip-${value.length}`);
    await tell(() => {
      world.annotate(1, { [key]: value });
      world.sicken(1);
    });
    await temporal.pass(1200);
    expect(world.deleted).toEqual([]);
    await tell(() => world.takeOff(1, key));
    await temporal.until(() => world.deleted.length > 0, { within: 5 });
  });

  it('while the check is paused, which says so; what is bad meanwhile lasts', async () => {
    const { world, tell } = await running('paused');
    await tell(() => world.changeMeta({ annotations: { [PAUSED_ANNOTATION]: '' } }));
    await tell(() => world.sicken(2));
    await temporal.pass(600);
    expect(world.deleted).toEqual([]);
    expect(world.condition('Paused')).toMatchObject({ status: 'True', reason: 'Paused' });
    await tell(() => world.changeMeta({ annotations: {} }));
    await temporal.until(() => world.deleted.length > 0, { within: 5 });
    await temporal.until(() => world.condition('Paused') === undefined);
  });

  it.each<[string, (world: HealthWorld, isPaused: boolean) => void]>([
    [
      'the Machine',
      (world, isPaused) =>
        isPaused ? world.annotate(2, { [PAUSED_ANNOTATION]: '' }) : world.takeOff(2, PAUSED_ANNOTATION),
    ],
    ['its Cluster', (world, isPaused) => world.kube.put(aCluster({ paused: isPaused }))],
  ])('while %s is paused', async (what, pause) => {
    const { world, tell } = await running(`with-${what.length}`);
    await tell(() => {
      pause(world, true);
      world.sicken(2);
    });
    await temporal.pass(600);
    expect(world.deleted).toEqual([]);
    expect(nextFor(world, 2)).toContain('until the pause is over');
    await tell(() => pause(world, false));
    await temporal.until(() => world.deleted.length > 0, { within: 5 });
  });

  it('while another program remedies it', async () => {
    const { world, tell } = await running('external');
    await tell(() => {
      world.annotate(1, { [EXTERNAL_REMEDIATION_ANNOTATION]: '' });
      world.sicken(1);
    });
    await temporal.pass(1200);
    expect(world.deleted).toEqual([]);
    expect(nextFor(world, 1)).toContain('for another program');
    await tell(() => world.takeOff(1, EXTERNAL_REMEDIATION_ANNOTATION));
    await temporal.until(() => world.deleted.length > 0, { within: 5 });
  });

  it('and reported once, where no controller owns it', async () => {
    const { world, tell } = await running('ownerless');
    await tell(() => {
      world.edit(1, ({ metadata, ...machine }) => ({ ...machine, metadata: { ...metadata, ownerReferences: [] } }));
      world.sicken(1);
    });
    await temporal.pass(1200);
    expect([world.deleted, world.annotationsOf(1)[REMEDIATED_BY_ANNOTATION]]).toEqual([[], undefined]);
    expect(reasonsOf(world).filter((reason) => reason === 'SkippedNoController')).toHaveLength(1);
    expect(nextFor(world, 1)).toContain('for a person: no controller owns it');
  });

  it('by every check but the one that acted first, which says so on it', async () => {
    const { world, tell } = await running('first', { remediation: { steps: [ANNOTATE] } });
    const other = aMachineHealthCheck('second', { unhealthyConditions: [{ ...SICK, timeout: '90s' }] });
    world.kube.put(other);
    const second = await temporal.startObject('machineHealthCheck', world, refOf(other));
    await temporal.pass(3);
    await tell(() => world.sicken(1));
    await temporal.signal(second, changedSignal);
    await temporal.pass(1200);
    expect(world.deleted).toEqual([]);
    expect(world.annotationsOf(1)).toMatchObject({
      [ANNOTATE.key]: 'now',
      [REMEDIATED_BY_ANNOTATION]: `first ${world.ref.uid}`,
    });
    // Who selects it no more has it no more.
    await tell(() => world.change({ selector: { matchLabels: { set: 'others' } } }));
    await temporal.until(() => world.annotationsOf(1)[REMEDIATED_BY_ANNOTATION] === undefined, { within: 10 });
    expect(world.annotationsOf(1)).not.toHaveProperty([ANNOTATE.key]);
    await temporal.signal(second, changedSignal);
    await temporal.until(() => world.deleted.length > 0, { within: 10 });
    expect(world.annotationsOf(1)[REMEDIATED_BY_ANNOTATION]).toContain('second');
  });
});

describe('a machine for which the cloud has no room', () => {
  const SIZE = 'machine.openshift.io/cluster-api-autoscaler-node-group-';
  const failed = { phase: 'Failed', errorReason: 'InsufficientResources', errorMessage: 'no room' } as const;

  it.each([
    ['is left to cluster-autoscaler for ten minutes, where that may take one away from its set', { least: 1 }, 600],
    ['is replaced at once, where its set is as small as it may be', { least: 3 }, 0],
    ['is replaced at once, where nobody scales its set', {}, 0],
  ])('%s', async (_words, { least }: { least?: number }, seconds) => {
    const { world, tell } = await running(`room-${least ?? 'none'}`, {}, 2);
    await tell(() => {
      world.scaleSet(3, least === undefined ? {} : { [`${SIZE}min-size`]: `${least}`, [`${SIZE}max-size`]: '5' });
      world.add(3, { status: failed }, null);
    });
    if (seconds > 0) {
      await temporal.pass(seconds - 5);
      expect(world.deleted).toEqual([]);
      expect(nextFor(world, 3)).toContain('for cluster-autoscaler');
    }
    await temporal.until(() => world.deleted.includes(3), { within: 10 });
  });
});

describe('a machine that a person wants remediated', () => {
  it.each([
    ['machine.openshift.io/remediate', 'its disk is slow'],
    ['cluster.x-k8s.io/remediate-machine', ''],
  ])('by %s is replaced at once, though it is well, and says why', async (key, reason) => {
    const { world, tell } = await running(`wished-${reason.length}`);
    await tell(() => world.annotate(2, { [key]: reason }));
    await temporal.until(() => world.deleted.length > 0, { within: 5 });
    expect(world.deleted).toEqual([2]);
    const why = `somebody wants it remediated${reason === '' ? '' : `: ${reason}`}`;
    expect(world.annotationsOf(2)[CAUSE_ANNOTATION]).toContain(why);
    expect(world.events.find(({ reason: is }) => is === 'MachineDeleted')?.message).toContain(why);
  });

  it('is left alone all the same where another one wants that', async () => {
    const { world, tell } = await running('both');
    await tell(() => world.annotate(2, { 'machine.openshift.io/remediate': 'slow', [SKIP]: '' }));
    await temporal.pass(1200);
    expect(world.deleted).toEqual([]);
  });
});

describe('machines of a control plane', () => {
  it('are remediated one at a time, and others by them', async () => {
    const { world, tell } = await running('control-plane', { remediation: { maxInFlight: 5 } }, 7);
    await tell(() => {
      for (const n of [1, 2]) world.label(n, { 'node-role.kubernetes.io/control-plane': '' });
      world.sicken(1, 2, 3);
    });
    await temporal.until(() => world.deleted.length === 2, { within: 70 });
    await temporal.pass(600);
    const [first = 0] = world.deleted;
    expect(world.deleted).toEqual([first, 3]);
    expect(nextFor(world, 3 - first)).toContain('another control-plane machine');
    await tell(() => world.endMachine(first));
    await temporal.pass(60);
    expect(world.deleted).toEqual([3]);
    await tell(() => [8, 9].forEach((n) => world.add(n)));
    await temporal.until(() => world.deleted.includes(3 - first), { within: 10 });
  });
});
