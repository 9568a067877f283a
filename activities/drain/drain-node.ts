import { isPassing, KubeError } from '../../k8s/kube-error.ts';
import type { DisruptionBudget } from '../../k8s/model/disruption-budget.ts';
import { DRAIN_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import { readinessOf, type Node } from '../../k8s/model/node.ts';
import { readPod, type Pod, type StoredPod } from '../../k8s/model/pod.ts';
import { DAEMON_SETS, DISRUPTION_BUDGETS, NODES, PODS } from '../../k8s/resources.ts';
import { delay } from '../../providers/clock.ts';
import { given } from '../../providers/given.ts';
import type { DrainActivities, DrainAnswer, DrainNode, PodNote } from '../../workflows/machine/drain-activities.ts';
import type { MachineTarget } from '../../workflows/machine/machine-activities.ts';
import { coalesce } from '../coalesce.ts';
import type { MachineDeps } from '../deps.ts';
import { objectChanged, onObject } from '../failures.ts';
import { ACT_MS, active } from '../machine-reader.ts';
import type { FindOwnNode } from '../own-node.ts';
import { createAttachedVolumes } from './attached-volumes.ts';
import { choosePods, type PodChoice } from './choose-pods.ts';
import { describeBudget } from './describe-budget.ts';
import { describeTrouble } from './describe-trouble.ts';
import { PodCalls } from './evictions.ts';
import { nameSome } from './name-some.ts';
import { nextPassAt, planDrain, type DrainPlan } from './plan-drain.ts';
import { keepNotes, noteHeld } from './pod-notes.ts';
import type { EvictionAnswer } from './read-eviction.ts';

/** A Node whose kubelet has been silent for so long is taken for unreachable, in milliseconds. */
const UNREACHABLE_MS = 60_000;
/**
 * A pod may have been bound right before the Node was cordoned, by a scheduler that had not seen that. A look that finds nothing
 * counts from so long after the cordon on. Milliseconds.
 */
const AFTER_CORDON_MS = 1000;
/** How long a pass waits for answers to its evictions and deletions, in milliseconds. */
const PATIENCE_MS = 1500;
/** How long a look at what all drains share waits for others, in milliseconds. */
const GATHER_MS = 100;

/** A pass, as far as it has come. */
interface DrainPass {
  readonly request: DrainNode;
  readonly node: Node;
  readonly cordonedAt: number;
  /** In the workflow's time. */
  readonly now: () => number;
}

interface PodsLook {
  readonly choices: readonly PodChoice[];
  readonly plan: DrainPlan;
}

/** Empties the Node of a Machine that is being deleted. Safe to repeat. */
export function createDrainNode(deps: MachineDeps, findOwnNode: FindOwnNode): DrainActivities {
  const { kube, clock, reader } = deps;
  const calls = new PodCalls(kube, clock);
  const attachedVolumes = createAttachedVolumes(kube, clock);
  const daemonSets = coalesce(
    clock,
    async () => new Set((await kube.list<StoredPod>(DAEMON_SETS)).items.map(({ metadata }) => metadata.uid)),
    GATHER_MS,
  );
  const budgetsIn = coalesce(
    clock,
    async (namespace) => (await kube.list<DisruptionBudget>(DISRUPTION_BUDGETS, { namespace })).items,
    GATHER_MS,
  );

  return {
    async drainNode(request) {
      try {
        return await drain(request);
      } catch (error) {
        if (!isPassing(error)) throw error;
        return { outcome: 'failed', message: error.message };
      }
    },

    async lookAtVolumes(target) {
      try {
        const node = await ownNode(target);
        const volumes = node === undefined ? [] : await attachedVolumes(node, stayingOf(await choose(node)));
        return { outcome: 'seen', volumes: nameSome(volumes) };
      } catch (error) {
        if (!isPassing(error)) throw error;
        return { outcome: 'failed', message: error.message };
      }
    },
  };

  async function drain(request: DrainNode): Promise<DrainAnswer> {
    const startedAt = clock.now();
    const now = () => request.now + Math.round(clock.now() - startedAt);
    const found = await ownNode(request);
    if (found === undefined) return { outcome: 'noNode' };
    const isCordoned = found.spec?.unschedulable === true && request.cordonedAt !== undefined;
    const node = isCordoned ? found : await cordon(found);
    const pass = { request, node, now, cordonedAt: (isCordoned ? request.cordonedAt : undefined) ?? now() };
    let look = await lookAtPods(pass);
    if (look.plan.left.length === 0) {
      look = (await lookLater(pass)) ?? look;
      if (look.plan.left.length === 0) {
        const volumes = await attachedVolumes(node, stayingOf(look.choices));
        return { outcome: 'drained', abandoned: named(look.plan.abandoned), volumes: nameSome(volumes) };
      }
    }
    return actOn(pass, look);
  }

  async function ownNode(target: MachineTarget): Promise<Node | undefined> {
    const { machine } = active(await reader.seen(target, ACT_MS));
    if (machine.deletedAt === undefined) throw objectChanged('the Machine is not being deleted');
    return findOwnNode(machine);
  }

  /** Its answer tells that no scheduler that sees it binds a pod to the Node any more. */
  async function cordon({ metadata: { name, uid } }: Node): Promise<Node> {
    const body = { metadata: { uid }, spec: { unschedulable: true } };
    return onObject(() => kube.apply<Node>(NODES, undefined, name, body, { fieldManager: DRAIN_FIELD_MANAGER }));
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
    const choices = await choose(node);
    const { notes, force } = request;
    const isUnreachable = isUnreachableFor(node, now());
    return { choices, plan: planDrain({ choices, notes, now: now(), isUnreachable, ...given({ force }) }) };
  }

  async function choose(node: Node): Promise<PodChoice[]> {
    const fieldSelector = `spec.nodeName=${node.metadata.name}`;
    const { items } = await kube.list<StoredPod>(PODS, { fieldSelector });
    const pods = items.map(readPod);
    const isOfDaemon = pods.some(({ controller }) => controller?.kind === 'DaemonSet');
    return choosePods(pods, isOfDaemon ? await daemonSets('all') : new Set());
  }

  async function actOn(pass: DrainPass, { choices, plan }: PodsLook): Promise<DrainAnswer> {
    const { request, cordonedAt, now, node } = pass;
    const { force } = request;
    const before = keepNotes(request.notes, plan.left);
    const [evicted, removed] = await Promise.all([
      Promise.all(plan.evict.map(async (pod) => ask(pod, before[pod.uid], now))),
      Promise.all(plan.remove.map(async ({ pod, graceSeconds }) => remove(pod, graceSeconds, before[pod.uid], now))),
    ]);
    const tried = new Map([...evicted, ...removed].map((one) => [one.pod.uid, one]));
    const left = plan.left
      .map((pod) => tried.get(pod.uid)?.left ?? (tried.has(pod.uid) ? undefined : pod))
      .filter((pod) => pod !== undefined);
    if (force !== undefined && now() >= force.deadline) return { outcome: 'expired', abandoned: named(left) };
    const fresh = Object.fromEntries(
      [...tried].flatMap(([uid, { note }]) => (note === undefined ? [] : [[uid, note]])),
    );
    const notes = keepNotes({ ...before, ...fresh }, left.filter(isStaying));
    const explain = async (pod: Pod) => {
      const note = notes[pod.uid];
      const words = note?.message ?? 'it cannot be evicted now';
      const isBudget = note?.by === 'budget' || note?.by === 'budgets';
      return isBudget ? explainBudget(pod, words) : words;
    };
    const partOf = new Map(choices.map(({ pod, part }) => [pod.uid, part]));
    const leftChoices = left.map((pod) => ({ pod, part: partOf.get(pod.uid) ?? ('evict' as const) }));
    const held = Object.keys(notes).length;
    const leaving = left.filter((pod) => !isStaying(pod)).length;
    return {
      outcome: 'draining',
      cordonedAt,
      counts: { leaving, held, waiting: left.length - leaving - held },
      ...given({ trouble: await describeTrouble(left, notes, now(), explain) }),
      notes,
      until: nextPassAt(leftChoices, { notes, now: now(), isUnreachable: false, ...given({ force }) }),
      ...(isReady(node) ? {} : { isNodeDown: true as const }),
    };
  }

  /** What came of the evictions must not be lost where the budgets cannot be read. */
  async function explainBudget(pod: Pod, words: string): Promise<string> {
    try {
      return describeBudget(pod, await budgetsIn(pod.namespace), words);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return `a PodDisruptionBudget keeps it, and cannot be read: ${error.message}`;
    }
  }

  async function ask(pod: Pod, before: PodNote | undefined, now: () => number): Promise<Tried> {
    const answer = await calls.evict(pod, PATIENCE_MS);
    return triedOf(pod, answer, { before, now: now(), graceMs: pod.graceMs });
  }

  async function remove(
    pod: Pod,
    graceSeconds: number,
    before: PodNote | undefined,
    now: () => number,
  ): Promise<Tried> {
    const answer = await calls.remove(pod, graceSeconds, PATIENCE_MS);
    return triedOf(pod, answer, { before, now: now(), graceMs: graceSeconds * 1000 });
  }
}

/** What became of a pod that was asked to go; `left` is missing where it is gone. */
interface Tried {
  readonly pod: Pod;
  readonly left?: Pod;
  readonly note?: PodNote;
}

function triedOf(
  pod: Pod,
  answer: EvictionAnswer,
  { before, now, graceMs }: { readonly before: PodNote | undefined; readonly now: number; readonly graceMs: number },
): Tried {
  if (answer.outcome === 'held') return { pod, left: pod, note: noteHeld(before, answer, now) };
  return answer.outcome === 'accepted' ? { pod, left: asLeaving(pod, graceMs, now) } : { pod };
}

const isStaying = ({ endsAt }: Pod): boolean => endsAt === undefined;

function asLeaving(pod: Pod, graceMs: number, now: number): Pod {
  return { ...pod, endsAt: pod.endsAt ?? now + graceMs, askedToEndAt: pod.askedToEndAt ?? now };
}

function stayingOf(choices: readonly PodChoice[]): Pod[] {
  return choices.filter(({ part }) => part === 'leave').map(({ pod }) => pod);
}

function named(pods: readonly Pod[]) {
  return nameSome(pods.map(({ namespace, name }) => `${namespace}/${name}`));
}

function isReady(node: Node): boolean {
  return readinessOf(node)?.status === 'True';
}

function isUnreachableFor(node: Node, now: number): boolean {
  const { status, lastTransitionTime = '' } = readinessOf(node) ?? {};
  return status === 'Unknown' && now - Date.parse(lastTransitionTime) >= UNREACHABLE_MS;
}
