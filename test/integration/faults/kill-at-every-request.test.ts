import { describe, expect, it } from '@jest/globals';
import { parsePoint } from '../../../devstack/fault-proxy/request-point.ts';
import { choosePoints } from '../../faults/choose-points.ts';
import { simulatedFaultCloud } from '../../faults/fault-cloud.ts';
import { startForgetfulCloud } from '../../faults/forgetful-cloud.ts';
import { runKillCase } from '../../faults/kill-case.ts';
import { recordUndisturbed, runKillMatrix } from '../../faults/kill-matrix.ts';

describe('a worker killed at any request of a machine’s life', () => {
  it(
    'leaves exactly one instance while the machine is wanted, and none afterwards',
    async () => {
      const cloud = simulatedFaultCloud();
      const recorded = await recordUndisturbed(cloud, 'kill');
      expect(recorded.verdict).toEqual([]);
      const { points, seed } = choosePoints(recorded.points, process.env['MILLWRIGHT_FAULTS'] === 'all');
      console.log(`${recorded.points.length} points, ${points.length} taken (seed ${seed}):\n${points.join('\n')}`);

      const { lines, notHit, notHeld } = await runKillMatrix(cloud, 'kill', points);
      console.log(lines.join('\n'));
      expect(notHit).toEqual([]);
      expect(notHeld).toEqual([]);
    },
    30 * 60_000,
  );

  it(
    'is found out where it launches with a new token each time and looks nothing up',
    async () => {
      const forgetful = await startForgetfulCloud();
      try {
        const { hit, verdict } = await runKillCase({
          name: 'kill-control',
          cloud: simulatedFaultCloud(),
          proxyTarget: forgetful.url,
          kill: { point: parsePoint('LAUNCH instances #1'), phase: 'after-effect' },
        });
        expect(hit).toBe(true);
        expect(verdict.join('\n')).toMatch(/2 instances in its life/);
      } finally {
        forgetful.close();
      }
    },
    5 * 60_000,
  );
});
