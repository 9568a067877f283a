import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { armKill, type ArmedKill } from '../../devstack/doubles/fault-proxy/kill-at.ts';
import type { FaultRule } from '../../devstack/doubles/fault-proxy/fault-rule.ts';
import type { RequestPhase } from '../../devstack/doubles/fault-proxy/recorded-request.ts';
import { pointName, type PointSelector, type RequestPoint } from '../../devstack/doubles/fault-proxy/request-point.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES } from '../../k8s/resources.ts';
import { DEFAULT_LEASE_NAMESPACE } from '../../process/lease-record.ts';
import { controlPlaneLeaseName } from '../../activities/control-plane-lease-name.ts';
import { systemClock } from '../../providers/clock.ts';
import { runWatcher } from '../../starters/watcher/watcher.ts';
import { getStack } from '../integration/stack.ts';
import { until } from '../integration/until.ts';
import { EVERYTHING } from './choose-points.ts';
import type { FaultCloud } from './fault-cloud.ts';
import { judge, type Verdict } from './judge.ts';
import { isAtRest, PATIENCE, type Life, type SeenMachine } from './lives/life.ts';
import { SCALED_DOWN } from './lives/scaled-down.ts';
import { startPokes } from './pokes.ts';
import { standStill } from './stand-still.ts';
import { createProxiedWorker, type ProxiedWorker } from './proxied-worker.ts';
import { messageOf } from '../../providers/message-of.ts';
import { tellWhatRuns } from './what-runs.ts';
import { given } from '../../providers/given.ts';

export interface KillCase {
  /** Own namespace and task queue. */
  readonly name: string;
  /** Where the worker is killed, once; undefined: nowhere. */
  readonly kill?: { readonly point: PointSelector; readonly phase: RequestPhase };
  /**
   * Has everything looked at again and again until the point is reached: how often an object is read depends on what
   * changes at the same moment, and a later read of the same kind is as good a place to die.
   */
  readonly withPokes?: boolean;
  readonly cloud: FaultCloud;
  /** Faults of the way to the cloud. @default none */
  readonly rules?: readonly FaultRule[];
  /** What the worker finds in the cloud's place. @default the cloud itself */
  readonly proxyTarget?: string;
  /** Between the kill and the start of the next worker in its place, in milliseconds. @default 0 */
  readonly restartAfterMs?: number;
  /** Has the worker that is about to call the cloud for a launch stand still for so long, once, in milliseconds. */
  readonly standsStillMs?: number;
  /** So many workers share the work; the one that makes the request is killed. @default 1 */
  readonly workers?: number;
  /** What is asked of machines. @default a MachineSet of one that is scaled down */
  readonly life?: Life;
  /** Flags of the workers: times, in seconds. @default the shortened ones */
  readonly times?: Readonly<Record<string, number>>;
}

export interface KillOutcome {
  /** Every point of the run, in order of appearance, as `VERB resource #ordinal`. */
  readonly points: readonly string[];
  /** The worker was killed, or stood still, where it was to be. */
  readonly hit: boolean;
  /** How many requests suffered one of the faults. */
  readonly faultsHit: number;
  /** Nothing when the invariants held. */
  readonly verdict: Verdict;
}

/** Of all cases of a test file: they mostly wait, for time-outs and for a Node. In `npm test` other tests run beside them. */
const sideBySide = pLimit(Number(process.env['MILLWRIGHT_FAULTS_PARALLEL'] ?? (EVERYTHING ? 6 : 4)));
/** The same for lives that wait for minutes: they are no part of the others' number. */
const besideThem = pLimit(EVERYTHING ? 6 : 3);

/** A machine's whole life, by default from a MachineSet's creation to its scale-down and its Node's drain, with the worker killed at one request of it. */
export function runKillCase(kase: KillCase): Promise<KillOutcome> {
  return (kase.life?.isSlow === true ? besideThem : sideBySide)(() => play(kase));
}

async function play({
  name,
  kill,
  withPokes = false,
  cloud,
  rules = [],
  proxyTarget,
  restartAfterMs = 0,
  standsStillMs,
  workers: count = 1,
  life = SCALED_DOWN,
  times = {},
}: KillCase): Promise<KillOutcome> {
  const { made = life.machines } = life;
  const { kube, temporal, watcherKubeconfig } = getStack();
  await kube.create(NAMESPACES, undefined, { metadata: { name } });
  await cloud.prepare(name);
  const options = { times, ...given({ target: proxyTarget }) };
  const workers = await Promise.all(Array.from({ length: count }, () => createProxiedWorker(name, cloud, options)));
  const watcher = await runWatcher(
    {
      kubeconfig: watcherKubeconfig,
      temporal: { ...temporal, access: {} },
      taskQueue: name,
      namespace: name,
      logLevel: 'fatal',
    },
    systemClock,
  );
  const added = workers.flatMap((worker) => rules.map((rule) => worker.cloud.addRule(rule)));
  const isHit = (): boolean => armed.some(({ hit }) => hit !== undefined);
  let isTooEarly = life.isKilledLate === true;
  const mayKill = (): boolean => !isTooEarly && !isHit();
  const armed =
    kill === undefined ? [] : workers.map((worker) => armFor(worker, atOwnLease(kill, name), mayKill, restartAfterMs));
  const stood = standsStillMs === undefined ? undefined : standStill(workers, standsStillMs);
  const uids = new Set<string>();
  const look = async (): Promise<SeenMachine[]> => {
    const { items } = await kube.list<SeenMachine>(MACHINES, { namespace: name });
    for (const item of items) uids.add(item.metadata.uid);
    return items;
  };
  const pokes = withPokes ? startPokes(name, isHit) : undefined;
  try {
    await Promise.all(workers.map((worker) => worker.start()));
    const place = { name, cloud, look };
    await life.begin(place);
    const settled = await until(
      `${name}: ${life.machines} machines run`,
      look,
      (machines) => machines.length === life.machines && machines.every(isAtRest),
      PATIENCE,
    );
    const whileRunning = await judge(cloud, uids, { liveEach: 1 });
    isTooEarly = false;
    const found = await life.end(place, settled);
    const afterDeletion = await judge(cloud, uids, { liveEach: 0 });
    return {
      points: pointsOf(
        workers
          .flatMap((worker) => [...worker.kube.recorded, ...worker.cloud.recorded])
          .filter(({ point }) => point.resource !== 'leases' || point.object === leaseOf(name)),
      ),
      hit: isHit() || stood?.() === true,
      faultsHit: added.reduce((sum, { hits }) => sum + hits, 0),
      verdict: [
        ...whileRunning,
        ...afterDeletion,
        ...found,
        ...(uids.size === made ? [] : [`${uids.size} Machines were made, and ${made} were asked for`]),
      ],
    };
  } catch (error) {
    throw new Error(`${messageOf(error)}\n${await tellWhatRuns(name, workers)}`, { cause: error });
  } finally {
    await pokes?.stop();
    await watcher.stop();
    await Promise.all(workers.map((worker) => worker.close()));
  }
}

/** By which the machines of this case take turns; all others are of a worker's start, and of its inventory. */
function leaseOf(cluster: string): string {
  return `${DEFAULT_LEASE_NAMESPACE}/${controlPlaneLeaseName(cluster)}`;
}

function atOwnLease<T extends NonNullable<KillCase['kill']>>(kill: T, name: string): T {
  return kill.point.resource === 'leases' ? { ...kill, point: { ...kill.point, object: leaseOf(name) } } : kill;
}

/** Kills this worker where it comes to the point first, and has another start in its place. */
function armFor(
  worker: ProxiedWorker,
  kill: NonNullable<KillCase['kill']>,
  mayKill: () => boolean,
  restartAfterMs: number,
): ArmedKill {
  const armed = armKill({ pid: () => (mayKill() ? worker.started()?.pid : undefined), ...kill });
  worker.kube.onPoint(armed.onPoint);
  worker.cloud.onPoint(armed.onPoint);
  void armed.whenHit.then(() => delay(restartAfterMs)).then(() => worker.start());
  return armed;
}

/** Points in the order they first came, whatever object they are about. Events are shown beside, not acted upon. */
function pointsOf(recorded: readonly { readonly point: RequestPoint; readonly at: number }[]): string[] {
  const inOrder = [...recorded].sort((a, b) => a.at - b.at).map(({ point }) => pointName(point));
  return [...new Set(inOrder)];
}
