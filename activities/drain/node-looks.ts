import type { OwnNodes } from '../own-node.ts';
import type { AttachedVolumes } from './attached-volumes.ts';

/** How Nodes that are emptied are looked at. */
export interface NodeLooks {
  readonly ownNodes: OwnNodes;
  readonly attachedVolumes: AttachedVolumes;
}
