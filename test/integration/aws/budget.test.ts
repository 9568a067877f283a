import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { OwnNamespace } from '../lifecycle/own-namespace.ts';
import type { OwnEc2 } from './own-ec2.ts';
import { useEc2Namespace } from './use-ec2-namespace.ts';

const MACHINES = 200;
/** Most describes of instances a machine may cost, all in all. */
const MOST_DESCRIBES = 0.1;
/** Most of them a second, where it takes so long that these are more. */
const MOST_PER_SECOND = 0.6;

let ec2: OwnEc2;
let own: OwnNamespace;
// Nearer to the 20 s by default than what other tests take: looks that fall on the same moment share a call.
useEc2Namespace('aws-budget', (opened) => ({ ec2, own } = opened), { workerArgs: ['--ready-look', '5'] });

test(`${MACHINES} machines come up with one RunInstances each, and at most ${MOST_DESCRIBES} describes`, async () => {
  const startedAt = Date.now();
  await own.createMachineSet('many', { replicas: MACHINES, providerSpec: ec2.providerSpec });
  await own.untilMachines(
    'all run',
    (seen) =>
      seen.length === MACHINES &&
      seen.every((m) => m.status?.phase === 'Running' && m.status.providerStatus?.instanceState === 'running'),
    { timeoutMs: 240_000, everyMs: 1000 },
  );
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const { counts, instances } = await ec2.ledger();
  console.log(`${MACHINES} machines ran and were at rest after ${seconds} s, with ${JSON.stringify(counts)}`);
  const describes = (counts['DescribeInstances'] ?? 0) / MACHINES;
  // Looks that fall on the same 2.5 s share a call: a slow computer, which takes long, needs more of them.
  const most = Math.max(MOST_DESCRIBES, (MOST_PER_SECOND * seconds) / MACHINES);
  if (describes > most) console.log(warningsOf(own.worker.log).slice(0, 5).join('\n'));
  expect(instances).toHaveLength(MACHINES);
  expect(counts['RunInstances']).toBe(MACHINES);
  expect(describes).toBeLessThanOrEqual(most);
}, 300_000);

/** Why a launch was repeated, each time after a look-up: a machine that stood still is told from a defect. */
function warningsOf(log: string): string[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"level":40'));
}
