import { describe, expect, it } from '@jest/globals';
import { REMEDIATED_BY_ANNOTATION } from '../../k8s/model/health-claim.ts';
import { aMachineHealthCheck, type MachineHealthCheckSpec } from '../world/builders/a-machine-health-check.ts';
import { refOf } from '../world/builders/metadata.ts';
import type { HealthWorld } from '../world/health-world.ts';
import { expectDeleted as deletedAfter } from './expect-deleted.ts';
import { nextFor, realHealthCheck, runningHealthCheck, secondsUntilDeleted } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const running = (name: string, spec: Partial<MachineHealthCheckSpec> = {}) =>
  runningHealthCheck(temporal, name, { spec });
const until = (world: HealthWorld, n: number, within: number) => secondsUntilDeleted(temporal, world, { n, within });
const expectDeleted = (world: HealthWorld, n: number, seconds: number) => deletedAfter(temporal, world, n, seconds);
/** The time so many seconds ago. */
const ago = (seconds: number): number => temporal.clock.timeOfDay() - seconds * 1000;
const iso = (at: number): string => new Date(at).toISOString();

describe('a machine is unhealthy', () => {
  it('at once, when it is Failed or its Node is gone', async () => {
    const { world, tell } = await running('at-once', { remediation: { maxInFlight: 3 } });
    await tell(() => {
      world.edit(1, ({ status, ...machine }) => ({
        ...machine,
        status: { ...status, phase: 'Failed', errorReason: 'CreateError', errorMessage: 'no such image' },
      }));
      world.loseNode(2);
    });
    await temporal.until(() => world.deleted.length === 2, { within: 5 });
    expect(world.deleted).toEqual([1, 2]);
    const told = world.events.filter(({ reason }) => reason === 'DetectedUnhealthy').map(({ message }) => message);
    expect(told).toEqual([
      expect.stringContaining('it is Failed: CreateError: no such image'),
      expect.stringContaining('its Node n-2 is gone'),
    ]);
  });

  it('ten minutes after the launch of its instance, when its Node has not come', async () => {
    const { world, tell } = await running('never-joined');
    await tell(() => world.add(4, { launch: { preparedAt: iso(ago(240)) } }, null));
    await temporal.pass(1);
    expect(world.status.unhealthyMachines).toMatchObject([{ name: 'm-4', since: iso(ago(241)) }]);
    await expectDeleted(world, 4, 360);
  });

  it('not before ten minutes have passed since the cloud took the launch, which it may have refused for long', async () => {
    const { world, tell } = await running('taken-late');
    await tell(() => world.add(4, { status: { phase: 'Provisioning' } }, null));
    await temporal.pass(400);
    await tell(() =>
      world.edit(4, ({ status, ...machine }) => ({
        ...machine,
        status: {
          ...status,
          conditions: [{ type: 'MachineCreation', status: 'True', lastTransitionTime: iso(ago(0)) }],
        },
      })),
    );
    await expectDeleted(world, 4, 600);
  });

  it('never for want of a Node, when nodeStartupTimeout is 0; and at once when it is edited to a time that is over', async () => {
    const { world, tell } = await running('any-time', { nodeStartupTimeout: '0' });
    await tell(() => world.add(4, {}, null));
    await temporal.pass(7200);
    expect(world.deleted).toEqual([]);
    expect(nextFor(world, 4)).toContain('only counts as not healthy');
    await tell(() => world.change({ nodeStartupTimeout: '20m' }));
    await until(world, 4, 5);
  });

  it.each([
    ['True', 'KernelDeadlock'],
    ['False', 'GPUHealthy'],
  ] as const)('when a condition is %s for too long that is bad when it is so', async (status, type) => {
    const rule = { type, status, timeout: '2m' } as const;
    const { world, tell } = await running(`bad-${type.toLowerCase()}`, { unhealthyConditions: [rule] });
    await tell(() => {
      world.say(1, status, { type });
      world.say(2, status === 'True' ? 'False' : 'True', { type });
      world.say(3, 'Unknown', { type });
    });
    await expectDeleted(world, 1, 120);
    await temporal.pass(600);
    expect(world.deleted).toEqual([1]);
  });

  it('when a condition of the Machine itself is bad for too long', async () => {
    const unhealthyMachineConditions = [{ type: 'Burnt', status: 'True', timeout: '2m' }] as const;
    const { world, tell } = await running('of-machine', {
      unhealthyMachineConditions: [...unhealthyMachineConditions],
    });
    await tell(() =>
      world.edit(2, ({ status, ...machine }) => ({
        ...machine,
        status: { ...status, conditions: [{ type: 'Burnt', status: 'True', lastTransitionTime: iso(ago(0)) }] },
      })),
    );
    await expectDeleted(world, 2, 120);
  });

  it('whatever its heartbeats say: who writes them may have died of what it reported', async () => {
    const { world, tell } = await running('heartbeats');
    const lastHeartbeatTime = iso(ago(3600));
    const beat = (n: number, status: 'True' | 'False') => {
      world.say(n, status);
      const { status: said, ...node } = world.node(n)!;
      const conditions = said?.conditions?.map((condition) => ({ ...condition, lastHeartbeatTime })) ?? [];
      world.putNode({ ...node, status: { ...said, conditions } });
    };
    await tell(() => {
      beat(1, 'True');
      beat(2, 'False');
    });
    await expectDeleted(world, 2, 300);
    await temporal.pass(1200);
    expect(world.deleted).toEqual([2]);
  });
});

describe('by rules of the cluster', () => {
  const RULES = 'items: [{name: NetworkUnavailable, timeout: 2m, status: True}]';

  it('which are edited while it runs, a machine is unhealthy in place of the default; broken ones leave the last ones in force', async () => {
    const { world, tell } = await running('cluster-rules');
    await tell(() => {
      world.writeRules(RULES);
      world.say(1, 'Unknown');
      world.say(2, 'True', { type: 'NetworkUnavailable' });
    });
    await temporal.pass(60);
    await tell(() => world.writeRules('items: nonsense'));
    await temporal.until(() => world.condition('RulesValid') !== undefined);
    expect(world.condition('RulesValid')).toMatchObject({ status: 'False', reason: 'BrokenRules' });
    expect(world.events.filter(({ reason }) => reason === 'BrokenRules')).toHaveLength(1);
    await expectDeleted(world, 2, 58);
    await temporal.pass(600);
    expect(world.deleted).toEqual([2]);
    await tell(() => world.writeRules(RULES));
    await temporal.until(() => world.condition('RulesValid') === undefined);
  });

  it('or the default, a machine is unhealthy for a check of healthchecking.openshift.io, which names its Machines only', async () => {
    const { world } = realHealthCheck(temporal, 'unused');
    const check = {
      ...aMachineHealthCheck('of-the-seed'),
      apiVersion: 'healthchecking.openshift.io/v1alpha1',
    };
    world.kube.put(check);
    await temporal.startObject('machineHealthCheck', world, refOf(check));
    await temporal.pass(10);
    world.say(2, 'Unknown');
    await temporal.signal(temporal.client.workflow.getHandle('machinehealthcheck/of-the-seed'), 'changed');
    await expectDeleted(world, 2, 300);
    expect(world.machine(2)?.metadata.annotations?.[REMEDIATED_BY_ANNOTATION]).toContain('of-the-seed');
  });
});
