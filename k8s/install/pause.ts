import type { KubeClient } from '../client.ts';
import { isConflict, isNotFound } from '../kube-error.ts';
import { PAUSED_ANNOTATION, PAUSED_BY_TAKE_OVER } from '../model/paused-annotation.ts';
import type { ObjectMeta } from '../object-meta.ts';
import type { Resource } from '../resources.ts';
import { INSTALL_FIELD_MANAGER } from './api-group.ts';

/** Looks at all objects before a pass that goes on being overtaken by others gives up. */
const MOST_ROUNDS = 20;

interface Stored {
  readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'uid' | 'resourceVersion' | 'annotations'>;
}

/** Pauses every object of these kinds that is not paused, whoever paused the others. Resolves with their number. */
export async function pauseAll(kube: KubeClient, resources: readonly Resource[]): Promise<number> {
  let paused = 0;
  for (const resource of resources) {
    paused += await annotateAll(kube, resource, (value) => value === undefined, PAUSED_BY_TAKE_OVER);
  }
  return paused;
}

/**
 * Sets the pause annotation, or removes it (null), wherever its value is one of those meant, and looks again until a
 * look finds none: an object that changed in between is judged anew.
 */
export async function annotateAll(
  kube: KubeClient,
  resource: Resource,
  isMeant: (value: string | undefined) => boolean,
  value: string | null,
): Promise<number> {
  const changed = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { items } = await kube.list<Stored>(resource);
    const meant = items.filter(({ metadata }) => isMeant(metadata.annotations?.[PAUSED_ANNOTATION]));
    if (meant.length === 0) return changed.size;
    await Promise.all(
      meant.map(async ({ metadata: { namespace, name, uid, resourceVersion } }) => {
        const body = { metadata: { uid, resourceVersion, annotations: { [PAUSED_ANNOTATION]: value } } };
        try {
          await kube.mergePatch(resource, namespace, name, body, { fieldManager: INSTALL_FIELD_MANAGER });
          changed.add(uid);
        } catch (error) {
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
      }),
    );
  }
  const aim = value === null ? 'resume' : 'pause';
  throw new Error(
    `${aim}: after ${MOST_ROUNDS} looks at all ${resource.plural} some were still changed by others each time; try again`,
  );
}
