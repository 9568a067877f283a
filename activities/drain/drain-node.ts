import { isPassing, KubeError } from '../../k8s/kube-error.ts';
import { purposeOf } from '../../k8s/model/drain.ts';
import { isReady, readinessOf, silentFrom, type Node } from '../../k8s/model/node.ts';
import type { Machine } from '../../k8s/model/machine.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { delay } from '../../providers/clock.ts';
import { given } from '../../providers/given.ts';
import { agoMs, momentOf, type Moment } from '../../providers/moment.ts';
import type {
  DrainActivities,
  DrainAnswer,
  DrainNode,
  ForceTimes,
  PodNotes,
} from '../../workflows/machine/drain-activities.ts';
import { createExistingDaemonSets } from '../daemon-sets.ts';
import type { MachineDeps } from '../deps.ts';
import { objectChanged, unlessPassing } from '../failures.ts';
import { ACT_MS, active } from '../machine-reader.ts';
import type { OwnNodes } from '../own-node.ts';
import { createAskPods } from './ask-pods.ts';
import { createAttachedVolumes, unlessUnseen } from './attached-volumes.ts';
import { chooseDaemonPods, choosePods, type PodChoice } from './choose-pods.ts';
import { closeNode, uncordon } from './cordon.ts';
import { describeTrouble } from './describe-trouble.ts';
import { forceTimesOf } from './hurry.ts';
import { createExplainBudget } from './explain-budget.ts';
import { createExplainHold } from './explain-hold.ts';
import { podsOn } from './pods-on.ts';
import { shortenNames, shortenPodNames } from './shorten-names.ts';
import { clearOnNode, showOnNode } from './show-on-node.ts';
import { nextPassAt, planDrain, type DrainPlan } from './plan-drain.ts';
import { keepNotes } from './pod-notes.ts';
import { createSurge } from './surge.ts';

/**
 * A pod may have been bound right before the Node was cordoned, by a scheduler that had not seen that. A look that finds nothing
 * counts from so long after the cordon on. Milliseconds.
 */
const AFTER_CORDON_MS = 1000;
/**
 * How old the look at all Machines may be that shows none of them to have the Node's instance on record, in milliseconds: each pass
 * asks for one where the Node does not say for certain whose it is.
 */
const RECORDS_MS = 10_000;
/** After so long a pass looks at the Machine again before it asks pods to go, in milliseconds. */
const LOOK_AGAIN_MS = 2000;
/** When evictions whose turn did not come are asked for again, in milliseconds. */
const UNSENT_MS = 1000;
/** How long a pass takes at most where it looks at Deployments, in milliseconds. */
const PASS_MS = 1900;

type Port = Omit<DrainActivities, 'vacateNode' | 'returnNode' | 'tellDrained'>;

/** A pass, as far as it has come. */
interface DrainPass {
  readonly request: DrainNode;
  readonly node: Node;
  readonly cordonedAt: number;
  /** When it looked at the Machine. */
  readonly lookedAt: Moment;
  /** When it began, on the clock that never goes back. */
  readonly startedAt: number;
  /** In the workflow's time. */
  readonly now: () => number;
}

interface PodsLook {
  readonly choices: readonly PodChoice[];
  readonly plan: DrainPlan;
  readonly force?: ForceTimes;
  readonly hurriedUntil?: number;
}

/** Empties the Node of a Machine. Safe to repeat. */
export function createDrainNode(deps: MachineDeps, ownNodes: OwnNodes): Port {
  const { kube, clock, reader } = deps;
  const askPods = createAskPods(kube, clock);
  const attachedVolumes = createAttachedVolumes(kube, clock);
  const daemonSets = createExistingDaemonSets(kube, clock);
  const explainBudget = createExplainBudget(kube, clock);
  const surgeIn = createSurge(deps);

  return {
    drainNode: (request) => unlessPassing(() => drain(request)),

    uncordonNode: (target) =>
      unlessPassing(async () => {
        const { machine } = active(await reader.live(target));
        if (purposeOf(machine) !== undefined) throw objectChanged('the Node is to be drained again');
        const node = await ownNodes.find(machine, target);
        const freed = node && (await uncordon(kube, node));
        if (freed !== undefined) await clearOnNode(kube, freed);
        const isStill = freed?.spec?.unschedulable === true ? { isCordoned: true as const } : {};
        return { outcome: 'done' as const, ...isStill };
      }),

    async lookAtVolumes(target) {
      try {
        const { node } = await ownNodes.look(active(await reader.seen(target, ACT_MS)).machine, target, RECORDS_MS);
        if (node === undefined) return { outcome: 'seen', volumes: shortenNames([]) };
        const choices = await choose(node);
        const staying = target.sparesLeft === true ? choices.map(({ pod }) => pod) : stayingOf(choices);
        const volumes = await attachedVolumes(node, staying);
        return { outcome: 'seen', volumes: shortenNames(volumes) };
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        const { message } = error;
        return { outcome: 'failed', message, ...(isPassing(error) ? {} : { isRefused: true as const }) };
      }
    },
  };

  async function drain(request: DrainNode): Promise<DrainAnswer> {
    const startedAt = clock.now();
    const now = () => request.now + Math.round(clock.now() - startedAt);
    const { machine, lookedAt } = await lookAtMachine(request);
    const { node: found, leftTo } = await ownNodes.look(machine, request, RECORDS_MS);
    if (found === undefined) return { outcome: 'noNode', ...given({ leftTo }) };
    const { node, isNew } = await closeNode(kube, found, request);
    const pass = {
      request,
      node,
      lookedAt,
      startedAt,
      now,
      cordonedAt: (isNew ? undefined : request.cordonedAt) ?? now(),
    };
    let look = await lookAtPods(pass);
    if (look.plan.left.length === 0) {
      look = (await lookLater(pass)) ?? look;
      if (look.plan.left.length === 0) {
        // The Node is empty, whether or not its volumes can be looked at now.
        const volumes = await unlessUnseen(attachedVolumes(node, stayingOf(look.choices)));
        const isTold = await showOnNode(deps, node, { request, point: 'drained' });
        const abandoned = shortenPodNames(look.plan.abandoned);
        return { outcome: 'drained', abandoned, ...given({ volumes }), ...(isTold ? {} : { isUntold: true as const }) };
      }
    }
    return actOn(pass, look);
  }

  /** The Machine, if its Node is still to be empty. */
  async function lookAtMachine(request: DrainNode): Promise<{ readonly machine: Machine; readonly lookedAt: Moment }> {
    const lookedAt = momentOf(clock);
    const { machine } = active(await reader.seen(request, ACT_MS));
    if (purposeOf(machine) === request.purpose) return { machine, lookedAt };
    throw objectChanged(`the Node is not to be empty for ${request.purpose}`);
  }

  /** Undefined: the look that was made counts already. */
  async function lookLater(pass: DrainPass): Promise<PodsLook | undefined> {
    const { cordonedAt, request } = pass;
    if (cordonedAt + AFTER_CORDON_MS <= request.now) return undefined;
    await delay(clock, Math.min(AFTER_CORDON_MS, cordonedAt + AFTER_CORDON_MS - pass.now()));
    return lookAtPods(pass);
  }

  async function lookAtPods(pass: DrainPass): Promise<PodsLook> {
    const { node, request, now } = pass;
    const { notes, sparedUntil } = request;
    const choices =
      request.stage === 'pods' ? await choose(node, now() < (sparedUntil ?? 0)) : await chooseDaemons(node);
    const isUnreachable = isUnreachableFor(node, now());
    const times = forceTimesOf(request, choices);
    const { force } = times;
    return { choices, plan: planDrain({ choices, notes, now: now(), isUnreachable, ...given({ force }) }), ...times };
  }

  async function choose(node: Node, isSparing = false): Promise<PodChoice[]> {
    const pods = await podsOn(kube, node);
    return choosePods(pods, await daemonSets(pods), isSparing);
  }

  async function chooseDaemons(node: Node): Promise<PodChoice[]> {
    const pods = await podsOn(kube, node);
    return chooseDaemonPods(pods, await daemonSets(pods));
  }

  async function actOn(pass: DrainPass, { choices, plan, force, hurriedUntil }: PodsLook): Promise<DrainAnswer> {
    const { request, cordonedAt, now, node } = pass;
    const before = keepNotes(request.notes, plan.left);
    const isLate = agoMs(clock, pass.lookedAt) > LOOK_AGAIN_MS;
    const { lookedAt } = isLate ? await lookAtMachine(request) : pass;
    const tried = await askPods({ plan, notes: before, lookedAt, now });
    const left = plan.left
      .map((pod) => tried.get(pod.uid)?.left ?? (tried.has(pod.uid) ? undefined : pod))
      .filter((pod) => pod !== undefined);
    const isOver = force !== undefined && now() >= force.deadline;
    if (isOver && request.purpose === 'deletion') {
      const volumes = await unlessUnseen(attachedVolumes(node, [...stayingOf(choices), ...left]));
      const isTold = await showOnNode(deps, node, { request, point: 'cutShort' });
      const abandoned = shortenPodNames(left);
      return { outcome: 'expired', abandoned, ...given({ volumes }), ...(isTold ? {} : { isUntold: true as const }) };
    }
    const fresh = Object.fromEntries(
      [...tried].flatMap(([uid, { note }]) => (note === undefined ? [] : [[uid, note]])),
    );
    const notes = keepNotes({ ...before, ...fresh }, left.filter(isStaying));
    const surge = surgeIn({
      machine: request.ref,
      drainStartedAt: request.startedAt,
      rolls: request.rolls ?? {},
      until: pass.startedAt + PASS_MS,
    });
    const explain = createExplainHold(explainBudget, surge, notes);
    const [trouble] = await Promise.all([describeTrouble(left, notes, now(), explain), surge.lookAtAll(left, fresh)]);
    const partOf = new Map(choices.map(({ pod, part }) => [pod.uid, part]));
    const leftChoices = left.map((pod) => ({ pod, part: partOf.get(pod.uid) ?? ('evict' as const) }));
    const awaited = leftChoices.filter((choice) => isAwaited(choice, notes)).map(({ pod }) => pod);
    const held = Object.keys(notes).length;
    const isUnsent = [...tried.values()].some((one) => one.isUnsent === true);
    const leaving = left.filter((pod) => !isStaying(pod)).length;
    await showOnNode(deps, node, { request, point: leaving === left.length ? 'ending' : 'draining' });
    return {
      outcome: 'draining',
      node: node.metadata.name,
      cordonedAt,
      counts: { leaving, held, waiting: left.length - leaving - held },
      ...given({ trouble }),
      ...(awaited.length === 0 ? {} : { awaited: shortenPodNames(awaited) }),
      notes,
      ...surge.outcome(),
      ...given({ hurriedUntil }),
      ...(isOver && left.length > 0 ? { overdue: shortenPodNames(left) } : {}),
      until: isUnsent
        ? now() + UNSENT_MS
        : nextPassAt(leftChoices, { notes, now: now(), isUnreachable: false, ...given({ force }) }),
      ...(isReady(node) ? {} : { isNodeDown: true as const }),
    };
  }
}

const isStaying = ({ endsAt }: Pod): boolean => endsAt === undefined;

/** Nothing was asked of it: it is to end by itself. */
const isAwaited = ({ pod, part }: PodChoice, notes: PodNotes): boolean =>
  part === 'await' && isStaying(pod) && notes[pod.uid] === undefined;

function stayingOf(choices: readonly PodChoice[]): Pod[] {
  return choices.filter(({ part }) => part === 'leave').map(({ pod }) => pod);
}

function isUnreachableFor(node: Node, now: number): boolean {
  const ready = readinessOf(node);
  return (silentFrom(ready?.status, ready?.lastTransitionTime) ?? Infinity) <= now;
}
