import { purposeOf } from '../../k8s/model/drain.ts';
import type { Node } from '../../k8s/model/node.ts';
import { momentOf } from '../../providers/moment.ts';
import type { NodeTarget } from '../../workflows/machine/node-activities.ts';
import type { MachineDeps } from '../deps.ts';
import { objectChanged } from '../failures.ts';
import { ACT_MS, active } from '../machine-reader.ts';
import type { OwnNodes } from '../own-node.ts';
import { RECORDS_MS } from './drain-looks.ts';
import { writtenLate } from './in-time.ts';

interface NodeOfDeleted {
  readonly node: Node | undefined;
  /** Asked right before something is written to it. */
  readonly isLate: () => boolean;
}

/**
 * The Node of a Machine that is to be deleted.
 *
 * @throws the failure ObjectChanged: the Machine is not to be deleted any more
 */
export async function nodeOfDeleted(
  { reader, clock }: Pick<MachineDeps, 'reader' | 'clock'>,
  ownNodes: OwnNodes,
  target: NodeTarget,
): Promise<NodeOfDeleted> {
  // The look may be as old as that.
  const lookedAt = momentOf(clock);
  const { machine } = active(await reader.seen(target, ACT_MS));
  if (purposeOf(machine) !== 'deletion') throw objectChanged('the Machine is not to be deleted');
  const { node } = await ownNodes.look(machine, target, RECORDS_MS);
  return { node, isLate: writtenLate(clock, lookedAt) };
}
