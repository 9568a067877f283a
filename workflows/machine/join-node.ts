import { given } from '../../providers/given.ts';
import { toldAddresses } from './instance-facts.ts';
import type { JoinAnswer } from './node-activities.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';
import { nodeTarget } from './proved-instance.ts';

/** Looks for the Node of the instance on record, where that was proved to be the machine's, and marks it. */
export function joinNode(pass: Pass): Promise<JoinAnswer> {
  const { instance, launch } = pass.status;
  const addresses = toldAddresses(pass, instance?.id) ?? [];
  return local.joinNode({ ...nodeTarget(pass), addresses, ...given({ notBefore: launch?.preparedAt }) });
}
