/** The instances that may be some Machines', by as few describes as EC2's filters allow. */

import type { Filter } from '@aws-sdk/client-ec2';
import { describeOwner } from '../describe-owner.ts';
import { machineKeyOf } from '../machine-key.ts';
import type { Instance, MachineSearch } from '../provider.ts';
import { clusterTag, MACHINE_TAG, UID_TAG } from './owner-tags.ts';

/** One describe: all filters must match, of each filter one of its values. */
type Look = (attempted: string, filters: readonly Filter[]) => Promise<readonly Instance[]>;

interface Found {
  readonly instances: readonly Instance[];
  /** Whose an instance of this answer may be. */
  readonly isOf: (search: MachineSearch, instance: Instance) => boolean;
}

const LIVING = filter('instance-state-name', ['pending', 'running', 'stopping', 'stopped']);

/**
 * What may be each Machine's, in the order of the searches: one describe by uid, one by token, one by namespace and name,
 * and one by name for each cluster.
 * @param searches at most as many as one filter has room for values, which is 200
 */
export async function findByMachines(
  look: Look,
  searches: readonly MachineSearch[],
): Promise<readonly (readonly Instance[])[]> {
  const [first] = searches;
  if (first === undefined) return [];
  const who = searches.length === 1 ? describeOwner(first.owner) : `${searches.length} Machines`;
  const attempted = `find the instances of ${who}`;
  const tokens = searches.flatMap(({ token }) => (token === undefined ? [] : [token]));
  const clusters = new Set(searches.map(({ owner }) => owner.clusterName).filter((name) => name !== ''));

  const byUid = async (): Promise<Found> => ({
    instances: await look(`${attempted} by uid`, [
      filter(
        `tag:${UID_TAG}`,
        searches.map(({ owner }) => owner.uid),
      ),
    ]),
    isOf: ({ owner }, { machineUid }) => machineUid === owner.uid,
  });
  const byToken = async (): Promise<Found> => ({
    instances: await look(`${attempted} by client token`, [filter('client-token', tokens)]),
    isOf: (search, { token }) => token !== undefined && token === search.token,
  });
  const byName = async (clusterName: string): Promise<Found> => {
    const names = searches.filter(({ owner }) => owner.clusterName === clusterName).map(({ owner }) => owner.name);
    return {
      instances: await look(`${attempted} by name`, [
        filter('tag:Name', names),
        filter('tag-key', [clusterTag(clusterName)]),
        LIVING,
      ]),
      isOf: ({ owner }, { name }) => owner.clusterName === clusterName && owner.name === name,
    };
  };
  const byKey = async (): Promise<Found> => ({
    instances: await look(`${attempted} by namespace and name`, [
      filter(
        `tag:${MACHINE_TAG}`,
        searches.map(({ owner }) => machineKeyOf(owner)),
      ),
      LIVING,
    ]),
    isOf: ({ owner }, { machineKey }) => machineKey === machineKeyOf(owner),
  });

  const found = await Promise.all([
    byUid(),
    ...(tokens.length === 0 ? [] : [byToken()]),
    ...[...clusters].map(byName),
    byKey(),
  ]);
  return searches.map((search) => {
    // What one alone asked for is all its own.
    const isIts = (instance: Instance, isOf: Found['isOf']) => searches.length === 1 || isOf(search, instance);
    const its = found.flatMap(({ instances, isOf }) => instances.filter((instance) => isIts(instance, isOf)));
    return [...new Map(its.map((instance) => [instance.id, instance])).values()];
  });
}

function filter(name: string, values: readonly string[]): Filter {
  return { Name: name, Values: [...new Set(values)] };
}
