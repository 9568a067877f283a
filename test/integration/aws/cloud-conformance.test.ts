import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MotoClient } from '../../../devstack/doubles/cloud/ec2-front/moto-client.ts';
import { startMoto, type RunningMoto } from '../../../devstack/stack/start-ec2.ts';
import { terminalProgress } from '../../../devstack/start/terminal-progress.ts';
import { compare } from '../../world/cloud-conformance/compare.ts';
import { ec2Subject, simulatedSubject } from '../../world/cloud-conformance/subject.ts';

/** How long new sequences are begun, in seconds. */
const SECONDS = Number(process.env['MILLWRIGHT_CONFORMANCE_SECONDS'] ?? 12);
/** What the seeds begin with. */
const SEED = process.env['MILLWRIGHT_CONFORMANCE_SEED'] ?? 'moto';

let moto: RunningMoto;

beforeAll(async () => {
  moto = await startMoto(terminalProgress());
}, 180_000);
afterAll(() => moto?.stop());

it(
  'the simulated cloud and the embedded EC2 show the same to whoever asks them the same',
  async () => {
    const client = new MotoClient(moto.url);
    const end = performance.now() + SECONDS * 1000;
    let plays = 0;
    while (performance.now() < end) {
      plays += 1;
      const difference = await compare(`${SEED}-${plays}`, () => [simulatedSubject(), ec2Subject(() => client)]);
      expect(difference).toBeUndefined();
    }
    await client.close();
    console.log(`${plays} sequences of requests`);
  },
  (SECONDS + 120) * 1000,
);
