import { describe, expect, it } from '@jest/globals';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import { aCluster } from '../../../test/world/builders/a-cluster.ts';
import { aNode } from '../../../test/world/builders/a-node.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a Machine that comes with an instance', () => {
  it('adopts the one that its providerID names, and never launches', async () => {
    const world = new MachineWorld('adopted', temporal.clock, { known: {} });
    world.kube.put(aCluster({ name: 'c1' }));
    const { id, providerID } = await world.cloud.launch({ name: 'adopted', cluster: 'c1' });
    await world.edit({ spec: { providerID } });
    world.kube.put(aNode({ providerID }));
    await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Running');
    expect(world.status.instance?.id).toBe(id);
    expect(world.cloud.calls('launch')).toHaveLength(1);
  });
});
