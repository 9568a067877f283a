import { readFile } from 'node:fs/promises';
import { loadAllYaml, type KubernetesObject } from '@kubernetes/client-node';
import { createKubeClient } from '../../k8s/http-client.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';
import { APIS } from '../../k8s/dialects/registry.ts';
import { SECRETS } from '../../k8s/resources.ts';
import type { ExternalArguments } from './start-options.mjs';
import { given } from '../../providers/given.ts';

const KINDS = [...APIS.all().map(({ resource }) => resource), SECRETS];

/** Applies the objects of a file, of kinds that examples have, as `kubectl apply` would. */
export async function applyManifests(
  path: string,
  { kubeconfig, context }: Pick<ExternalArguments, 'kubeconfig' | 'context'>,
): Promise<void> {
  const config = loadKubeConfig({
    ...given({ kubeconfig, context }),
  });
  const kube = createKubeClient(config);
  for (const object of loadAllYaml(await readFile(path, 'utf8')) as KubernetesObject[]) {
    const { kind = '', metadata = {} } = object;
    const resource = KINDS.find((known) => known.kind === kind);
    if (resource === undefined) throw new Error(`${path}: ${kind} is not of Millwright's kinds`);
    const { name = '', namespace = 'default' } = metadata;
    await kube.apply(resource, namespace, name, object, { fieldManager: 'millwright-example' });
    console.log(`Applied ${kind} ${namespace}/${name}.`);
  }
}
