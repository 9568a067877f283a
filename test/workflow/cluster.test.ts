import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { CLUSTERS } from '../../k8s/dialects/openshift/resources.ts';
import { changedSignal } from '../../workflows/signals.ts';
import { aMachine } from '../world/builders/a-machine.ts';
import { before } from '../world/kubernetes/request.ts';
import { realCluster } from './real-cluster.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

describe('a Cluster', () => {
  it('says how many machines it has, once in ten seconds however often it is told', async () => {
    const { world, start } = realCluster(temporal, 'counted');
    const handle = await start();
    await temporal.until(() => world.status.machines === 0);
    for (let n = 1; n <= 30; n += 1) {
      world.kube.put(aMachine({ name: `m-${n}`, cluster: 'counted' }));
      await temporal.signal(handle, changedSignal);
      await temporal.pass(1);
    }
    await temporal.until(() => world.status.machines === 30);
    const gaps = world.writes.slice(1).map(({ at }, i) => at - (world.writes[i]?.at ?? 0));
    expect(gaps.length).toBeGreaterThanOrEqual(3);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(9_000);
  });

  it('costs nothing while nothing changes, and ends with its object', async () => {
    const { world, start } = realCluster(temporal, 'idle');
    const handle = await start();
    await temporal.until(() => world.status.machines === 0);
    const { historyLength } = await handle.describe();
    await temporal.pass(3600);
    expect((await handle.describe()).historyLength).toBe(historyLength);
    expect(world.writes).toHaveLength(1);
    world.lose();
    await temporal.signal(handle, changedSignal);
    await temporal.resultOf(handle);
  });

  it('says by an event, once, that its status cannot be written, and goes on when it can', async () => {
    const { world, start } = realCluster(temporal, 'refused');
    let refusals = 0;
    world.onRequest = before({ verb: 'apply', resource: CLUSTERS }, () => {
      if (refusals >= 15) return;
      refusals += 1;
      throw new KubeError(403, 'Forbidden', 'denied');
    });
    await start();
    await temporal.until(() => world.status.machines === 0, { within: 120 });
    expect(world.events.map(({ reason }) => reason)).toEqual(['FailedStatusWrite']);
  });
});
