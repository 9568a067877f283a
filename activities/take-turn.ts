import { microTime, readLease, writeLease, type Lease } from '../k8s/lease.ts';
import {
  isControlPlaneNode,
  isToLeanOn,
  NEXT_ANNOTATION,
  outOfTurnOf,
  SIZE_ANNOTATION,
  sizeOf,
  whyNotNow,
} from '../k8s/model/control-plane.ts';
import { purposeOf } from '../k8s/model/drain.ts';
import { MACHINE_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { isHeld } from '../k8s/model/node.ts';
import type { Machine } from '../k8s/model/machine.ts';
import { describeRef } from '../k8s/model/object-ref.ts';
import type { ControlPlaneActivities, TakeTurn, TurnAnswer } from '../workflows/machine/control-plane-activities.ts';
import { isGone, wasProvedGone } from '../workflows/machine/instance-facts.ts';
import { controlPlaneLeaseName } from './control-plane-lease-name.ts';
import type { MachineDeps } from './deps.ts';
import { unlessPassing } from './failures.ts';
import { active } from './machine-reader.ts';
import { given } from '../providers/given.ts';

/** Whose turn it is, on the Lease, for who looks at it. */
const HOLDER_ANNOTATION = 'millwright.dev/holder';

/** A Lease that changes this often between a look and a write is tried again later. */
const MOST_TRIES = 3;

const WHAT_IT_DOES = {
  deletion: 'is being deleted',
  maintenance: 'is in maintenance',
  reboot: 'is being rebooted',
} as const;

/** What the Lease says, by the uids of Machines; empty: none. */
interface Turns {
  /** Whose turn it is. */
  readonly holder: string;
  /** Whose turn is next. */
  readonly next: string;
}

/** What a refusal goes by, beside how the others are. */
interface Judgement {
  readonly machines: readonly Machine[];
  /** The others can lean on its Node. */
  readonly isWell: boolean;
}

/**
 * One machine of a control plane at a time is emptied and ended, by a Lease that its Machine holds. What only one may do is judged
 * while it is held: a look before that may show what the holder before it was about to change.
 */
export function createTakeTurn(deps: MachineDeps): ControlPlaneActivities {
  const { kube, reader, clock, leaseNamespace: namespace } = deps;

  return {
    takeTurn: (request) =>
      unlessPassing(async () => {
        const { machine } = active(await reader.live(request));
        for (let tries = 0; tries < MOST_TRIES; tries += 1) {
          const answer = await tryOnce(machine, request);
          if (answer !== 'changed') return answer;
        }
        return { outcome: 'refused', message: `${describeLease(machine)} keeps changing: others want it as well` };
      }),
  };

  async function tryOnce(machine: Machine, request: TakeTurn): Promise<TurnAnswer | 'changed'> {
    const name = controlPlaneLeaseName(machine.clusterName);
    const lease = await readLease(kube, namespace, name);
    const { uid } = machine.ref;
    const holder = lease?.spec?.holderIdentity ?? '';
    const next = nextNoted(lease);
    // What it has begun in its turn it goes on with: how the others are counted when it began.
    if (request.isBegun === true && holder === uid) return { outcome: 'taken' };
    const first = await judge(machine, request, lease);
    const { sizeSeen } = first;
    const message = first.message ?? whyHeld(machine, { holder, next }, first);
    if (message !== undefined) {
      const isFreed = holder === uid;
      const isNoted = sizeSeen === sizeNoted(lease);
      // Others that are Ready wait for one that is drained already: else two would be drained at once.
      const isFirst = first.isDrained && whyFirst(machine, next, first.machines) === undefined;
      const left = isFreed ? { holder: '', next: isFirst ? uid : next } : { holder, next };
      const isWritten = (isNoted && !isFreed) || (await write(name, lease, { ...left, sizeSeen }));
      return isWritten ? { outcome: 'refused', message } : 'changed';
    }
    if (holder === uid) return { outcome: 'taken' };
    const isNextToWait = whyFirst(machine, next, first.machines) !== undefined;
    const taken = { holder: uid, next: isNextToWait ? next : '', sizeSeen };
    if (!(await write(name, lease, taken, machine))) return 'changed';
    // Once more, now that nobody else can: it is given back where that tells otherwise.
    return tryOnce(machine, request);
  }

  /**
   * Why it may not go now, by how the others are; the greatest size of the control plane that was seen; all Machines, as they were seen
   * for that; and how its own Node is.
   */
  async function judge(machine: Machine, { node: own }: TakeTurn, lease: Lease | undefined) {
    const [nodes, reads] = await Promise.all([reader.nodes(), reader.all()]);
    const machines = reads.map((read) => read.machine);
    const ofCluster = machines.filter(({ clusterName }) => clusterName === machine.clusterName);
    const recorded = namesOf(ofCluster.filter(({ status }) => status.isControlPlane === true));
    const all = nodes.filter((node) => isControlPlaneNode(node) || recorded.has(node.metadata.name));
    const others = all.filter(({ metadata }) => metadata.name !== own);
    const sizeSeen = Math.max(sizeNoted(lease), sizeOf(all.length));
    const { controlPlaneSize: size = sizeSeen } = machine;
    // Until the node monitor has noticed, the Node of an instance that ended says that it is Ready.
    const going = namesOf(ofCluster.filter((one) => outOfTurnOf(one) !== undefined || isEnded(one)));
    const before = lease?.metadata.annotations?.[HOLDER_ANNOTATION];
    // One whose deletion was aborted has no replacement to come.
    const isBack = machines.some(({ ref, deletedAt }) => deletedAt === undefined && describeRef(ref) === before);
    const last = isBack || before === describeRef(machine.ref) ? undefined : before;
    const message = whyNotNow({ size, others, going, ...given({ last }) }, whoSaysSize(machine));
    const node = nodes.find(({ metadata }) => metadata.name === own);
    const isDrained = node !== undefined && isHeld(node);
    return { machines, sizeSeen, message, isDrained, isWell: node !== undefined && isToLeanOn(node, going) };
  }

  /** One that is drained goes before all others, but for one that it may be waiting for. */
  function whyHeld(machine: Machine, { holder, next }: Turns, { machines, isWell }: Judgement): string | undefined {
    if (holder === machine.ref.uid) return undefined;
    return whyFirst(machine, holder, machines) ?? (isWell ? whyFirst(machine, next, machines) : undefined);
  }

  /** Whoever has the turn has it until it is gone, but for what others hold, or is not to be emptied any more. */
  function whyFirst(machine: Machine, uid: string, machines: readonly Machine[]): string | undefined {
    if (uid === machine.ref.uid) return undefined;
    const by = machines.find(({ ref }) => ref.uid === uid);
    const purpose = by && purposeOf(by);
    if (by === undefined || purpose === undefined || isOver(by)) return undefined;
    const what = WHAT_IT_DOES[purpose];
    return `${describeRef(by.ref)} of the same control plane ${what}, and one goes at a time (Lease ${describeLease(machine)})`;
  }

  /** False: somebody else has written it meanwhile. */
  async function write(
    name: string,
    lease: Lease | undefined,
    { holder: holderIdentity, next, sizeSeen }: Turns & { readonly sizeSeen: number },
    holder?: Machine,
  ): Promise<boolean> {
    const annotations = {
      [SIZE_ANNOTATION]: String(sizeSeen),
      ...given({
        [NEXT_ANNOTATION]: next === nextNoted(lease) ? undefined : next,
        [HOLDER_ANNOTATION]: holder && describeRef(holder.ref),
      }),
    };
    const isNew = holder !== undefined;
    const { leaseTransitions = 0 } = lease?.spec ?? {};
    const spec = {
      holderIdentity,
      ...(isNew ? { acquireTime: microTime(clock.timeOfDay()), leaseTransitions: leaseTransitions + 1 } : {}),
    };
    const write = { namespace, name, lease, annotations, spec, fieldManager: MACHINE_FIELD_MANAGER };
    return (await writeLease(kube, write)) !== undefined;
  }

  function whoSaysSize(machine: Machine): string {
    const { clusterName, controlPlaneSize, ref } = machine;
    return controlPlaneSize === undefined
      ? `by annotation ${SIZE_ANNOTATION} of Lease ${describeLease(machine)}`
      : `as Cluster ${ref.namespace}/${clusterName} says`;
  }

  function describeLease({ clusterName }: Machine): string {
    return `${namespace}/${controlPlaneLeaseName(clusterName)}`;
  }
}

function nextNoted(lease: Lease | undefined): string {
  return lease?.metadata.annotations?.[NEXT_ANNOTATION] ?? '';
}

/** Our part of its deletion is: its instance and its Node are gone. */
function isOver({ deletedAt, hasFinalizer }: Machine): boolean {
  return deletedAt !== undefined && !hasFinalizer;
}

function isEnded({ status }: Machine): boolean {
  return wasProvedGone(status) || (status.instance !== undefined && isGone(status.instance.state));
}

function namesOf(machines: readonly Machine[]): ReadonlySet<string> {
  return new Set(machines.flatMap(({ status: { nodeRef } }) => (nodeRef === undefined ? [] : [nodeRef.name])));
}

function sizeNoted(lease: Lease | undefined): number {
  const noted = Number(lease?.metadata.annotations?.[SIZE_ANNOTATION] ?? 0);
  return Number.isInteger(noted) && noted > 0 ? noted : 0;
}
