import { describe, expect, it } from '@jest/globals';
import { eventsOf, provisioned, runningMachine, silentLaunch } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a machine and its Node', () => {
  it('are linked when the Node registers, Ready or not', async () => {
    const { world, handle } = await provisioned(temporal, 'linked');
    world.nodeRegisters('False');
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Running');
    expect(world.status.nodeRef?.name).toBe('node-of-linked');
    expect(world.condition('NodeReady')).toMatchObject({ status: 'False', reason: 'NodeNotReady' });
    expect(eventsOf(world, 'SuccessfulSetNodeRef')).toHaveLength(1);
  });

  it('are linked at once where it had joined before anybody knew that the instance is the machine’s: nobody tells of it again', async () => {
    const { world } = await silentLaunch(temporal, 'early', 'instance');
    world.nodeRegisters();
    await temporal.until(() => world.status.instance !== undefined, { within: 900, step: 1 });
    await temporal.until(() => world.status.phase === 'Running', { within: 10 });
    expect(world.status.nodeRef?.name).toBe('node-of-early');
  });

  it('have the same providerID, or the machine says that they have not', async () => {
    const { world, handle } = await runningMachine(temporal, 'renamed');
    expect(world.condition('ProviderIDsEqual')).toBeUndefined();
    const node = world.nodes[0];
    if (node === undefined) throw new Error('there is no Node');
    const name = node.metadata.name;
    const renamed = { ...node, spec: { ...node.spec, providerID: `simulated:///${world.instanceId}` } };
    world.kube.put(renamed);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('ProviderIDsEqual') !== undefined);
    expect(world.condition('ProviderIDsEqual')).toMatchObject({ status: 'False', reason: 'ProviderIDsDiffer' });
    expect(world.condition('ProviderIDsEqual')?.message).toContain(
      `Node ${name} says simulated:///${world.instanceId}`,
    );
    expect(eventsOf(world, 'ProviderIDsDiffer')).toHaveLength(1);
    world.kube.put({ ...node });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('ProviderIDsEqual') === undefined);
    expect(world.status.phase).toBe('Running');
  });

  it('are not each other’s any more where the Node comes to name another instance', async () => {
    const { world, handle } = await runningMachine(temporal, 'mistaken');
    const node = world.nodes[0];
    if (node === undefined) throw new Error('there is no Node');
    const mistaken = { ...node, spec: { ...node.spec, providerID: 'simulated:///zone-a/i-other' } };
    world.kube.put(mistaken);
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.reason === 'NodeMissing');
    expect(world.condition('NodeReady')).toMatchObject({
      status: 'Unknown',
      message: expect.stringContaining(
        "Node node-of-mistaken is another instance's, as its providerID simulated:///zone-a/i-other says",
      ),
    });
    expect(world.condition('ProviderIDsEqual')?.message).toContain('says simulated:///zone-a/i-other');
    expect(world.status.waiting).toMatchObject({ reason: 'NodeMissing' });
    world.kube.put({ ...node });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.status === 'True');
    expect(world.condition('ProviderIDsEqual')).toBeUndefined();
  });

  it('stay linked by what is on record when the Node goes, which is said', async () => {
    const { world, handle } = await runningMachine(temporal, 'left');
    world.nodeGoes();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.reason === 'NodeMissing');
    expect(world.condition('NodeReady')?.message).toContain('node-of-left was deleted');
    expect(world.status.nodeRef?.name).toBe('node-of-left');
  });
});
