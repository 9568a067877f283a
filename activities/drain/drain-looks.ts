import type { Machine } from '../../k8s/model/machine.ts';
import type { Node } from '../../k8s/model/node.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { purposeOf } from '../../k8s/model/drain.ts';
import { unlessGone } from '../../k8s/kube-error.ts';
import { NODES } from '../../k8s/resources.ts';
import { momentOf, type Moment } from '../../providers/moment.ts';
import type { DrainNode } from '../../workflows/machine/drain-activities.ts';
import { createExistingDaemonSets } from '../daemon-sets.ts';
import type { MachineDeps } from '../deps.ts';
import { objectChanged } from '../failures.ts';
import { ACT_MS, active } from '../machine-reader.ts';
import type { OwnNode, OwnNodes } from '../own-node.ts';
import { CarriedLooks, type Carried } from './carried-looks.ts';
import { podsOn } from './pods-on.ts';

/**
 * How old the look at all Machines may be that shows none of them to have the Node's instance on record, in milliseconds: each pass
 * asks for one where the Node does not say for certain whose it is.
 */
export const RECORDS_MS = 10_000;

/** What is on a Node, and which DaemonSets exist. */
export interface OnNode {
  readonly pods: readonly Pod[];
  readonly daemonSets: ReadonlySet<string>;
}

interface NodeLook extends OwnNode {
  /** When the Machine was looked at whose Node it is. */
  readonly lookedAt: Moment;
}

interface LookAgain {
  /** When it began. */
  readonly lookedAt: Moment;
  /** Nobody has opened the Node. */
  readonly isClosed: boolean;
}

/** What one pass of a drain looks at before it asks pods to go. Where it is over first, the next pass goes by what was seen. */
export interface PassLooks {
  /** @throws ApplicationFailure ObjectChanged, where the Node is not to be empty any more */
  node(): Promise<NodeLook>;
  /** The Node is like this by now, as a write of ours was answered with. */
  writtenTo(look: NodeLook, node: Node): void;
  /** Looks again whether the Node is to be empty, and is closed. @throws as {@link PassLooks.node} */
  again(node: Node): Promise<LookAgain>;
  pods(node: Node): Promise<Carried<OnNode>>;
  /** The same, whatever was seen before. */
  podsAnew(node: Node): Promise<Carried<OnNode>>;
  /** The next pass looks at all of it anew. */
  end(): void;
}

export interface DrainLooks {
  /** @param until when the pass has to be over, on the clock that never goes back */
  ofPass(request: DrainNode, until: number): PassLooks;
  /** What is on a Node, whatever time it takes to look. */
  readonly podsNow: (node: Node) => Promise<OnNode>;
}

/** A hook may have come since the workflow looked: the process may have stood still. */
function refuseHeld({ hooks = [] }: Machine, { purpose, stage }: DrainNode): void {
  const isHeld = purpose === 'deletion' && stage === 'pods' && hooks.some(({ point }) => point === 'preDrain');
  if (isHeld) throw objectChanged('a preDrain hook holds the drain by now');
}

export function createDrainLooks({ kube, clock, reader }: MachineDeps, ownNodes: OwnNodes): DrainLooks {
  const existingDaemonSets = createExistingDaemonSets(kube, clock);
  const nodes = new CarriedLooks<NodeLook>(clock);
  const again = new CarriedLooks<LookAgain>(clock);
  const onNodes = new CarriedLooks<OnNode>(clock);
  return { podsNow, ofPass };

  function ofPass(request: DrainNode, until: number): PassLooks {
    const { ref, purpose, ownInstance = '' } = request;
    const key = `${ref.uid} ${purpose} ${ownInstance}`;
    let podsKey = '';
    const pods = (node: Node) => {
      podsKey = `${key} ${node.metadata.uid}`;
      return onNodes.take(podsKey, until, () => podsNow(node));
    };
    return {
      async node() {
        const look = async () => {
          const { machine, lookedAt } = await lookAtMachine(request);
          const own = await ownNodes.lookToEmpty(machine, request, RECORDS_MS);
          if (own.node !== undefined) refuseHeld(machine, request);
          return { ...own, lookedAt };
        };
        return (await nodes.take(key, until, look)).seen;
      },
      writtenTo: (look, node) => nodes.put(key, { seen: { ...look, node }, began: look.lookedAt }),
      again: async (node) => (await again.take(key, until, () => lookAgain(request, node))).seen,
      pods,
      podsAnew(node) {
        onNodes.drop(podsKey);
        return pods(node);
      },
      end() {
        for (const looks of [nodes, again]) looks.drop(key);
        onNodes.drop(podsKey);
      },
    };
  }

  async function lookAtMachine(request: DrainNode): Promise<{ readonly machine: Machine; readonly lookedAt: Moment }> {
    const lookedAt = momentOf(clock);
    const { machine } = active(await reader.seen(request, ACT_MS));
    if (purposeOf(machine) !== request.purpose) {
      throw objectChanged(`the Node is not to be empty for ${request.purpose}`);
    }
    return { machine, lookedAt };
  }

  async function lookAgain(request: DrainNode, { metadata: { name, uid } }: Node): Promise<LookAgain> {
    const [{ machine, lookedAt }, node] = await Promise.all([
      lookAtMachine(request),
      unlessGone(kube.get<Node>(NODES, undefined, name)),
    ]);
    refuseHeld(machine, request);
    return { lookedAt, isClosed: node?.metadata.uid === uid && node.spec?.unschedulable === true };
  }

  async function podsNow(node: Node): Promise<OnNode> {
    const pods = await podsOn(kube, node);
    return { pods, daemonSets: await existingDaemonSets(pods) };
  }
}
