import type { ClusterObject } from '../../../k8s/api/machine.openshift.io/cluster.ts';
import type { MachineSetObject } from '../../../k8s/api/machine.openshift.io/machine-set.ts';
import { CLUSTERS, MACHINE_CLASSES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { CREDENTIALS, USER_DATA } from '../cluster/marked-secrets.ts';
import { given } from '../../../providers/given.ts';
import type { People } from './people.ts';

/** The Cluster that all Machines belong to, whether its object is there or not. */
export const CLUSTER = 'c1';
/** Names of classes: one that is deleted is made again some time. */
export const CLASSES = ['medium', 'large'] as const;

/** Between two Machines that go one after the other, in milliseconds. */
const BETWEEN_MS = 20_000;

/** What people do to what Machines share. */
export const SHARED_DEEDS = {
  'create machine of class': (people: People) =>
    people.createMachine(undefined, { machineClass: someClass(people), value: {} }),
  'pause cluster': async (people: People): Promise<void> => {
    const [cluster] = people.universe.api.all<ClusterObject>(CLUSTERS);
    if (cluster !== undefined) await people.pauseCluster(CLUSTER, cluster.spec?.paused !== true);
  },
  'edit cluster': async (people: People): Promise<void> => {
    people.tell(`edits Cluster ${CLUSTER}`);
    const tags = [{ name: 'owner', value: String(people.random.below(100)) }];
    await people.patch(CLUSTERS, CLUSTER, { spec: { defaults: { tags } } });
  },
  'delete cluster': async (people: People): Promise<void> => {
    people.tell(`deletes Cluster ${CLUSTER}`);
    await people.others.delete(CLUSTERS, NAMESPACE, CLUSTER);
    people.paused.note(CLUSTER, false, people.now);
    people.later(people.random.around(60_000), () => createCluster(people));
  },
  'edit class': async (people: People): Promise<void> => {
    const name = someClass(people);
    people.tell(`edits MachineClass ${name}`);
    const instanceType = people.random.pick(people.universe.cloud.written.instanceTypes);
    await people.patch(MACHINE_CLASSES, name, { providerSpec: { instanceType } });
  },
  'delete class': (people: People) => deleteClass(people, someClass(people)),
  /** Its sets go over to another one, and its Machines go in turn: with the last of them it goes, too. */
  'retire class': async (people: People): Promise<void> => {
    const name = someClass(people);
    const other = CLASSES.find((each) => each !== name) ?? name;
    for (const set of people.sets()) if (isOf(name, set.spec.template?.spec)) await switchClass(people, set, other);
    await deleteClass(people, name);
    const machines = people.machines().filter(({ spec }) => isOf(name, spec));
    people.inTurn(machines, BETWEEN_MS, ({ metadata }) => people.deleteMachine(metadata.name));
  },
  'switch class': async (people: People): Promise<void> => {
    const set = people.random.pick(people.sets());
    if (set !== undefined) await switchClass(people, set, someClass(people));
  },
};

function switchClass(people: People, { metadata }: MachineSetObject, name: string): Promise<void> {
  people.tell(`makes the Machines of ${metadata.name} from class ${name} from now on`);
  const providerSpec = { valueFrom: { machineClass: { name } } };
  return people.patchSet(metadata.name, { spec: { template: { spec: { providerSpec } } } });
}

async function deleteClass(people: People, name: string): Promise<void> {
  people.tell(`deletes MachineClass ${name}`);
  people.whenGone(MACHINE_CLASSES, name, () => createClass(people, name));
  await people.others.delete(MACHINE_CLASSES, NAMESPACE, name);
}

/** What a Machine, or the template of a set, says of its class. */
interface OfClass {
  readonly providerSpec?: { readonly valueFrom?: { readonly machineClass?: { readonly name?: string } } };
}

/** Whether a Machine is made from this class. */
export function isOf(name: string, spec: OfClass = {}): boolean {
  return spec.providerSpec?.valueFrom?.machineClass?.name === name;
}

export async function createCluster(people: People): Promise<void> {
  const { apiVersion, kind } = CLUSTERS;
  people.tell(`creates Cluster ${CLUSTER}`);
  await people.others.create(CLUSTERS, NAMESPACE, {
    apiVersion,
    kind,
    metadata: { name: CLUSTER, namespace: NAMESPACE },
    spec: {},
  });
  people.paused.note(CLUSTER, false, people.now);
}

export async function createClass(people: People, name: string): Promise<void> {
  const { apiVersion, kind } = MACHINE_CLASSES;
  const { spec, classProvider, instanceTypes } = people.universe.cloud.written;
  people.tell(`creates MachineClass ${name}`);
  await people.others.create(MACHINE_CLASSES, NAMESPACE, {
    apiVersion,
    kind,
    metadata: { name, namespace: NAMESPACE },
    provider: classProvider,
    providerSpec: { ...spec, instanceType: instanceTypes[1] },
    secretRef: USER_DATA,
    ...given({ credentialsSecretRef: people.universe.hasCredentials ? CREDENTIALS : undefined }),
  });
}

function someClass(people: People): string {
  return people.random.pick(CLASSES) ?? CLASSES[0];
}
