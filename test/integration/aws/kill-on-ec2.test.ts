import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FaultRule } from '../../../devstack/doubles/fault-proxy/fault-rule.ts';
import { choosePoints, EVERYTHING } from '../../faults/choose-points.ts';
import { runKillCase } from '../../faults/kill-case.ts';
import { recordUndisturbed, runKillMatrix } from '../../faults/kill-matrix.ts';
import type { FaultCloud } from '../../faults/fault-cloud.ts';
import { createLoadBalancers, LOAD_BALANCERS } from './load-balancers.ts';
import { openEc2, type OwnEc2 } from './own-ec2.ts';

/** How long EC2 shows nothing of an instance that it has made. */
const LAG_SECONDS = 5;
/** Longer than a call may take, so that the caller has given up by then. */
const LATE_MS = 8000;

let ec2: OwnEc2;
/** Where machines go behind load balancers: their API is killed at, too. */
let balanced: FaultCloud;
beforeAll(async () => {
  ec2 = await openEc2({ lagSeconds: LAG_SECONDS });
  await createLoadBalancers(ec2.endpoint);
  balanced = { ...ec2, providerSpec: { ...ec2.providerSpec, loadBalancers: LOAD_BALANCERS } };
}, 300_000);
afterAll(() => ec2.stop());

/** Requests to Kubernetes are the same as with the simulated cloud, and killed at there; here only where all are wanted. */
function chosen(all: readonly string[]): readonly string[] {
  const points = choosePoints(all);
  return EVERYTHING ? points : points.filter((point) => / (instances|loadbalancers|target-groups)/.test(point));
}

describe(`on an EC2 that shows instances ${LAG_SECONDS} s late`, () => {
  it.concurrent(
    'a worker killed at requests to it leaves exactly one instance, and none after the deletion',
    async () => {
      const recorded = await recordUndisturbed(balanced, 'ec2');
      expect(recorded.verdict).toEqual([]);
      const points = chosen(recorded.points);
      expect(points).toContain('LAUNCH instances #1');
      expect(points).toEqual(
        expect.arrayContaining(['REGISTER loadbalancers #1', 'DEREGISTER target-groups #1', 'TERMINATE instances #1']),
      );
      const { lines, notHit, notHeld } = await runKillMatrix(balanced, 'ec2', points);
      console.log(lines.join('\n'));
      expect(notHit).toEqual([]);
      expect(notHeld).toEqual([]);
    },
    EVERYTHING ? 50 * 60_000 : 20 * 60_000,
  );

  it.concurrent(
    'calls and answers that are lost, repeated or late leave exactly one instance, and none after the deletion',
    async () => {
      const faults: readonly FaultRule['fault'][] = [
        { kind: 'lose-request' },
        { kind: 'lose-answer' },
        { kind: 'repeat' },
        { kind: 'delay-request', ms: LATE_MS },
        { kind: 'delay-answer', ms: LATE_MS },
      ];
      const verbs = ['launch', 'terminate'];
      const outcomes = await Promise.all(
        verbs.flatMap((verb) =>
          faults.map(async (fault) => {
            const name = `ec2-${verb}-${fault.kind}`;
            const rule = { match: { verb, ordinal: 1 }, fault };
            const { verdict, faultsHit } = await runKillCase({ name, cloud: ec2, rules: [rule] });
            return { name, faultsHit, verdict };
          }),
        ),
      );
      expect(outcomes).toEqual(outcomes.map(({ name }) => ({ name, faultsHit: 1, verdict: [] })));
    },
    10 * 60_000,
  );
});
