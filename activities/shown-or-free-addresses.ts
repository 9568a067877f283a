import type { InstanceAddress } from '../providers/provider.ts';
import type { MachineDeps } from './deps.ts';

/**
 * The addresses by which an instance is taken from behind its load balancers. Of one that has ended the cloud shows none: it may have given
 * them to another by now. So of those on record the ones count that no other Machine has.
 *
 * @param uid of its Machine
 */
export async function shownOrFreeAddresses(
  { reader }: Pick<MachineDeps, 'reader'>,
  uid: string,
  shown: readonly InstanceAddress[],
  recorded: readonly InstanceAddress[],
): Promise<readonly InstanceAddress[]> {
  if (shown.length > 0 || recorded.length === 0) return shown;
  const others = (await reader.all()).filter(({ machine }) => machine.ref.uid !== uid);
  const taken = new Set(others.flatMap(({ machine }) => machine.status.addresses.map(({ address }) => address)));
  return recorded.filter(({ address }) => !taken.has(address));
}
