import { describe, expect, it } from '@jest/globals';
import { lastTaskOf } from '../../../test/workflow/history-budget.ts';
import { MachineWorld } from '../../../test/workflow/machine-world.ts';
import { DELETED, provisioned, SLOWLY } from '../../../test/workflow/stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { changedSignal } from '../../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('before a Machine goes, its history says what tells that nothing is left', () => {
  it('so a proof by absence is in it before the last step begins', async () => {
    const { world, handle } = await provisioned(temporal, 'proved-absent');
    world.instances = [];
    world.change(DELETED);
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
    const { events } = await handle.fetchHistory();
    expect(lastTaskOf(events ?? [])).toEqual(['observeMachine', 'letGo']);
  });

  it('and so is the end of a launch of unknown outcome, after which nobody suspects an orphan', async () => {
    const world = new MachineWorld('void', temporal.now, SLOWLY);
    world.fateOf = () => 'unansweredNothing';
    const handle = await temporal.startMachine(world);
    await temporal.until(() => world.status.waiting?.reason === 'DeadlineExceeded');
    world.change(DELETED);
    // The first try takes effect and is not answered, as when the worker dies.
    const letGo = world.letGo.bind(world);
    world.letGo = async (request) => {
      await letGo(request);
      return { outcome: 'failed', message: 'the worker dies' };
    };
    await temporal.signal(handle, changedSignal);
    await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
    expect(world.called('reportSuspectedOrphan')).toBe(0);
  });
});

it('says why the object cannot go yet, and lets it go later', async () => {
  const { world, handle } = await provisioned(temporal, 'api-trouble');
  world.looksUntilTerminated = 1;
  world.letGoFailure = 'DELETE nodes/node-1: 500 a webhook is down';
  world.change(DELETED);
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.step === 'Release');
  expect(world.status).toMatchObject({ phase: 'Deleting', waiting: { reason: 'KubernetesUnavailable' } });
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(world.called('terminateInstance')).toBe(1);
});
