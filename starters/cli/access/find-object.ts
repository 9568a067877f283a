import type { KubeClient } from '../../../k8s/client.ts';
import type { Kinds, Role, StoredObject } from '../../../k8s/dialects/kind.ts';
import { isNotFound, isNotServed } from '../../../k8s/kube-error.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { attempt, CliError } from '../cli-error.ts';
import { EXIT } from '../exit-codes.ts';
import { given } from '../../../providers/given.ts';
import type { KubeAccess } from './kube-access.ts';
import { kindsNamed, nameInFull } from './kinds-named.ts';
import { nearNames } from './near-names.ts';

/** An object as it is stored, and as its kind reads it. */
export interface Found<R extends Role> {
  readonly kind: Kinds[R];
  readonly stored: StoredObject;
  readonly read: ReturnType<Kinds[R]['read']>;
}

/** There is no such object. */
export interface Missing {
  /** A sentence that says so, and which name, or which namespace, may be meant. */
  readonly missing: string;
}

/**
 * Reads the object of a role. Where there is none, the error says which name, or which namespace, was meant; where there are several,
 * how to name one of them.
 *
 * @param named as {@link kindsNamed} reads it
 */
export async function findObject<R extends Role>(access: KubeAccess, role: R, named: string): Promise<Found<R>> {
  const found = await lookForObject(access, role, named);
  if ('missing' in found) throw notFound(found.missing);
  return found;
}

/** As {@link findObject}, for who goes on where there is none. */
export async function lookForObject<R extends Role>(
  access: KubeAccess,
  role: R,
  named: string,
): Promise<Found<R> | Missing> {
  const { kube, namespace } = access;
  const { name, kinds } = kindsNamed(named, access.apis.kinds(role));
  return attempt(`read ${nameKinds(kinds)} ${namespace}/${name}`, async () => {
    const served = await eachServed(kinds, (kind) => getObject(kube, kind, namespace, name));
    const found = served.filter((one) => one !== undefined);
    const [only, ...others] = found;
    if (only === undefined) {
      const hint = await hintFor(access, role, name);
      return { missing: `there is no ${nameKinds(kinds)} ${namespace}/${name}${hint}` };
    }
    if (others.length === 0) return only;
    const which = found.map(({ kind }) => nameInFull(kind, name)).join(' or ');
    throw new CliError(`${namespace}/${name} is the name of ${found.length} objects: say ${which}`);
  });
}

/** Lists the objects of a role; where the cluster does not know any of its kinds, the error says what to do. */
export async function listObjects<R extends Role>(
  { kube, apis }: Pick<KubeAccess, 'kube' | 'apis'>,
  role: R,
  { namespace, selector }: { readonly namespace?: string | undefined; readonly selector?: string | undefined } = {},
): Promise<Found<R>[]> {
  const kinds = apis.kinds(role);
  const plurals = [...new Set(kinds.map(({ resource }) => resource.plural))].join(' and ');
  return attempt(`list the ${plurals} of ${describeScope(namespace)}`, async () => {
    const options = given({ namespace, labelSelector: selector });
    const lists = await eachServed(kinds, async (kind) =>
      (await kube.list<StoredObject>(kind.resource, options)).items.map((one) => foundOf(kind, one)),
    );
    return lists.flat();
  });
}

/** For messages. */
export function describeScope(namespace: string | undefined): string {
  return namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
}

export function notFound(message: string): CliError {
  return new CliError(message, { exitCode: EXIT.notFound });
}

async function getObject<R extends Role>(
  kube: KubeClient,
  kind: Kinds[R],
  namespace: string,
  name: string,
): Promise<Found<R> | undefined> {
  try {
    return foundOf<R>(kind, await kube.get<StoredObject>(kind.resource, namespace, name));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function foundOf<R extends Role>(kind: Kinds[R], stored: StoredObject): Found<R> {
  return { kind, stored, read: kind.read(stored) as ReturnType<Kinds[R]['read']> };
}

/** Asks for each kind that the cluster knows. */
async function eachServed<K extends { readonly resource: Resource }, T>(
  kinds: readonly K[],
  ask: (kind: K) => Promise<T>,
): Promise<T[]> {
  const answers = await Promise.all(
    kinds.map(async (kind) => {
      try {
        return { answer: await ask(kind) };
      } catch (error) {
        if (isNotServed(error)) return undefined;
        throw error;
      }
    }),
  );
  const served = answers.filter((one) => one !== undefined);
  const [first] = kinds;
  if (served.length === 0 && first !== undefined) throw notInstalled(first.resource);
  return served.map(({ answer }) => answer);
}

/** `; did you mean …`, or nothing. Costs a list or two; what they come to is a help only, so their errors do not matter. */
async function hintFor({ kube, apis, namespace }: KubeAccess, role: Role, name: string): Promise<string> {
  const list = async (options: Parameters<KubeClient['list']>[1]) => {
    const lists = await eachServed(apis.kinds(role), ({ resource }) =>
      kube.list<StoredObject>(resource, options).then(
        ({ items }) => items,
        (error: unknown) => {
          if (isNotServed(error)) throw error;
          return [];
        },
      ),
    );
    return lists.flat().map(({ metadata }) => metadata);
  };
  const near = nearNames(
    name,
    (await list({ namespace })).map((metadata) => metadata.name),
  );
  if (near.length > 0) return `; did you mean ${near.join(', ')}?`;
  const elsewhere = (await list({ fieldSelector: `metadata.name=${name}` })).map((metadata) => metadata.namespace);
  return elsewhere.length === 0 ? '' : `; there is one in namespace ${elsewhere.join(', ')}: name it by -n`;
}

/** E.g. `Machine`, or what several APIs call it. */
function nameKinds(kinds: readonly { readonly resource: Resource }[]): string {
  return [...new Set(kinds.map(({ resource }) => resource.kind))].join(' or ');
}

function notInstalled({ kind, apiVersion }: Resource): CliError {
  const group = apiVersion.split('/')[0] ?? apiVersion;
  return new CliError(`the cluster does not know the kind ${kind} of ${group}: run \`millwright install\` first`);
}
