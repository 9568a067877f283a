import { describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { readRebootWish, REBOOT_ANNOTATION } from '../../k8s/model/reboot.ts';
import type { HealthWorld } from '../world/health-world.ts';
import { runningHealthCheck, SICK } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const REMEDY = 'example.com/remedy';
const wish = (world: HealthWorld, n: number) => readRebootWish(world.annotationsOf(n)[REBOOT_ANNOTATION]);

/** A check of five machines, one at a time of which is remediated, and the first of which nobody controls and is sick. */
async function sickOrphan(name: string, first: object) {
  const spec = {
    unhealthyConditions: [SICK],
    nodeStartupTimeout: '5m',
    remediation: { steps: [first, { action: 'Replace' }] },
  } as object;
  const { world, tell } = await runningHealthCheck(temporal, name, { machines: 5, spec });
  await tell(() => {
    world.edit(1, ({ metadata, ...machine }) => ({ ...machine, metadata: { ...metadata, ownerReferences: [] } }));
    world.sicken(1);
  });
  return { world, tell };
}

describe('a machine that nobody controls', () => {
  it('keeps no other one waiting when the program that was to remedy it has had its time, and is reported', async () => {
    const annotate = { action: 'Annotate', key: REMEDY, value: 'now', timeout: '2m' };
    const { world, tell } = await sickOrphan('annotated', annotate);
    await temporal.until(() => world.annotationsOf(1)[REMEDY] === 'now', { within: 90 });
    await temporal.pass(150);
    await tell(() => world.sicken(2));
    await temporal.until(() => world.annotationsOf(2)[REMEDY] === 'now', { within: 900, step: 10 });
    expect(world.events.map(({ reason }) => reason)).toContain('SkippedNoController');
    expect(world.deleted).not.toContain(1);
  });

  it('keeps no other one waiting when its reboot has not helped, and is reported', async () => {
    const { world, tell } = await sickOrphan('rebooted', { action: 'Reboot' });
    await temporal.until(() => wish(world, 1) !== undefined, { within: 90 });
    await tell(() => {
      const now = new Date(temporal.clock.timeOfDay()).toISOString();
      const reboot = { id: wish(world, 1)?.id, state: 'Sent', bootID: 'boot-1', sentAt: now, times: [now] };
      world.edit(1, (machine) => {
        const providerStatus = { ...machine.status?.providerStatus, reboot };
        return { ...machine, status: { ...machine.status, providerStatus } } as MachineObject;
      });
    });
    await temporal.pass(320);
    await tell(() => world.sicken(2));
    await temporal.until(() => wish(world, 2) !== undefined, { within: 900, step: 10 });
    expect(world.events.map(({ reason }) => reason)).toContain('SkippedNoController');
    expect(world.deleted).not.toContain(1);
  });
});
