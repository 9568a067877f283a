import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { KubeError } from '../../k8s/kube-error.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { NODES } from '../../k8s/resources.ts';
import { before, straight } from '../world/kubernetes/request.ts';
import { OBJECT_CHANGED } from '../../workflows/failure-types.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { MachineWorld } from '../world/machine-world.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const provisioned = (world: MachineWorld) => () => world.status.phase === 'Provisioned';

function refuse(what: string): never {
  throw new KubeError(403, 'Forbidden', `${what} is forbidden`);
}

describe('a step that Kubernetes does not let through', () => {
  it.each(['writeMachineStatus', 'joinNode', 'recordInstance', 'prepareLaunch'] as const)(
    'ends no life: it is looked at again where the object changed under %s',
    async (name) => {
      const world = new MachineWorld(`changed-${name.toLowerCase()}`, temporal.clock);
      let isChanged = false;
      world.onActivity = async (activity, run) => {
        if (activity !== name || isChanged) return run();
        isChanged = true;
        throw ApplicationFailure.nonRetryable('it changed', OBJECT_CHANGED);
      };
      const handle = await temporal.startMachine(world);
      await temporal.until(provisioned(world), { within: 60 });
      world.nodeRegisters();
      await temporal.signal(handle, changedSignal);
      await temporal.until(() => world.status.phase === 'Running');
      expect(isChanged).toBe(true);
      expect(world.instances).toHaveLength(1);
    },
  );

  it('is told and tried again where it is refused', async () => {
    const world = new MachineWorld('refused', temporal.clock);
    world.onRequest = before({ verb: 'apply', resource: MACHINES, nth: 1 }, () => refuse('machines/status'));
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'KubernetesRefused');
    await temporal.until(provisioned(world), { within: 120 });
    world.nodeRegisters();
    world.onRequest = before({ verb: 'list', resource: NODES }, () => refuse('nodes'));
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting?.reason === 'KubernetesRefused');
    world.onRequest = straight;
    await temporal.until(() => world.status.phase === 'Running', { within: 120 });
    expect(world.instances).toHaveLength(1);
  });
});
