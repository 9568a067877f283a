import { describe, expect, it } from '@jest/globals';
import { parsePoint } from '../../../devstack/doubles/fault-proxy/request-point.ts';
import { SECRETS } from '../../../k8s/resources.ts';
import { choosePoints } from '../../faults/choose-points.ts';
import { openLookupOnlyCloud, simulatedFaultCloud, type FaultCloud } from '../../faults/fault-cloud.ts';
import { startForgetfulCloud } from '../../faults/forgetful-cloud.ts';
import { runKillCase } from '../../faults/kill-case.ts';
import { recordUndisturbed, runKillMatrix } from '../../faults/kill-matrix.ts';
import { getStack } from '../stack.ts';

/** Every point, not only those that the quick run takes. */
const EVERYTHING = process.env['MILLWRIGHT_FAULTS'] === 'all';
/** The writes around a launch, each the first of its kind, whichever worker makes it. */
const AROUND_THE_LAUNCH = ['PATCH machines/status #1', 'LAUNCH instances #1', 'PATCH machines #1'];

describe.each([
  ['with tokens', 'kill', async () => ({ ...simulatedFaultCloud(), close: () => {} }), undefined],
  ['by look-up only', 'kill-lookup', openLookupOnlyCloud, AROUND_THE_LAUNCH],
] as const)(
  'in a cloud that is asked %s, a worker killed at any request of a machine’s life',
  (_mode, prefix, open, quick) => {
    it(
      'leaves exactly one instance while the machine is wanted, and none afterwards',
      async () => {
        const cloud = await open();
        try {
          const points = quick !== undefined && !EVERYTHING ? quick : await choose(cloud, prefix);
          const { lines, notHit, notHeld } = await runKillMatrix(cloud, prefix, points);
          console.log(lines.join('\n'));
          expect(notHit).toEqual([]);
          expect(notHeld).toEqual([]);
        } finally {
          cloud.close();
        }
      },
      30 * 60_000,
    );
  },
);

/** Points of undisturbed runs. */
async function choose(cloud: FaultCloud, prefix: string): Promise<readonly string[]> {
  const recorded = await recordUndisturbed(cloud, prefix);
  expect(recorded.verdict).toEqual([]);
  const { points, seed } = choosePoints(recorded.points, EVERYTHING);
  console.log(`${recorded.points.length} points, ${points.length} taken (seed ${seed}):\n${points.join('\n')}`);
  return points;
}

describe('a worker killed at requests of a machine’s life', () => {
  /** Calls are not repeated any more by when the next worker comes. */
  const LATE = { restartAfterMs: 8000, times: { '--repeat-limit': 4 } } as const;

  it.each([
    ['late', 'and started again when calls are not repeated any more', LATE],
    ['two', 'beside another one', { workers: 2 }],
    ['late-two', 'beside another one, and started again late', { ...LATE, workers: 2 }],
  ] as const)(
    'around the launch (%s: %s) leaves exactly one instance, too',
    async (prefix, _how, how) => {
      const result = await runKillMatrix(simulatedFaultCloud(), `kill-${prefix}`, AROUND_THE_LAUNCH, how);
      console.log(result.lines.join('\n'));
      expect(result.notHit).toEqual([]);
      expect(result.notHeld).toEqual([]);
    },
    10 * 60_000,
  );

  it(
    'or that stands still around the launch, right before the call, does not send it when it goes on',
    async () => {
      // Tokens would hide a call that is sent twice.
      const forgetful = await startForgetfulCloud({ tokens: true, lookUps: false });
      try {
        const { hit, verdict } = await runKillCase({
          name: 'stands-still',
          cloud: withUserData(simulatedFaultCloud()),
          proxyTarget: forgetful.url,
          standsStillMs: 15_000,
          workers: 2,
        });
        expect(hit).toBe(true);
        expect(verdict).toEqual([]);
      } finally {
        forgetful.close();
      }
    },
    5 * 60_000,
  );

  it.each([
    ['tokens', 'no tokens, and look-ups', { tokens: true, lookUps: false }, {}, 1],
    ['look-ups', 'tokens, and no look-ups', { tokens: false, lookUps: true }, {}, 1],
    ['both', 'no tokens and no look-ups', { tokens: true, lookUps: true }, {}, 2],
    [
      'late',
      'tokens, and no look-ups, when calls are not repeated any more',
      { tokens: false, lookUps: true },
      LATE,
      2,
    ],
  ] as const)(
    'after the effect of a launch (%s), in a cloud with %s',
    async (prefix, _what, forgets, how, instances) => {
      const forgetful = await startForgetfulCloud(forgets);
      try {
        const { hit, verdict } = await runKillCase({
          name: `kill-without-${prefix}`,
          cloud: simulatedFaultCloud(),
          proxyTarget: forgetful.url,
          kill: { point: parsePoint('LAUNCH instances #1'), phase: 'after-effect' },
          ...how,
        });
        expect(hit).toBe(true);
        if (instances === 1) expect(verdict).toEqual([]);
        else expect(verdict.join('\n')).toMatch(/2 instances in its life/);
      } finally {
        forgetful.close();
      }
    },
    5 * 60_000,
  );

  it(
    'after the effect of a launch, in a cloud that is asked by look-up only and finds nothing, leaves two: the control',
    async () => {
      const cloud = await openLookupOnlyCloud({ lookUps: false });
      try {
        const kill = { point: parsePoint('LAUNCH instances #1'), phase: 'after-effect' } as const;
        const { hit, verdict } = await runKillCase({ name: 'kill-lookup-blind', cloud, kill });
        expect(hit).toBe(true);
        expect(verdict.join('\n')).toMatch(/2 instances in its life/);
      } finally {
        cloud.close();
      }
    },
    5 * 60_000,
  );
});

/** The user-data is read once more right before the call: a point between the checks and the call. */
function withUserData(cloud: FaultCloud): FaultCloud {
  const name = 'user-data';
  return {
    ...cloud,
    providerSpec: { ...cloud.providerSpec, userDataSecret: { name } },
    prepare: async (namespace) => {
      await cloud.prepare(namespace);
      await getStack().kube.create(SECRETS, namespace, { metadata: { name }, stringData: { userData: '#!/bin/sh' } });
    },
  };
}
