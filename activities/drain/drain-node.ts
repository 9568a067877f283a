import { isNotSent } from '../../k8s/kube-error.ts';
import { isReady, readinessOf, silentFrom, type Node } from '../../k8s/model/node.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import type { SomeNames } from '../../k8s/model/some-names.ts';
import { delay } from '../../providers/clock.ts';
import { given } from '../../providers/given.ts';
import { agoMs, type Moment } from '../../providers/moment.ts';
import type {
  DrainActivities,
  DrainAnswer,
  DrainNode,
  ForceTimes,
  PodNotes,
} from '../../workflows/machine/drain-activities.ts';
import { endsWithin } from '../ask-on.ts';
import type { MachineDeps } from '../deps.ts';
import { unlessPassing } from '../failures.ts';
import { createAskPods } from './ask-pods.ts';
import { unlessUnseen } from './attached-volumes.ts';
import { chooseDaemonPods, choosePods, stayingOf, type PodChoice } from './choose-pods.ts';
import { PassOver, type Carried } from './carried-looks.ts';
import { ClosedNodes } from './closed-nodes.ts';
import { closeNode } from './cordon.ts';
import { describeTrouble } from './describe-trouble.ts';
import { createDrainLooks, type OnNode, type PassLooks } from './drain-looks.ts';
import { GoFirst } from '../go-first.ts';
import { forceTimesOf } from './hurry.ts';
import { createBudgetLooks, type ExplainBudget } from './explain-budget.ts';
import { createExplainHold } from './explain-hold.ts';
import { createLookAtVolumes } from './look-at-volumes.ts';
import type { NodeLooks } from './node-looks.ts';
import { shortenPodNames } from './shorten-names.ts';
import { writtenLate } from './in-time.ts';
import { showOnNode, type Shown } from './show-on-node.ts';
import { nextPassAt, planDrain, type DrainPlan } from './plan-drain.ts';
import { askedSoon, isMomentary, keepNotes } from './pod-notes.ts';
import { createSurge } from './surge.ts';
import { tellForce } from './tell-force.ts';
import { createUncordonNode } from './uncordon-node.ts';

/**
 * A scheduler that has not seen the cordon yet may bind a pod to the Node. So a look that finds no pods counts only so long after the
 * cordon, in milliseconds.
 */
const AFTER_CORDON_MS = 1000;
/** After so long a pass looks at the Machine and its Node again before it asks pods to go, in milliseconds. */
const LOOK_AGAIN_MS = 2000;
/** When evictions whose turn did not come are asked for again, in milliseconds. */
const UNSENT_MS = 1000;
/** How long a pass takes, in milliseconds: what it has not looked at by then is left to the next one, and no write is begun any more. */
const PASS_MS = 1900;
/** How far into a pass a Node is cordoned at the latest, in milliseconds; else the next pass begins with it. */
const CORDON_BY_MS = 1000;
/** How long a pass waits at most, when its pods were asked, until those of drains that began at the same time were: in milliseconds. */
const OTHERS_MS = 1000;
/** How long a pass waits at most until an event tells which pods it deletes, in milliseconds. */
const FORCE_TOLD_MS = 500;
/** How much of its time a pass has for what comes after the answers to its evictions, in milliseconds. */
const TELLING_MS = 300;

type Port = Omit<DrainActivities, 'vacateNode' | 'returnNode' | 'tellDrained' | 'keepClosed'>;

/** A pass, as far as it has come. */
interface DrainPass {
  readonly request: DrainNode;
  readonly seen: PassLooks;
  readonly node: Node;
  /** In the workflow's time. */
  readonly cordonedAt: number;
  /** Since when the Node is closed at the latest, on the clock that never goes back. */
  readonly closedSince: number;
  /** When it looked at the Machine. */
  readonly lookedAt: Moment;
  /** When it has to be over, on the clock that never goes back. */
  readonly until: number;
  /** In the workflow's time. */
  readonly now: () => number;
  /** Its pods were asked: others go on. */
  readonly asked: () => void;
}

interface PodsLook {
  readonly choices: readonly PodChoice[];
  readonly plan: DrainPlan;
  /** When it began, on the clock that never goes back. */
  readonly beganAt: number;
  readonly force?: ForceTimes;
  readonly hurriedUntil?: number;
}

/** Empties the Node of a Machine. Safe to repeat. */
export function createDrainNode(deps: MachineDeps, { ownNodes, attachedVolumes }: NodeLooks): Port {
  const { kube, clock } = deps;
  const askPods = createAskPods(kube, clock);
  const looks = createDrainLooks(deps, ownNodes);
  const budgetLooks = createBudgetLooks(kube, clock);
  const surgeIn = createSurge(deps);
  const beginnings = new GoFirst(clock);
  const closedNodes = new ClosedNodes(clock);

  return {
    drainNode: (request) => unlessPassing(() => drain(request)),

    uncordonNode: createUncordonNode(deps, ownNodes),
    lookAtVolumes: createLookAtVolumes(deps, { ownNodes, attachedVolumes, podsNow: looks.podsNow }),
  };

  async function drain(request: DrainNode): Promise<DrainAnswer> {
    const startedAt = clock.now();
    const until = startedAt + PASS_MS;
    const now = () => request.now + Math.round(clock.now() - startedAt);
    const seen = looks.ofPass(request, until);
    let { cordonedAt } = request;
    const asked = cordonedAt === undefined ? beginnings.begin() : () => {};
    try {
      const closed = await close();
      if (closed.outcome === 'noNode') return end(closed);
      const { node, lookedAt, isNew, since: closedSince } = closed;
      cordonedAt = (isNew ? undefined : cordonedAt) ?? now();
      return end(await emptyOut({ request, seen, node, lookedAt, until, now, cordonedAt, closedSince, asked }));
    } catch (error) {
      if (!(error instanceof PassOver)) seen.end();
      if (error instanceof PassOver || isNotSent(error)) return { outcome: 'unfinished', ...given({ cordonedAt }) };
      throw error;
    } finally {
      asked();
    }

    async function close() {
      for (let isAnew = false; ; isAnew = true) {
        const own = await seen.node();
        const { node: found, leftTo, ambiguous, lookedAt } = own;
        if (found === undefined) return { outcome: 'noNode', ...given({ leftTo, ambiguous }) } as const;
        if (cordonedAt === undefined && !isAnew && clock.now() > startedAt + CORDON_BY_MS) throw new PassOver();
        const pass = { machine: request.ref.uid, node: `${found.metadata.uid} ${request.stage}`, startedAt, until };
        // It is not sent late: it must not come after an abort is acknowledged.
        const write = () => closeNode(kube, found, request, writtenLate(clock, lookedAt));
        const closed = await closedNodes.close(pass, write);
        if (closed !== undefined) {
          seen.writtenTo(own, closed.node);
          return { outcome: 'closed', lookedAt, ...closed } as const;
        }
        seen.end();
      }
    }

    function end(answer: DrainAnswer): DrainAnswer {
      seen.end();
      return answer;
    }
  }

  async function emptyOut(pass: DrainPass): Promise<DrainAnswer> {
    let look = planFor(pass, await pass.seen.pods(pass.node));
    if (look.plan.left.length === 0) {
      if (pass.request.tellsBeginning === true && pass.request.cordonedAt === undefined) return begun(pass);
      look = (await lookLater(pass, look)) ?? look;
      if (look.plan.left.length === 0) {
        // Of a maintenance, or a reboot, nobody waits for volumes, and no later step has the Node tell that it is drained.
        const isLast = pass.request.purpose !== 'deletion';
        if (isLast && clock.now() >= pass.until) throw new PassOver();
        // The Node is empty, whether or not its volumes can be looked at now.
        const volumes = isLast ? undefined : await volumesInTime(pass, stayingOf(look.choices));
        const isTold = await show(pass, 'drained');
        const abandoned = shortenPodNames(look.plan.abandoned);
        return { outcome: 'drained', abandoned, ...given({ volumes, isUntold: !isTold || undefined }) };
      }
    }
    return actOn(pass, look);
  }

  function begun({ node, cordonedAt }: DrainPass): DrainAnswer {
    const counts = { leaving: 0, held: 0, waiting: 0 };
    const until = cordonedAt + AFTER_CORDON_MS;
    return { outcome: 'draining', node: node.metadata.name, cordonedAt, counts, notes: {}, until };
  }

  /** Undefined: the look that was made counts already. */
  async function lookLater(pass: DrainPass, { beganAt }: PodsLook): Promise<PodsLook | undefined> {
    const { closedSince, until, node, seen } = pass;
    const countsFrom = closedSince + AFTER_CORDON_MS;
    if (countsFrom <= beganAt) return undefined;
    await delay(clock, Math.max(0, Math.min(countsFrom, until) - clock.now()));
    return planFor(pass, await seen.podsAnew(node));
  }

  function planFor({ node, request, now, cordonedAt }: DrainPass, { seen, began }: Carried<OnNode>): PodsLook {
    const { notes, spares, stage } = request;
    const { pods, daemonSets } = seen;
    const isSparing = spares !== undefined && now() < (spares.until ?? Infinity);
    const choices =
      stage === 'pods' ? choosePods(pods, daemonSets, { isSparing, cordonedAt }) : chooseDaemonPods(pods, daemonSets);
    const isUnreachable = isUnreachableFor(node, now());
    const times = forceTimesOf(request, choices);
    const { force } = times;
    const goesOn = request.purpose !== 'deletion';
    const plan = planDrain({ choices, notes, now: now(), isUnreachable, goesOn, ...given({ force }) });
    return { choices, plan, beganAt: began.now, ...times };
  }

  /** Undefined where the API server does not let it look, or the pass is over first: they are looked at when they are waited for. */
  async function volumesInTime({ node, until }: DrainPass, staying: readonly Pod[]): Promise<SomeNames | undefined> {
    const look = unlessUnseen(attachedVolumes(node, staying));
    return (await isInTime(look, until)) ? look : undefined;
  }

  function isInTime(call: Promise<unknown>, until: number): Promise<boolean> {
    return endsWithin(clock, call, Math.max(0, until - clock.now()));
  }

  /** What does not fit into this pass any more, the next one tells. */
  function show({ node, request, until, lookedAt }: DrainPass, point: Shown['point']): Promise<boolean> {
    const isLate = writtenLate(clock, lookedAt);
    return showOnNode(deps, node, { request, point, isInTime: () => clock.now() < until, isLate });
  }

  async function actOn(pass: DrainPass, { choices, plan, force, hurriedUntil }: PodsLook): Promise<DrainAnswer> {
    const { request, cordonedAt, now, node, until } = pass;
    const { spares } = request;
    const before = keepNotes(request.notes, plan.left);
    const isLate = agoMs(clock, pass.lookedAt) > LOOK_AGAIN_MS;
    const { lookedAt, isClosed } = isLate ? await pass.seen.again(node) : { lookedAt: pass.lookedAt, isClosed: true };
    if (!isClosed) {
      // The next pass closes it.
      pass.seen.end();
      throw new PassOver();
    }
    const removed = plan.remove.map(({ pod }) => pod);
    await tellForce(deps, request.ref, removed, Math.max(0, Math.min(FORCE_TOLD_MS, until - TELLING_MS - clock.now())));
    const tried = await askPods({
      nodeUid: node.metadata.uid,
      plan,
      notes: before,
      lookedAt,
      now,
      until: until - TELLING_MS,
    });
    pass.asked();
    if (request.cordonedAt === undefined) await beginnings.turn(Math.min(OTHERS_MS, until - TELLING_MS - clock.now()));
    const left = plan.left
      .map((pod) => tried.get(pod.uid)?.left ?? (tried.has(pod.uid) ? undefined : pod))
      .filter((pod) => pod !== undefined);
    const isOver = force !== undefined && now() >= force.deadline;
    if (isOver && request.purpose === 'deletion') {
      const volumes = await volumesInTime(pass, [...stayingOf(choices), ...left]);
      const isTold = await show(pass, 'cutShort');
      const abandoned = shortenPodNames(left);
      return { outcome: 'expired', abandoned, ...given({ volumes, isUntold: !isTold || undefined }) };
    }
    const fresh = Object.fromEntries(
      [...tried].flatMap(([uid, { note }]) => (note === undefined ? [] : [[uid, note]])),
    );
    const known = keepNotes({ ...before, ...fresh }, left.filter(isStaying));
    const drainStartedAt = request.startedAt;
    const surge = surgeIn({
      machine: request.ref,
      drainStartedAt,
      rolls: request.rolls ?? {},
      until,
      isLate: writtenLate(clock, lookedAt),
    });
    const explain = createExplainHold(explainInTime(until), surge, known);
    const leaving = left.filter((pod) => !isStaying(pod));
    const partOf = new Map(choices.map(({ pod, part }) => [pod.uid, part]));
    const leftChoices = left.map((pod) => ({ pod, part: partOf.get(pod.uid) ?? ('evict' as const) }));
    const [trouble, mended] = await Promise.all([
      describeTrouble(leftChoices, { notes: known, now: now(), explain, ...given({ spares }) }),
      mendedAmong(
        left.filter(({ uid }) => known[uid]?.by === 'budgets' && fresh[uid] === undefined),
        until,
      ),
      surge.lookAtAll(left, fresh),
      show(pass, leaving.length === left.length ? 'ending' : 'draining'),
    ]);
    const notes = askedSoon(known, mended, now());
    const awaited = leftChoices.filter((choice) => isAwaited(choice, notes)).map(({ pod }) => pod);
    const postponed = left.filter(({ uid }) => notes[uid] !== undefined && isMomentary(notes[uid]));
    const held = Object.keys(notes).length;
    const isUnsent = [...tried.values()].some((one) => one.isUnsent === true);
    return {
      outcome: 'draining',
      node: node.metadata.name,
      cordonedAt,
      counts: { leaving: leaving.length, held, waiting: left.length - leaving.length - held },
      ...given({
        leaving: leaving.length === 0 ? undefined : shortenPodNames(leaving),
        trouble,
        askedSoon: postponed.length === 0 ? undefined : shortenPodNames(postponed),
        awaited: awaited.length === 0 ? undefined : shortenPodNames(awaited),
      }),
      notes,
      ...surge.outcome(),
      ...given({ hurriedUntil, overdue: isOver && left.length > 0 ? shortenPodNames(left) : undefined }),
      until: isUnsent
        ? now() + UNSENT_MS
        : nextPassAt(leftChoices, { notes, now: now(), startedAt: drainStartedAt, ...given({ force, spares }) }),
      ...given({ isNodeDown: !isReady(node) || undefined }),
    };
  }

  /** Of pods that several budgets selected when they were asked last: those that may leave by now. */
  async function mendedAmong(pods: readonly Pod[], until: number): Promise<readonly Pod[]> {
    const looks = Promise.all(pods.map(budgetLooks.areMended));
    if (!(await isInTime(looks, until))) return [];
    const areMended = await looks;
    return pods.filter((_pod, n) => areMended[n]);
  }

  function explainInTime(until: number): ExplainBudget {
    return async (pod, hold) => {
      const explained = budgetLooks.explain(pod, hold);
      return (await isInTime(explained, until)) ? explained : `${hold.words}; the budget is looked at again`;
    };
  }
}

const isStaying = ({ endsAt }: Pod): boolean => endsAt === undefined;

/** Nothing was asked of it, as its label wants: it is to end by itself. */
const isAwaited = ({ pod, part }: PodChoice, notes: PodNotes): boolean =>
  part === 'await' && isStaying(pod) && notes[pod.uid] === undefined;

function isUnreachableFor(node: Node, now: number): boolean {
  const ready = readinessOf(node);
  return (silentFrom(ready?.status, ready?.lastTransitionTime) ?? Infinity) <= now;
}
