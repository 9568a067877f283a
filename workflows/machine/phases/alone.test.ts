import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../../providers/provider-error.ts';
import { provisioned, statesOf } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { straight } from '../../../test/world/kubernetes/request.ts';
import { MachineWorld } from '../../../test/world/machine-world.ts';
import type { CloudPassage } from '../../../test/world/world-cloud.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** The cloud makes an instance and says of the first call that it made none. */
function lyingOnce(): CloudPassage {
  let isFirst = true;
  return async ({ action }, carryOut) => {
    const answer = await carryOut();
    if (action !== 'launch' || !isFirst) return answer;
    isFirst = false;
    throw new ProviderError('ResourceExhausted', 'no capacity', { provesNoInstance: true });
  };
}

/** Look-ups by the uid are turned away. */
const blind: CloudPassage = async ({ filters }, carryOut) => {
  if (filters?.machineUid !== undefined) throw new ProviderError('Throttled', 'too many requests');
  return carryOut();
};

describe('a deletion', () => {
  it('ends every instance that the Machine launched, where more than one attempt was called', async () => {
    const world = new MachineWorld('attempts', temporal.clock);
    world.cloud.onRequest = lyingOnce();
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 200 });
    expect(world.instances).toHaveLength(2);
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(statesOf(world)).toEqual(['terminated', 'terminated']);
  });

  it('does not go on while it cannot be told whether there is another one', async () => {
    const world = new MachineWorld('blind', temporal.clock);
    world.cloud.onRequest = lyingOnce();
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.phase === 'Provisioned', { within: 200 });
    world.cloud.onRequest = blind;
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.pass(100);
    expect([world.object, statesOf(world).includes('running')]).toEqual([expect.anything(), true]);
    world.cloud.onRequest = straight;
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  });

  it('looks for no other where one call was answered with the one instance', async () => {
    const { world, handle } = await provisioned(temporal, 'clean');
    await world.delete();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    expect(world.lookUps).toEqual([]);
  });
});
