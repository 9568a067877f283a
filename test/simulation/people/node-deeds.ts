import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import type { People } from './people.ts';

/** How long a maintenance, or a cordon by hand, lasts on average, in milliseconds. */
const WORK_MS = 90_000;

/** How long a kubelet hangs at most, in milliseconds. */
const MOST_HANGING_MS = 600_000;

/** What people do to Nodes, and what happens to these. */
export const NODE_DEEDS = {
  /** Most are ended some time later; some last. */
  maintenance: async (people: People): Promise<void> => {
    const machine = people.random.pick(people.machines());
    if (machine === undefined) return;
    const isOn = machine.spec.maintenance !== true;
    const { name } = machine.metadata;
    if (isOn && people.random.chance(0.7)) {
      people.later(people.random.around(WORK_MS), () => setMaintenance(people, name, false));
    }
    await setMaintenance(people, name, isOn);
  },
  /** As `kubectl cordon`, which leaves alone what is cordoned. */
  cordon: async (people: People): Promise<void> => {
    const node = people.random.pick(nodesOf(people).filter(({ spec }) => spec?.unschedulable !== true));
    if (node === undefined) return;
    if (people.random.chance(0.7)) people.later(people.random.around(WORK_MS), () => uncordon(people, node));
    people.tell(`cordons ${node.metadata.name}`);
    people.cordoned.add(node.metadata.uid);
    await setUnschedulable(people, node, true);
  },
  /** A kubelet hangs for a while, and its instance runs on. */
  hang: (people: People): void => {
    const { kubelets, cloud } = people.universe;
    const instance = people.random.pick(cloud.living().filter(({ machineUid }) => machineUid !== undefined));
    if (instance === undefined) return;
    people.tell(`the kubelet of instance ${instance.id} hangs`);
    kubelets.hang(instance.providerID, people.random.between(30_000, MOST_HANGING_MS));
  },
  /** Whoever cordoned it. */
  uncordon: async (people: People): Promise<void> => {
    const node = people.random.pick(nodesOf(people).filter(({ spec }) => spec?.unschedulable === true));
    if (node !== undefined) await uncordon(people, node);
  },
} satisfies Record<string, (people: People) => Promise<void> | void>;

async function setMaintenance(people: People, name: string, isOn: boolean): Promise<void> {
  people.tell(`${isOn ? 'begins' : 'ends'} a maintenance of Machine ${name}`);
  await people.patch(MACHINES, name, { spec: { maintenance: isOn ? true : people.random.pick([false, null]) } });
}

async function uncordon(people: People, node: Node): Promise<void> {
  const { uid, name } = node.metadata;
  people.tell(`uncordons ${name}`);
  people.cordoned.delete(uid);
  people.uncordoned.set(uid, people.now);
  await setUnschedulable(people, node, null);
}

async function setUnschedulable({ others }: People, { metadata }: Node, unschedulable: true | null): Promise<void> {
  const { name, uid } = metadata;
  const patch = { metadata: { uid }, spec: { unschedulable } };
  await others.mergePatch(NODES, undefined, name, patch, { fieldManager: 'kubectl-cordon' });
}

function nodesOf({ universe }: People): readonly Node[] {
  return universe.api.all<Node>(NODES);
}
