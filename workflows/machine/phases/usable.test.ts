import { describe, expect, it } from '@jest/globals';
import { aPass } from '../../../test/workflow/a-pass.ts';
import { provisioned } from '../../../test/workflow/machine-stages.ts';
import type { Temporal } from '../../../test/workflow/temporal.ts';
import { useTemporal } from '../../../test/workflow/use-temporal.ts';
import { NODES } from '../../../k8s/resources.ts';
import { changedSignal } from '../../signals.ts';
import { DONE } from '../answer.ts';
import { usable } from './usable.ts';

const BOOTING = { key: 'booting', effect: 'NoSchedule' } as const;

describe('a machine whose Node is there', () => {
  it('waits for what the condition Usable tells, and for nothing where there is none', () => {
    const says = (reason: string) => ({
      conditions: [{ type: 'Usable', status: 'False' as const, reason, message: 'why', lastTransitionTime: '' }],
    });
    expect(usable(aPass())).toBe(DONE);
    expect(usable(aPass({ status: says('ResourcesMissing') }))).toEqual({
      outcome: 'wait',
      wait: { step: 'BecomeUsable', reason: 'ResourcesMissing', message: 'why' },
      meanwhile: true,
    });
    expect(usable(aPass({ status: says('ElseWhere') }))).toBe(DONE);
  });
});

describe('a machine with startup taints', () => {
  let temporal: Temporal;
  useTemporal((started) => (temporal = started));

  it('puts them on its Node when that joins, says that it waits for them, and does not put them back', async () => {
    const { world, handle } = await provisioned(temporal, 'starting');
    await world.edit({ spec: { startupTaints: [BOOTING] } });
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Running');
    expect(world.nodes[0]?.spec?.taints).toEqual([BOOTING]);
    expect(world.condition('NodeReady')).toMatchObject({ status: 'True' });
    expect(world.condition('Usable')).toMatchObject({ status: 'False', reason: 'StartupTaints' });
    expect(world.status.waiting).toMatchObject({
      step: 'BecomeUsable',
      message: 'Node node-of-starting still has the taint booting:NoSchedule, which goes when it can be used',
    });
    await world.kube.others.mergePatch(NODES, undefined, 'node-of-starting', { spec: { taints: [] } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting === undefined);
    expect(world.condition('Usable')).toBeUndefined();
    expect(world.nodes[0]?.spec?.taints).toEqual([]);
  });

  it('waits for the gates of its spec, which others open', async () => {
    const { world, handle } = await provisioned(temporal, 'gated');
    await world.edit({ spec: { readinessGates: [{ conditionType: 'example.com/Tested' }] } });
    world.nodeRegisters();
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.phase === 'Running');
    expect(world.status.waiting).toMatchObject({
      reason: 'ReadinessGates',
      message: expect.stringContaining('Tested'),
    });
    const conditions = [
      ...(world.object?.status?.conditions ?? []),
      { type: 'example.com/Tested', status: 'True' as const, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ];
    world.overwrite({ status: { ...world.object?.status, conditions } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.status.waiting === undefined);
    expect(world.condition('Usable')).toBeUndefined();
  });
});
