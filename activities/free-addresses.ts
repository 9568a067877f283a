import type { InstanceAddress } from '../providers/provider.ts';
import type { MachineDeps } from './deps.ts';

/** Those that no other Machine has by now: whose instance has ended may have given its address to another. */
export async function freeAddresses(
  { reader }: Pick<MachineDeps, 'reader'>,
  uid: string,
  addresses: readonly InstanceAddress[],
): Promise<readonly InstanceAddress[]> {
  if (addresses.length === 0) return [];
  const others = (await reader.all()).filter(({ machine }) => machine.ref.uid !== uid);
  const taken = new Set(others.flatMap(({ machine }) => machine.status.addresses.map(({ address }) => address)));
  return addresses.filter(({ address }) => !taken.has(address));
}
