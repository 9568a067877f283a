import { setCurrentDetails } from '@temporalio/workflow';
import { given } from '../../providers/given.ts';
import { keepStatus } from '../attempt.ts';
import { liveEntity, type EntityInput, type Next, type Turn } from '../entity.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { Retry } from '../retry.ts';
import { resyncAt } from '../resync.ts';
import { shortSteps } from '../short-steps.ts';
import type { ClusterActivities } from './cluster-activities.ts';
import { clusterStatusOf } from './cluster-status.ts';
import { describeCluster, whyClusterWaits } from './describe-cluster.ts';

/** A Cluster's machines change by the hundred: they are counted once in this time, in milliseconds. */
const REST_MS = 10_000;

const steps = shortSteps<ClusterActivities>;
const { countMachines } = steps('look at the Cluster, and count its machines');
const { writeClusterStatus } = steps('write the status', { maximumAttempts: 5 });

/** What the Cluster's workflow must not forget between two looks. */
export interface ClusterMemory {
  /** The status could not be written. */
  refused?: Retry;
  resyncAt?: number;
}

/** One Cluster: says how many machines it has. What it wants is read by its machines and sets themselves. */
export async function cluster(input: EntityInput<ClusterMemory>): Promise<void> {
  const { ref, clusterUid: uid, memory = {} } = input;
  await liveEntity(input, { memory, restMs: REST_MS, pass: (turn) => count({ ref, clusterUid: uid }, memory, turn) });
}

async function count(target: ObjectTarget, memory: ClusterMemory, turn: Turn): Promise<Next> {
  const seen = await countMachines({ ...target, ...turn.heard });
  turn.hear(seen);
  if (!seen.found) return { end: undefined };
  const status = clusterStatusOf(seen, Date.now());
  const act = status && (() => writeClusterStatus({ ...target, ...given({ seen: seen.seen }), status }));
  if ((await keepStatus(memory, { target, settings: seen.settings, act })) === 'changed') return 'again';
  const { refused } = memory;
  setCurrentDetails(describeCluster(target.ref, seen, refused));
  const resync = resyncAt(memory, seen.settings, Date.now());
  return { at: Math.min(resync, refused?.until ?? Infinity), why: whyClusterWaits(refused) };
}
