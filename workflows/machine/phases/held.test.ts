import { describe, expect, it } from '@jest/globals';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { DELETED } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const MESSAGE = 'spec.taints must be an array';

describe('a stored Machine that is not what its schema allows', () => {
  it('is left alone and told so once, and goes on when it is mended', async () => {
    const world = new MachineWorld('mended', temporal.now);
    world.change({ malformed: { message: MESSAGE, isStatusReadable: true } });
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'MalformedObject');
    expect(world.status.waiting?.message).toContain(MESSAGE);
    await temporal.signal(handle, changedSignal);
    await temporal.pass(3600);
    expect(world.called('prepareLaunch')).toBe(0);
    expect(world.events.map((e) => e.reason)).toEqual(['FailedValidate']);
    const { malformed: _mended, ...wellFormed } = world.object ?? fail();
    world.object = wellFormed;
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Provisioned');
  });

  it('keeps a status that cannot be read, also while it is being deleted', async () => {
    const world = new MachineWorld('unreadable', temporal.now);
    world.change({ malformed: { message: 'status.addresses must be an array', isStatusReadable: false } });
    world.change(DELETED);
    await temporal.startMachine(world);
    await temporal.until(() => world.events.length === 1);
    await temporal.pass(3600);
    expect(world.called('writeMachineStatus')).toBe(0);
    expect(world.called('letGo')).toBe(0);
  });
});

function fail(): never {
  throw new Error('the machine is gone');
}
