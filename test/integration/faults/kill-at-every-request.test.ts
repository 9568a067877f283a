import { expect, it } from '@jest/globals';
import { parsePoint } from '../../../devstack/doubles/fault-proxy/request-point.ts';
import { SECRETS } from '../../../k8s/resources.ts';
import { choosePoints, choosePointsOf, EVERYTHING } from '../../faults/choose-points.ts';
import { openLookupOnlyCloud, simulatedFaultCloud, type FaultCloud } from '../../faults/fault-cloud.ts';
import { startForgetfulCloud } from '../../faults/forgetful-cloud.ts';
import { runKillCase } from '../../faults/kill-case.ts';
import { recordUndisturbed, runKillMatrix, type KillHow } from '../../faults/kill-matrix.ts';
import { EVICTED_LAST } from '../../faults/lives/evicted-last.ts';
import { FORCED } from '../../faults/lives/forced.ts';
import { MAINTAINED } from '../../faults/lives/maintained.ts';
import { PREPARED } from '../../faults/lives/prepared.ts';
import { STOPPED } from '../../faults/lives/stopped.ts';
import { getStack } from '../stack.ts';

/**
 * The writes around a launch, each the first of its kind, whichever worker makes it. Where not everything is wanted, the call
 * alone: its phases come right after the write before it, and right before the one after it.
 */
const AROUND_THE_LAUNCH = EVERYTHING
  ? ['PATCH machines/status #1', 'LAUNCH instances #1', 'PATCH machines #1']
  : ['LAUNCH instances #1'];
/** The writes that end a life, each the first of its kind; with the last one our finalizer goes. */
const AT_THE_END = EVERYTHING
  ? ['CREATE pods/eviction #1', 'TERMINATE instances #1', 'DELETE nodes #1', 'JSON-PATCH machines #1']
  : [];
/** Calls are not repeated any more by when the next worker comes. */
const LATE = { restartAfterMs: 8000, times: { '--repeat-limit': 4 } } as const;
/** Of one test: its cases wait for those of all others. */
const TEST_MS = EVERYTHING ? 85 * 60_000 : 20 * 60_000;

// All at the same time: how many cases run side by side is counted over all of them. The longest comes first.

it.concurrent.each([
  ['with tokens', 'kill', async () => ({ ...simulatedFaultCloud(), close: () => {} }), undefined],
  ['by look-up only', 'kill-lookup', openLookupOnlyCloud, AROUND_THE_LAUNCH],
] as const)(
  'in a cloud that is asked %s, a worker killed at requests of a machine’s life leaves exactly one instance while the machine is wanted, and none afterwards',
  async (_mode, prefix, open, quick) => {
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
  TEST_MS,
);

/** Lives with writes that a set which is scaled down has not, each of them with these and, where not everything is wanted, with this one. */
const PREPARED_WRITES = [
  /^(CREATE|PATCH) leases /,
  /^PATCH (deployments|nodes|nodes\/status) /,
  /^CREATE pods\/eviction #1$/,
  /^DELETE (pods|machines) /,
];
/** The Node is cordoned and tainted for the pods of DaemonSets, and both is taken back: what comes before and after is in other lives. */
const EVICTED_LAST_WRITES = [/^PATCH nodes #[3-6]$/];
/** The Node is cordoned and its pod evicted, with the instance running on, and the cordon comes off. */
const MAINTAINED_WRITES = [/^PATCH nodes #[2-4]$/, /^CREATE pods\/eviction #1$/];
/** The Node is marked, our finalizer goes, and then instance and Node do. */
const FORCED_WRITES = [/^PATCH nodes #2$/, /^JSON-PATCH machines /, /^(DELETE nodes|TERMINATE instances) #1$/];
const STOPPED_WRITES = [/^PATCH nodes /, /^(DELETE nodes|TERMINATE instances) /];
const LIVES = [
  ['is prepared for its end, which is aborted and asked for again', 'prepared', PREPARED, PREPARED_WRITES],
  ['goes by force without its cloud', 'forced', FORCED, FORCED_WRITES],
  ['is in maintenance, which is over', 'maintained', MAINTAINED, MAINTAINED_WRITES],
  ['is deleted when its instance was stopped', 'stopped', STOPPED, STOPPED_WRITES],
  ['has its pods of DaemonSets leave last, which is aborted', 'evicted-last', EVICTED_LAST, EVICTED_LAST_WRITES],
] as const;

it.concurrent.each(EVERYTHING ? LIVES : LIVES.slice(0, 1))(
  'a worker killed at writes of the life of a machine that %s leaves what it is to leave',
  async (_life, prefix, life, writes) => {
    const cloud = simulatedFaultCloud();
    const points = EVERYTHING ? await choose(cloud, prefix, { life }, writes) : ['DELETE pods #1'];
    const { lines, notHit, notHeld } = await runKillMatrix(cloud, prefix, points, { life });
    console.log(lines.join('\n'));
    expect(notHit).toEqual([]);
    expect(notHeld).toEqual([]);
  },
  TEST_MS,
);

/** Points of undisturbed runs. */
async function choose(
  cloud: FaultCloud,
  prefix: string,
  how: KillHow = {},
  writes?: readonly RegExp[],
): Promise<readonly string[]> {
  const recorded = await recordUndisturbed(cloud, prefix, how);
  expect(recorded.verdict).toEqual([]);
  const points = writes === undefined ? choosePoints(recorded.points) : choosePointsOf(recorded.points, writes);
  console.log(`${recorded.points.length} points, ${points.length} taken:\n${points.join('\n')}`);
  return points;
}

it.concurrent.each([
  ['late', 'and started again when calls are not repeated any more', AROUND_THE_LAUNCH, LATE],
  ['two', 'beside another one', AROUND_THE_LAUNCH, { workers: 2 }],
  [
    'late-two',
    'beside another one, and started again late',
    [...AROUND_THE_LAUNCH, ...AT_THE_END],
    { ...LATE, workers: 2 },
  ],
] as const)(
  'a worker killed at requests that decide (%s: %s) leaves exactly one instance, too, and none afterwards',
  async (prefix, _how, points, how) => {
    const result = await runKillMatrix(simulatedFaultCloud(), `kill-${prefix}`, points, how);
    console.log(result.lines.join('\n'));
    expect(result.notHit).toEqual([]);
    expect(result.notHeld).toEqual([]);
  },
  TEST_MS,
);

it.concurrent(
  'a worker that stands still around the launch, right before the call, does not send it when it goes on',
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
  TEST_MS,
);

it.concurrent.each([
  ['tokens', 'no tokens, and look-ups', { tokens: true, lookUps: false }, {}, 1],
  ['look-ups', 'tokens, and no look-ups', { tokens: false, lookUps: true }, {}, 1],
  ['both', 'no tokens and no look-ups', { tokens: true, lookUps: true }, {}, 2],
  ['late', 'tokens, and no look-ups, when calls are not repeated any more', { tokens: false, lookUps: true }, LATE, 2],
] as const)(
  'a worker killed after the effect of a launch (%s), in a cloud with %s',
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
  TEST_MS,
);

it.concurrent(
  'a worker killed after the effect of a launch, in a cloud that is asked by look-up only and finds nothing, leaves two: the control',
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
  TEST_MS,
);

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
