import { describe, expect, it } from '@jest/globals';
import { MACHINE_HEALTH_CHECKS } from '../../../k8s/dialects/openshift/resources.ts';
import { REBOOT_ANNOTATION } from '../../../k8s/model/reboot.ts';
import { aPass } from '../../../test/workflow/a-pass.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { annotationsOf, isCordoned, reboots, wantedReboot } from '../../../test/workflow/wanted-reboot.ts';
import { inspectSignal } from '../../signals.ts';
import { DONE } from '../answer.ts';
import { rebootWithdrawn } from './reboot-withdrawn.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const WEB = { name: 'web-1', labels: { app: 'web' } };

describe('a machine that has failed', () => {
  it('is not looked at where nobody wants it rebooted', async () => {
    expect(await rebootWithdrawn(aPass())).toBe(DONE);
  });

  it('and whose check is gone takes pods again, although nobody replaces it', async () => {
    const { world, handle, check } = await wantedReboot(temporal, 'failed-since', { pods: [WEB] });
    await temporal.until(() => reboots(world).length > 0);
    await world.cloud.end(world.instanceId);
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.phase === 'Failed');
    expect(isCordoned(world)).toBe(true);
    world.kube.drop(MACHINE_HEALTH_CHECKS, 'default', check.metadata.name);
    await temporal.until(() => !isCordoned(world), { within: 700, step: 10 });
    expect(annotationsOf(world)).not.toHaveProperty([REBOOT_ANNOTATION]);
    expect([world.status.phase, reboots(world).length]).toEqual(['Failed', 1]);
  });

  it('and whose check stands behind its wish stays cordoned', async () => {
    const { world, handle } = await wantedReboot(temporal, 'failed-wanted', { pods: [WEB] });
    await temporal.until(() => reboots(world).length > 0);
    await world.cloud.end(world.instanceId);
    await temporal.signal(handle, inspectSignal);
    await temporal.until(() => world.status.phase === 'Failed');
    await temporal.pass(700);
    expect([isCordoned(world), annotationsOf(world)]).toEqual([
      true,
      expect.objectContaining({ [REBOOT_ANNOTATION]: expect.any(String) }),
    ]);
    expect(reboots(world)).toHaveLength(1);
  });
});
