import { describe, expect, it } from '@jest/globals';
import { eventsOf, provisioned, runningMachine } from '../../../test/workflow/machine-stages.ts';
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

  it('stay linked by what is on record when the Node goes, which is said', async () => {
    const { world, handle } = await runningMachine(temporal, 'left');
    world.nodeGoes();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.condition('NodeReady')?.reason === 'NodeMissing');
    expect(world.condition('NodeReady')?.message).toContain('node-of-left was deleted');
    expect(world.status.nodeRef?.name).toBe('node-of-left');
  });
});
