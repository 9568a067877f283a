import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { CAUSE_ANNOTATION } from '../../../k8s/model/cause.ts';
import type { Taint } from '../../../k8s/model/machine.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import { NODES } from '../../../k8s/resources.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { Change } from '../../world/kubernetes/store.ts';
import type { People } from './people.ts';

/** What a worker asks right before it has a Machine deleted: that it say why. */
const NOTE = 'kube mergePatch machines';
/** How soon after its set was told that it is to give one, at most, in milliseconds. */
const NOTED_MS = 5000;
/** For how long Nodes cannot be used, in milliseconds: longer than most stand still. */
const UNUSABLE_MS = 240_000;
const UNREADY: Taint = { key: 'readiness.k8s.io/storage', effect: 'NoSchedule' };

/** What happens while a worker stands still. */
export const STALL_DEEDS = {
  /** The worker does nothing that was just about to have a Machine of a rollout deleted; meanwhile the other Nodes of the deployment cannot be used. */
  'stall a taking': (people: People): void => {
    const { adversary, api, agenda } = people.universe;
    const deployment = people.random.pick(api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS));
    if (deployment === undefined) return;
    const { name, uid } = deployment.metadata;
    const stopSets = api.store.onChange((change) => {
      if (!isMadeSmaller(change, uid)) return;
      stopSets();
      adversary.disturb('outside', 'who notes next why a Machine goes stands still', () => {
        adversary.begin({ what: NOTE, meets: (call) => call === NOTE, faults: ['long standstill'], mostMs: NOTED_MS });
        const stopNotes = api.store.onChange(({ resource, object, previous }) => {
          const isNoted = resource.plural === MACHINES.plural && causeOf(object) !== causeOf(previous);
          if (!isNoted || object.metadata.labels?.['pool'] !== name) return;
          stopNotes();
          const others = people
            .machines()
            .filter(({ metadata }) => metadata.labels?.['pool'] === name && metadata.uid !== object.metadata.uid);
          const nodes = others.flatMap(({ status }) => status?.nodeRef?.name ?? []);
          agenda.after(people.random.around(500), () => tell(people, nodes, true));
          agenda.after(UNUSABLE_MS, () => tell(people, nodes, false));
        });
        agenda.after(NOTED_MS, stopNotes);
      });
    });
  },
} satisfies Record<string, (people: People) => Promise<void> | void>;

function isMadeSmaller({ resource, object, previous }: Change, deploymentUid: string): boolean {
  if (resource.plural !== MACHINE_SETS.plural || previous === undefined) return false;
  const [set, before] = [object, previous] as unknown as [MachineSetObject, MachineSetObject];
  return (
    controllerOf(object.metadata.ownerReferences)?.uid === deploymentUid && set.spec.replicas < before.spec.replicas
  );
}

function causeOf(machine: KubeObject | undefined): string | undefined {
  return machine?.metadata.annotations?.[CAUSE_ANNOTATION];
}

/** Some agent says of Nodes that nothing can be put on them yet, or that it can. */
function tell({ universe: { api, story } }: People, nodes: readonly string[], isUnready: boolean): void {
  story.tell('agent', `${isUnready ? 'taints' : 'takes its taint off'} ${nodes.join(', ')}`);
  for (const name of nodes) {
    const node: Node | undefined = api.peek(NODES, undefined, name);
    if (node === undefined) continue;
    const others = (node.spec?.taints ?? []).filter(({ key }) => key !== UNREADY.key);
    api.put({ ...node, spec: { ...node.spec, taints: isUnready ? [...others, UNREADY] : others } } as never);
  }
}
