import { APIS } from '../../../k8s/dialects/registry.ts';
import { resourcePath, type Resource } from '../../../k8s/resources.ts';
import type { ObjectWatch } from '../../../starters/watcher/object-source.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import { servedKinds } from '../../world/kubernetes/kinds.ts';
import type { Watch } from '../../world/kubernetes/watch.ts';
import type { SimulatedProcess } from '../process.ts';
import type { Agenda } from '../time/agenda.ts';
import type { Random } from '../time/random.ts';
import { given } from '../../../providers/given.ts';

export interface WatchOptions {
  readonly api: ApiServer;
  readonly process: SimulatedProcess;
  readonly agenda: Agenda;
  readonly random: Random;
  /** How long an event is on its way, in milliseconds. */
  readonly lagMs: () => number;
  /** How long it takes until its process reaches the API server again, in milliseconds. 0: it does. */
  readonly cutMs: () => number;
}

/** The API server ends a watch after about so long, in milliseconds. */
const WATCH_MS = 400_000;

/** The API server tells up to which version a watch has told about so often, in milliseconds. */
const BOOKMARK_MS = 60_000;
/** After so long without an answer a connection counts as lost, in milliseconds. */
const NOTICED_MS = 30_000;

/** Watches as the informer opens them: late, each on its own, and ended by the server now and then. */
export function watchesOf({ api, process, agenda, random, lagMs, cutMs }: WatchOptions): ObjectWatch {
  return {
    async watch(path, query, onEvent, done) {
      const ended = new AbortController();
      const resource = resourceAt(path);
      const { resourceVersion } = query as { readonly resourceVersion?: string };
      const from = given({ resourceVersion });
      let watch: Watch;
      try {
        watch = await process.call(`kube watch ${resource.plural}`, () => api.watch(resource, from));
      } catch (error) {
        done(error);
        return ended;
      }
      process.onEnd(() => watch.stop());
      ended.signal.addEventListener('abort', () => watch.stop(), { once: true });
      let callOffBookmark = () => {};
      const planBookmark = (): void => {
        callOffBookmark = agenda.after(BOOKMARK_MS, () => {
          watch.bookmark();
          planBookmark();
        });
      };
      planBookmark();
      const callOff = agenda.after(random.between(0.5, 1.5) * WATCH_MS, () => watch.stop());
      void follow(watch).finally(() => {
        callOff();
        callOffBookmark();
      });
      return ended;

      async function follow(open: Watch): Promise<void> {
        for (;;) {
          const events = await open.wait();
          await process.going();
          if (!process.isAlive || ended.signal.aborted) return;
          if (events.length === 0) return done(null);
          await agenda.pause(lagMs());
          await process.going();
          if (!process.isAlive || ended.signal.aborted) return;
          const silentMs = cutMs();
          if (silentMs > 0) {
            // The connection is lost with what was under way on it, and its end is noticed late.
            open.stop();
            await agenda.pause(Math.min(silentMs, NOTICED_MS));
            await process.going();
            if (process.isAlive && !ended.signal.aborted) done(new Error('the connection was lost'));
            return;
          }
          for (const { type, object } of events) onEvent(type, object, { type, object });
        }
      }
    },
  };
}

/** How late changes come to a process: as late as the replica of the API server that it reads from. */
export function watchLag(random: Random, mayBeLate: boolean): () => number {
  const meanMs = mayBeLate && random.chance(0.3) ? random.between(100, 5000) : 20;
  return () => random.around(meanMs);
}

const RESOURCES: ReadonlyMap<string, Resource> = new Map(
  servedKinds(APIS).map(({ resource }) => [resourcePath(resource, undefined), resource]),
);

function resourceAt(path: string): Resource {
  const resource = RESOURCES.get(path);
  if (resource === undefined) throw new Error(`nothing is served at ${path}`);
  return resource;
}
