import { given } from '../../providers/given.ts';
import type { JoinAnswer } from './node-activities.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';
import { nodeTarget } from './proved-instance.ts';

/** Looks for the Node of the instance on record, where that was proved to be the machine's, and marks it. */
export function joinNode(pass: Pass): Promise<JoinAnswer> {
  const { memory, status } = pass;
  return local.joinNode({
    ...nodeTarget(pass),
    addresses: memory.addresses ?? [],
    ...given({ notBefore: status.launch?.preparedAt }),
  });
}
