/** What a call is recorded with. */

import type { CallFacts } from '../front-door.ts';
import type { Instances } from '../instances.ts';
import { isDryRun } from './dry-run.ts';
import { instanceIdsIn } from './instance-ids.ts';
import { instanceTags } from './moto-launches.ts';
import { machineOfTags, MACHINE_TAG, MACHINE_UID_TAG } from './machine-tags.ts';
import type { QueryRequest } from './query-request.ts';

export function factsOf(request: QueryRequest, instances: Instances): CallFacts {
  if (request.action === 'RunInstances') {
    // It is no launch, and its token is bound to nothing.
    if (isDryRun(request)) return { machine: machineOfTags(instanceTags(request)) };
    return { machine: machineOfTags(instanceTags(request)), token: request.get('ClientToken') || null };
  }
  const filter = (wanted: string): string | undefined => {
    const values = request.filters().find(({ name }) => name === wanted)?.values;
    return values?.length === 1 ? values[0] : undefined;
  };
  const ids = instanceIdsIn(request);
  // A call about several instances concerns no Machine in particular.
  if (ids.length > 1) return {};
  const [id] = ids;
  const uid = filter(`tag:${MACHINE_UID_TAG}`);
  const token = filter('client-token');
  const known = [...instances.all()].find((instance) => {
    if (id !== undefined) return instance.id === id;
    if (uid !== undefined) return instance.tags[MACHINE_UID_TAG] === uid;
    return token !== undefined && instance.token === token;
  });
  return {
    machine: known === undefined ? (filter(`tag:${MACHINE_TAG}`) ?? uid ?? null) : machineOfTags(known.tags),
    token: token ?? (id === undefined ? null : (known?.token ?? null)),
    instance: id ?? null,
  };
}
