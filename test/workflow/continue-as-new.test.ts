import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import type { Outage } from '../../workflows/machine-health-check/health-activities.ts';
import { apiServerAwaySignal, outagesQuery } from '../../workflows/safety/messages.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { before } from '../world/kubernetes/request.ts';
import { MachineWorld } from '../world/machine-world.ts';
import { realMachineSet } from './real-machine-set.ts';
import { Temporal } from './temporal.ts';

const SLOWLY = { first: 0.2, most: 0.2 };

let temporal: Temporal;
beforeAll(async () => {
  temporal = await Temporal.suggestingContinueAsNewAfter(40);
}, 120_000);
afterEach(() => temporal.endAll());
afterAll(() => temporal.stop());

describe('a workflow whose history grew long', () => {
  it('continues as new with its attempt: tokens go on where they were, and one instance comes of it', async () => {
    const backoff = { ...DEFAULT_MACHINE_SETTINGS.backoff, exhausted: SLOWLY };
    const world = new MachineWorld('long-lived', temporal.clock, { settings: { backoff } });
    world.cloud.behave({ capacity: 0 });
    const handle = await temporal.startMachine(world);
    const latest = temporal.client.workflow.getHandle(handle.workflowId);
    const runs = new Set<string>();
    const deadline = Date.now() + 30_000;
    while (runs.size < 3 && Date.now() < deadline) {
      runs.add((await latest.describe()).runId);
      await delay(100);
    }
    world.cloud.behave({});
    while (world.status.phase !== 'Provisioned' && Date.now() < deadline) await delay(50);
    expect(runs.size).toBe(3);
    expect(world.instances).toHaveLength(1);
    expect(world.launches.map(({ token }) => token)).toEqual(world.launches.map((_call, i) => world.token(i + 1)));
  }, 40_000);

  it('continues as new with what its set was refused: that is tried again when its time has come', async () => {
    const { world, start } = realMachineSet(temporal, 'refused', { replicas: 1 });
    const tries: number[] = [];
    world.onRequest = before({ verb: 'create' }, () => {
      tries.push(Date.now());
      throw new KubeError(403, 'Forbidden', 'denied');
    });
    const handle = await start();
    const latest = temporal.client.workflow.getHandle(handle.workflowId);
    const runs = new Set<string>();
    const deadline = Date.now() + 30_000;
    while ((runs.size < 3 || tries.length < 2) && Date.now() < deadline) {
      await latest.signal(changedSignal);
      runs.add((await latest.describe()).runId);
      await delay(50);
    }
    expect(runs.size).toBeGreaterThanOrEqual(3);
    const [first = 0, second = 0] = tries;
    expect(second - first).toBeGreaterThanOrEqual(5_000);
  }, 40_000);

  it('continues as new with the outages that it was told', async () => {
    const { workflowId } = await temporal.startSafety('long-lived');
    const latest = temporal.client.workflow.getHandle(workflowId);
    const { runId } = await latest.describe();
    const deadline = Date.now() + 30_000;
    const at = (n: number): string => new Date(Date.now() - n * 60_000).toISOString();
    const told: Outage[] = [];
    while ((await latest.describe()).runId === runId && Date.now() < deadline) {
      const outage = { from: at(1000 - 2 * told.length), until: at(999 - 2 * told.length) };
      told.push(outage);
      await latest.signal(apiServerAwaySignal, outage);
      await delay(50);
    }
    expect((await latest.describe()).runId).not.toBe(runId);
    expect(await latest.query(outagesQuery)).toEqual(told);
  }, 40_000);
});
