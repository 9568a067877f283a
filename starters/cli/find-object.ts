import type { KubeClient } from '../../k8s/client.ts';
import { isNotFound, isNotServed } from '../../k8s/kube-error.ts';
import type { Resource } from '../../k8s/resources.ts';
import { attempt, CliError } from './cli-error.ts';
import { EXIT } from './exit-codes.ts';
import { nearNames } from './near-names.ts';

interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

/** Reads an object. Where there is none, the error says which name, or which namespace, was meant. */
export async function findObject<T>(kube: KubeClient, resource: Resource, namespace: string, name: string): Promise<T> {
  return attempt(`read ${resource.kind} ${namespace}/${name}`, async () => {
    try {
      return await kube.get<T>(resource, namespace, name);
    } catch (error) {
      if (isNotServed(error)) throw notInstalled(resource);
      if (!isNotFound(error)) throw error;
      const hint = await hintFor(kube, resource, namespace, name);
      throw notFound(`there is no ${resource.kind} ${namespace}/${name}${hint}`);
    }
  });
}

/** Lists objects; where the cluster does not know the kind, the error says what to do. */
export async function listObjects<T>(
  kube: KubeClient,
  resource: Resource,
  { namespace, selector }: { readonly namespace?: string | undefined; readonly selector?: string | undefined } = {},
): Promise<T[]> {
  const where = describeScope(namespace);
  return attempt(`list the ${resource.plural} of ${where}`, async () => {
    const scope = namespace === undefined ? {} : { namespace };
    const labels = selector === undefined ? {} : { labelSelector: selector };
    try {
      return (await kube.list<T>(resource, { ...scope, ...labels })).items;
    } catch (error) {
      throw isNotServed(error) ? notInstalled(resource) : error;
    }
  });
}

/** For messages. */
export function describeScope(namespace: string | undefined): string {
  return namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
}

export function notFound(message: string): CliError {
  return new CliError(message, { exitCode: EXIT.notFound });
}

/** `; did you mean …`, or nothing. Costs a list or two; what they come to is a help only, so their errors do not matter. */
async function hintFor(kube: KubeClient, resource: Resource, namespace: string, name: string): Promise<string> {
  const list = (options: Parameters<KubeClient['list']>[1]) =>
    kube.list<Named>(resource, options).then(
      ({ items }) => items,
      (error: unknown) => {
        if (isNotServed(error)) throw notInstalled(resource);
        return [];
      },
    );
  const near = nearNames(
    name,
    (await list({ namespace })).map(({ metadata }) => metadata.name),
  );
  if (near.length > 0) return `; did you mean ${near.join(', ')}?`;
  const elsewhere = (await list({ fieldSelector: `metadata.name=${name}` })).map(({ metadata }) => metadata.namespace);
  return elsewhere.length === 0 ? '' : `; there is one in namespace ${elsewhere.join(', ')}: name it by -n`;
}

function notInstalled({ kind, apiVersion }: Resource): CliError {
  const group = apiVersion.split('/')[0] ?? apiVersion;
  return new CliError(`the cluster does not know the kind ${kind} of ${group}: run \`millwright install\` first`);
}
