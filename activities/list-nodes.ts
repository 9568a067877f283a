import type { KubeClient } from '../k8s/client.ts';
import type { Node } from '../k8s/model/node.ts';
import { NODES } from '../k8s/resources.ts';
import type { Clock } from '../providers/clock.ts';
import { coalesce } from './coalesce.ts';

/** All Nodes as they are now: those who ask at the same time share one list. */
export type ListNodes = () => Promise<readonly Node[]>;

/**
 * How long a look for a Node waits for others to share one list with, in milliseconds: at least, at most, and for each Node
 * that the last list had. Thousands of Nodes are not listed twenty times a second.
 */
const GATHER_MS = { least: 50, most: 1000, perNode: 1 } as const;

export function createListNodes(kube: KubeClient, clock: Clock): ListNodes {
  let listed = 0;
  const list = coalesce(
    clock,
    async () => {
      const { items } = await kube.list<Node>(NODES);
      listed = items.length;
      return items;
    },
    () => Math.min(GATHER_MS.most, Math.max(GATHER_MS.least, listed * GATHER_MS.perNode)),
    { isHeavy: true },
  );
  return () => list('all');
}
