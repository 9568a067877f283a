import type { KubeClient, ListOptions } from '../../../k8s/client.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { createWorldClient } from './client.ts';
import { Registry } from './registry.ts';
import { straight, type Passage } from './request.ts';
import { matching } from './selectors.ts';
import { Watch } from './watch.ts';
import { given } from '../../../providers/given.ts';

/**
 * An API server in memory, for tests, that answers as the real one does. Requests of its {@link client} and its watches go
 * through {@link onRequest}; those of {@link others} come from somebody else, and nothing is in their way.
 */
export class ApiServer extends Registry {
  /** What every request goes through. */
  onRequest: Passage = straight;
  readonly client: KubeClient = createWorldClient(this, (request, carryOut) => this.onRequest(request, carryOut));
  readonly others: KubeClient = createWorldClient(this, straight);

  /** @param resourceVersion missing: what is there comes first */
  watch(resource: Resource, options: ListOptions & { readonly resourceVersion?: string } = {}): Promise<Watch> {
    const { resourceVersion, namespace } = options;
    const request = { verb: 'watch' as const, resource, ...given({ namespace }) };
    return this.onRequest(request, async () => {
      this.kindOf(resource);
      const since = resourceVersion === undefined ? 'now' : Number(resourceVersion);
      return new Watch(this.store, { resource, matches: matching(resource, options), since });
    });
  }
}
