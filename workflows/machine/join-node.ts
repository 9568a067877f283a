import { given } from '../../providers/given.ts';
import type { JoinAnswer } from './node-activities.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';

/** Looks for the Node of the instance on record, and marks it as the machine's. */
export function joinNode({ target, status: { addresses, launch } }: Pass): Promise<JoinAnswer> {
  return local.joinNode({
    ...target,
    addresses: addresses.map(({ address }) => address),
    ...given({ notBefore: launch?.preparedAt }),
  });
}
