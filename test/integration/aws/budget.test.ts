import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { openEc2, type OwnEc2 } from './own-ec2.ts';

const MACHINES = 200;
/** Most describes of instances a machine may cost, all in all. */
const MOST_DESCRIBES = 0.1;

let ec2: OwnEc2;
let own: OwnNamespace;

beforeAll(async () => {
  ec2 = await openEc2();
  own = await openNamespace('aws-budget', { worker: { env: ec2.workerEnv(ec2.endpoint) } });
  await ec2.prepare(own.name);
}, 300_000);

afterAll(async () => {
  await own?.end();
  await ec2?.stop();
}, 240_000);

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
  console.log(`${MACHINES} machines ran and were settled after ${seconds} s, with ${JSON.stringify(counts)}`);
  expect(instances).toHaveLength(MACHINES);
  expect(counts['RunInstances']).toBe(MACHINES);
  expect((counts['DescribeInstances'] ?? 0) / MACHINES).toBeLessThanOrEqual(MOST_DESCRIBES);
}, 300_000);
