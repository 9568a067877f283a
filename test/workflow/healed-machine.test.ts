import { expect, describe, it } from '@jest/globals';
import { REBOOT_ANNOTATION } from '../../k8s/model/reboot.ts';
import { NODES } from '../../k8s/resources.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { aMachineHealthCheck } from '../world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../world/builders/a-machine-set.ts';
import { refOf } from '../world/builders/metadata.ts';
import type { MachineWorld } from '../world/machine-world.ts';
import { busyMachine, nodeOf } from './drained-machine.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

/** What the Node's kubelet, or who watches it, says. */
async function say(world: MachineWorld, ready: string, bootID: string): Promise<void> {
  const lastTransitionTime = new Date(world.clock.timeOfDay()).toISOString();
  const status = { conditions: [{ type: 'Ready', status: ready, lastTransitionTime }], nodeInfo: { bootID } };
  await world.kube.others.mergePatch(NODES, undefined, nodeOf(world), { status }, { subresource: 'status' });
}

/** A machine that runs, and its health check, each with its workflow. */
async function checked(name: string) {
  const { world, handle } = await busyMachine(temporal, name);
  const spec = { remediation: { steps: [{ action: 'Reboot' }, { action: 'Replace' }] } } as object;
  const check = aMachineHealthCheck(`check-of-${name}`, spec);
  world.kube.put(check, aMachineSet({ replicas: 1 }));
  const checking = await temporal.startObject('machineHealthCheck', world, refOf(check));
  await say(world, 'True', 'boot-1');
  await temporal.pass(5);
  /** Something changes, and the watcher tells both. */
  const tell = async (change: () => unknown = () => {}): Promise<void> => {
    await change();
    await temporal.signal(checking, changedSignal);
    if (world.object !== undefined) await temporal.signal(handle, changedSignal);
  };
  let told: string | undefined;
  /** The watcher sees what they write of the Machine as well. */
  const until = async (holds: () => boolean, within: number): Promise<void> => {
    const began = temporal.clock.now();
    while (!holds()) {
      if (temporal.clock.now() - began > within * 1000)
        throw new Error(`not so after ${within} s: ${holds.toString()}`);
      await temporal.pass(15);
      const version = world.object?.metadata.resourceVersion;
      if (version !== told) await tell();
      told = version;
    }
  };
  return { world, tell, until };
}

const callsOf = (world: MachineWorld) =>
  (['launch', 'reboot', 'terminate'] as const).map((action) => world.cloud.calls(action).length);

describe('a machine whose Node falls silent', () => {
  it('is rebooted once by its check, also where the workers are killed before the verdict', async () => {
    const { world, tell, until } = await checked('rebooted');
    await tell(() => say(world, 'Unknown', 'boot-1'));
    await until(() => world.cloud.calls('reboot').length > 0, 320);
    await temporal.withoutWorkers(60);
    await tell(() => say(world, 'True', 'boot-2'));
    await until(() => world.object?.metadata.annotations?.[REBOOT_ANNOTATION] === undefined, 90);
    await temporal.pass(900);
    await tell();
    await temporal.pass(5);
    expect(callsOf(world)).toEqual([1, 1, 0]);
    expect(world.object?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('is deleted with its instance where a reboot has not helped in ten minutes, also where the workers are killed meanwhile', async () => {
    const { world, tell, until } = await checked('replaced');
    const began = temporal.clock.now();
    await tell(() => say(world, 'Unknown', 'boot-1'));
    await until(() => world.cloud.calls('reboot').length > 0, 320);
    await until(() => world.object?.metadata.deletionTimestamp !== undefined, 620);
    expect((temporal.clock.now() - began) / 60_000).toBeGreaterThan(15);
    await temporal.withoutWorkers(60);
    await until(() => world.object === undefined, 1800);
    expect(callsOf(world)).toEqual([1, 1, 1]);
  });
});
