import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { REMEDIATE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import {
  ASKED_OF_OTHERS_ANNOTATION,
  readHealthClaim,
  REMEDIATED_BY_ANNOTATION,
} from '../../../k8s/model/health-claim.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import { NODES } from '../../../k8s/resources.ts';
import { selects } from '../../../k8s/selector.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { REMEDY_KEYS } from '../people/remedies.ts';
import { rulesIn } from './node-history.ts';

/** What health checks have not healed, or do not tell as it is: nothing, some time after all was calm. */
export function notHealed(api: Pick<ApiServer, 'all' | 'store'>): readonly string[] {
  const machines = api.all<MachineObject>(MACHINES);
  const nodes = new Map(api.all<Node>(NODES).map((node) => [node.metadata.uid, node]));
  const checks = api.all<MachineHealthCheckObject>(MACHINE_HEALTH_CHECKS);
  return [
    ...checks.flatMap((check) => ofCheck(check, machines, nodes)),
    ...machines.flatMap(({ metadata: { name, annotations = {} } }) => {
      const isClaimed = annotations[REMEDIATED_BY_ANNOTATION] !== undefined;
      const asked = [ASKED_OF_OTHERS_ANNOTATION, ...REMEDY_KEYS].filter((key) => annotations[key] !== undefined);
      return isClaimed || asked.length === 0 ? [] : [`Machine ${name} bears still: ${asked.join(', ')}`];
    }),
    ...machines.flatMap(({ metadata: { name, annotations, deletionTimestamp } }) => {
      const claim = readHealthClaim(annotations?.[REMEDIATED_BY_ANNOTATION] ?? '');
      const isLeft = claim !== undefined && deletionTimestamp === undefined && api.store.has(claim.uid);
      return isLeft ? [`Machine ${name} bears the claim of the health check ${claim.name} still`] : [];
    }),
  ];
}

function ofCheck(
  check: MachineHealthCheckObject,
  machines: readonly MachineObject[],
  nodes: ReadonlyMap<string, Node>,
): readonly string[] {
  const { metadata, spec, status } = check;
  const selected = machines.filter((machine) => selects(spec.selector, machine.metadata.labels ?? {}));
  const ill = selected.flatMap((machine) => {
    const what = illnessOf(machine, nodes, check);
    return what === undefined ? [] : [{ machine, what }];
  });
  const left = ill
    .filter(({ machine }) => controllerOf(machine.metadata.ownerReferences) !== undefined)
    .map(({ machine, what }) => {
      const { next } = status?.unhealthyMachines?.find(({ name }) => name === machine.metadata.name) ?? {};
      return `Machine ${machine.metadata.name} is not replaced: ${what}; its check ${metadata.name} says: ${next}`;
    });
  const isTrue =
    status?.expectedMachines === selected.length &&
    status.currentHealthy === selected.length - ill.length &&
    status.observedGeneration === metadata.generation;
  if (isTrue) return left;
  const seen = `${selected.length - ill.length} of ${selected.length} Machines of the check ${metadata.name} are healthy`;
  return [...left, `${seen}; its status: ${JSON.stringify(status)}`];
}

/** What is wrong with it, however long. */
function illnessOf(
  { metadata, status }: MachineObject,
  nodes: ReadonlyMap<string, Node>,
  { spec }: MachineHealthCheckObject,
): string | undefined {
  if (metadata.annotations?.[REMEDIATE_ANNOTATION] !== undefined) return 'somebody wants it remediated';
  if (status?.phase === 'Failed') return 'it is Failed';
  const node = nodes.get(status?.nodeRef?.uid ?? '');
  if (node === undefined) return 'it has no Node';
  const bad = rulesIn(spec).find(({ type, statuses }) =>
    node.status?.conditions?.some((condition) => condition.type === type && statuses.includes(condition.status)),
  );
  return bad && `${bad.type} of its Node ${node.metadata.name} is bad`;
}
