import { expect, it } from '@jest/globals';
import { simulatedFaultCloud } from '../../faults/fault-cloud.ts';
import { runKillMatrix } from '../../faults/kill-matrix.ts';
import { REBOOTED } from '../../faults/lives/rebooted.ts';

it(
  'a worker killed before a reboot is sent, before its answer and before its verdict leaves one reboot, by the ledger of the cloud',
  async () => {
    const how = { life: REBOOTED };
    const { lines, notHit, notHeld } = await runKillMatrix(
      simulatedFaultCloud(),
      'rebooted',
      ['REBOOT instances #1'],
      how,
    );
    console.log(lines.join('\n'));
    expect(notHit).toEqual([]);
    expect(notHeld).toEqual([]);
  },
  20 * 60_000,
);
