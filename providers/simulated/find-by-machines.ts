/** The instances that may be some Machines', as the simulated cloud is asked for them. */

import { describeOwner } from '../describe-owner.ts';
import { machineKeyOf } from '../machine-key.ts';
import type { Instance, InstanceOwner, InstanceState, MachineSearch } from '../provider.ts';

/** One describe: all filters must match. */
type Look = (attempted: string, filters: Readonly<Record<string, unknown>>) => Promise<readonly Instance[]>;

const LIVING: readonly InstanceState[] = ['pending', 'running', 'stopping', 'stopped'];

/** As of {@link Provider.findByMachine}. */
export async function findByMachine(look: Look, { owner, token }: MachineSearch): Promise<readonly Instance[]> {
  const attempted = `find the instances of ${describeOwner(owner)}`;
  const { clusterName, namespace, name } = owner;
  const found = await Promise.all([
    look(`${attempted} by its uid`, { machineUid: owner.uid }),
    ...(token === undefined ? [] : [look(`${attempted} by the client token`, { clientToken: token })]),
    ...(clusterName === '' ? [] : [look(`${attempted} by its name`, { cluster: clusterName, name, states: LIVING })]),
    look(`${attempted} by its namespace and name`, { namespace, name, states: LIVING }),
  ]);
  return eachOnce(found.flat());
}

/** As of {@link Provider.findByMachines}. */
export async function findByMachines(
  look: Look,
  searches: readonly MachineSearch[],
): Promise<readonly (readonly Instance[])[]> {
  const attempted = `find the instances of ${searches.length} Machines`;
  const tokens = searches.flatMap(({ token }) => token ?? []);
  const [byUid, byToken, byName] = await Promise.all([
    look(`${attempted} by uid`, { machineUids: searches.map(({ owner }) => owner.uid) }),
    tokens.length === 0 ? [] : look(`${attempted} by client token`, { clientTokens: tokens }),
    look(`${attempted} by name`, { names: searches.map(({ owner }) => owner.name), states: LIVING }),
  ]);
  return searches.map(({ owner, token }) =>
    eachOnce([
      ...byUid.filter(({ machineUid }) => machineUid === owner.uid),
      ...byToken.filter((instance) => token !== undefined && instance.token === token),
      ...byName.filter((instance) => isNamesake(owner, instance)),
    ]),
  );
}

function eachOnce(found: readonly Instance[]): Instance[] {
  return [...new Map(found.map((instance) => [instance.id, instance])).values()];
}

/** It bears the Machine's name in its cluster, or its namespace and name. */
function isNamesake({ clusterName, namespace, name }: InstanceOwner, instance: Instance): boolean {
  if (instance.machineKey === machineKeyOf({ namespace, name })) return true;
  return instance.name === name && clusterName !== '' && instance.clusters?.includes(clusterName) === true;
}
