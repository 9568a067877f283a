import { expect, it } from '@jest/globals';
import { simulatedFaultCloud } from '../../faults/fault-cloud.ts';
import { runKillMatrix } from '../../faults/kill-matrix.ts';
import { REPLACED } from '../../faults/lives/replaced.ts';

it(
  'a worker killed when a health check deletes a machine, and when its set makes another one, leaves one replacement, by the ledger of the cloud',
  async () => {
    const points = ['DELETE machines #1', 'CREATE machines #1'];
    const { lines, notHit, notHeld } = await runKillMatrix(simulatedFaultCloud(), 'replaced', points, {
      life: REPLACED,
    });
    console.log(lines.join('\n'));
    expect(notHit).toEqual([]);
    expect(notHeld).toEqual([]);
  },
  20 * 60_000,
);
