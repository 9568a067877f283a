import { describe, expect, it } from '@jest/globals';
import { KUBERNETES_REFUSED, OBJECT_CHANGED } from '../../workflows/failure-types.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { MachineWorld } from './machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const provisioned = (world: MachineWorld) => () => world.status.phase === 'Provisioned';

describe('a step that Kubernetes does not let through', () => {
  it.each(['writeMachineStatus', 'joinNode', 'recordInstance', 'prepareLaunch'] as const)(
    'ends no life: it is looked at again where the object changed under %s',
    async (name) => {
      const world = new MachineWorld(`changed-${name.toLowerCase()}`, temporal.now);
      world.failNext = { name, type: OBJECT_CHANGED };
      const handle = await temporal.startMachine(world);
      await temporal.until(provisioned(world), { within: 60 });
      world.nodeRegisters();
      await temporal.signal(handle, changedSignal);
      await temporal.until(() => world.status.phase === 'Running');
      expect(world.failNext).toBeUndefined();
      expect(world.instances).toHaveLength(1);
    },
  );

  it('is told and tried again where it is refused', async () => {
    const world = new MachineWorld('refused', temporal.now);
    world.failNext = { name: 'prepareLaunch', type: KUBERNETES_REFUSED };
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'KubernetesRefused');
    await temporal.until(provisioned(world), { within: 120 });
    world.nodeRegisters();
    world.failNext = { name: 'joinNode', type: KUBERNETES_REFUSED };
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'KubernetesRefused');
    await temporal.until(() => world.status.phase === 'Running', { within: 120 });
    expect(world.instances).toHaveLength(1);
  });
});
