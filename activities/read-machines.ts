import type { KubeClient } from '../k8s/client.ts';
import type { Api, MachineKind, StoredObject } from '../k8s/dialects/kind.ts';
import { isNotServed, KubeError } from '../k8s/kube-error.ts';
import type { Cluster } from '../k8s/model/cluster.ts';
import type { MachineClass } from '../k8s/model/machine-class.ts';
import type { MachineReading } from '../k8s/model/reading.ts';
import type { Resource } from '../k8s/resources.ts';
import type { Clock } from '../providers/clock.ts';
import { coalesce } from './coalesce.ts';
import type { ActivityDeps } from './deps.ts';
import { completeSpec, type ReadMachine } from './effective-spec.ts';
import { readNamed } from './read-stored.ts';
import { given } from '../providers/given.ts';

/** How long a read of a class or a Cluster waits for other machines to share it with, in milliseconds. */
const GATHER_MS = 20;

/** What reading all machines takes. */
type ReadDeps = Pick<ActivityDeps, 'kube' | 'apis' | 'providers'>;

/** Reads a class or a Cluster as it is now; undefined where there is none. */
export type ReadSource = (resource: Resource, namespace: string, name: string) => Promise<StoredObject | undefined>;

/** Told of lists that the API server refused; the machines are read without what they would have held. */
export type OnRefused = (refusal: string) => void;

/**
 * A Machine as it was read, completed by its class and its Cluster as they are now. Where the API server refuses to show
 * one of them, the Machine says so and is held up: retried in silence it would wait for ever, and nobody would know.
 */
export async function completeMachine(
  { providers, readSource }: Pick<ActivityDeps, 'providers'> & { readonly readSource: ReadSource },
  api: Api,
  read: MachineReading,
): Promise<ReadMachine> {
  const { machine, spec } = read;
  const { namespace } = machine.ref;
  const none: SourceAnswer = {};
  const [classAnswer, clusterAnswer] = await Promise.all([
    api.machineClass && spec.classRef
      ? readAllowed(readSource, api.machineClass.resource, namespace, spec.classRef.name)
      : none,
    api.cluster && machine.clusterName !== ''
      ? readAllowed(readSource, api.cluster.resource, namespace, machine.clusterName)
      : none,
  ]);
  const { object: machineClass, refused: classRefused } = classAnswer;
  const { object: cluster, refused: clusterRefused } = clusterAnswer;
  return completeSpec(
    read,
    {
      machineClass: machineClass && api.machineClass?.read(machineClass).machineClass,
      cluster: cluster && api.cluster?.read(cluster).cluster,
      ...given({ classRefused, clusterRefused }),
    },
    providers,
  );
}

/** Reads a class or a Cluster; where the API server refuses to show it, that is the answer. */
export async function readAllowed(
  readSource: ReadSource,
  resource: Resource,
  namespace: string,
  name: string,
): Promise<SourceAnswer> {
  try {
    return { object: await readSource(resource, namespace, name) };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { refused: describeRefusal('get', resource, error) };
  }
}

interface SourceAnswer {
  /** Undefined: there is none, or it was refused. */
  readonly object?: StoredObject | undefined;
  /** Why it cannot be read, as a sentence. */
  readonly refused?: string;
}

function isForbidden(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 403;
}

/** E.g. what an upgrade without the ClusterRole of the new release comes to. */
function describeRefusal(verb: string, { apiVersion, plural }: Resource, { message }: KubeError): string {
  const [group = '', version] = apiVersion.split('/');
  const what = version === undefined ? plural : `${plural}.${group}`;
  return `the worker cannot read it without the permission to ${verb} ${what}, which its ClusterRole lacks: ${message}`;
}

/**
 * All Machines there are, completed as {@link completeMachine} does one: three lists an API, however many there are.
 * Where those of the classes or the Clusters are refused, there is nothing to complete from, and nobody is held up.
 */
export async function listMachines(deps: ReadDeps, onRefused: OnRefused = () => {}): Promise<ReadMachine[]> {
  const lists = await Promise.all(
    deps.apis.apis.flatMap((api) => (api.machine === undefined ? [] : [listOf(deps, api.machine, api, onRefused)])),
  );
  return lists.flat();
}

async function listOf(
  { kube, providers }: ReadDeps,
  kind: MachineKind,
  { machineClass, cluster }: Api,
  onRefused: OnRefused,
): Promise<ReadMachine[]> {
  const { items } = await kube.list<StoredObject>(kind.resource);
  if (items.length === 0) return [];
  const [classes, clusters] = await Promise.all([
    machineClass === undefined ? [] : listIfAllowed(kube, machineClass.resource, onRefused),
    cluster === undefined ? [] : listIfAllowed(kube, cluster.resource, onRefused),
  ]);
  const classOf = byName(classes.flatMap((stored) => machineClass?.read(stored).machineClass ?? []));
  const clusterOf = byName(clusters.flatMap((stored) => cluster?.read(stored).cluster ?? []));
  return items.map((item) => {
    const read = kind.read(item);
    const { namespace } = read.machine.ref;
    return completeSpec(
      read,
      {
        machineClass: classOf.get(`${namespace}/${read.spec.classRef?.name ?? ''}`),
        cluster: clusterOf.get(`${namespace}/${read.machine.clusterName}`),
      },
      providers,
    );
  });
}

function byName<T extends MachineClass | Cluster>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [`${one.ref.namespace}/${one.ref.name}`, one]));
}

/** All objects of a kind; none where the cluster does not have the kind yet. */
export async function listIfServed(kube: KubeClient, resource: Resource): Promise<StoredObject[]> {
  try {
    return (await kube.list<StoredObject>(resource)).items;
  } catch (error) {
    if (isNotServed(error)) return [];
    throw error;
  }
}

/** As {@link listIfServed}; where the API server refuses it, none, and that is told. */
export async function listIfAllowed(
  kube: KubeClient,
  resource: Resource,
  onRefused: OnRefused,
): Promise<StoredObject[]> {
  try {
    return await listIfServed(kube, resource);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    onRefused(`${resource.plural}: ${describeRefusal('list', resource, error)}`);
    return [];
  }
}

/**
 * Reads an object, live, together with all who ask for it within the same moment. It is not kept any longer: a machine
 * that was woken by a change would read what was before it, and nothing would wake it again.
 */
export function createSharedRead(kube: KubeClient, clock: Clock): ReadSource {
  const read = coalesce(
    clock,
    (key) => {
      const [apiVersion = '', kind = '', plural = '', namespace = '', name = ''] = key.split(' ');
      return readNamed(kube, { apiVersion, kind, plural, namespaced: true }, namespace, name);
    },
    GATHER_MS,
  );
  return ({ apiVersion, kind, plural }, namespace, name) => read([apiVersion, kind, plural, namespace, name].join(' '));
}
