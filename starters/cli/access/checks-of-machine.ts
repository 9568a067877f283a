import type { MachineHealthCheckReading, MachineReading } from '../../../k8s/model/reading.ts';
import { selects } from '../../../k8s/selector.ts';
import { listObjects } from './find-object.ts';
import type { KubeAccess } from './kube-access.ts';

/** The health checks that select a Machine, by their names. */
export async function checksOfMachine(
  access: Pick<KubeAccess, 'kube' | 'apis'>,
  { meta }: MachineReading,
): Promise<MachineHealthCheckReading[]> {
  const { namespace } = meta.ref;
  const all = await listObjects(access, 'machineHealthCheck', { namespace });
  return all
    .map(({ read }) => read)
    .filter(
      ({ machineHealthCheck: { malformed, selector } }) => malformed === undefined && selects(selector, meta.labels),
    )
    .sort((a, b) => (a.meta.ref.name < b.meta.ref.name ? -1 : 1));
}
