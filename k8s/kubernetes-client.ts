import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Library from '@kubernetes/client-node';

/*
 * What is used of @kubernetes/client-node. Its index loads a module for each kind of Kubernetes, some 870 of them, of which nothing here makes
 * use: half a second of CPU for each command and process. The package ships one file with what is used; MILLWRIGHT_KUBERNETES_CLIENT
 * names another; without both, it is the library as it is.
 */
const { HttpMethod, KubeConfig, ListWatch, RequestContext, Watch } = (await import(whatToLoad())) as typeof Library;
type KubeConfig = Library.KubeConfig;
type ListWatch<T extends Library.KubernetesObject> = Library.ListWatch<T>;
type Watch = Library.Watch;

export { HttpMethod, KubeConfig, ListWatch, RequestContext, Watch };
export type { KubernetesObject } from '@kubernetes/client-node';

function whatToLoad(): string {
  const given = process.env['MILLWRIGHT_KUBERNETES_CLIENT'];
  if (given !== undefined) return pathToFileURL(given).href;
  const shipped = new URL('./kubernetes-client.bundle.mjs', import.meta.url);
  return existsSync(fileURLToPath(shipped)) ? shipped.href : '@kubernetes/client-node';
}
