import type { KubeConfig, KubernetesObject } from '@kubernetes/client-node';
import type { Logger } from 'pino';
import type { ClusterObject } from '../../k8s/api/cluster.ts';
import type { MachineClassObject } from '../../k8s/api/machine-class.ts';
import type { MachineObject } from '../../k8s/api/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine-set.ts';
import type { KubeClient } from '../../k8s/client.ts';
import { CLUSTERS, MACHINE_CLASSES, MACHINE_SETS, MACHINES, NODES, type Resource } from '../../k8s/resources.ts';
import type { Clock } from '../../providers/clock.ts';
import { clusterFacts } from './cluster-facts.ts';
import type { IndexedMap } from './indexed-map.ts';
import { machineClassFacts } from './machine-class-facts.ts';
import { machineFacts, type MachineFacts } from './machine-facts.ts';
import { machineSetFacts } from './machine-set-facts.ts';
import { nodeFacts, type NodeObject } from './node-facts.ts';
import { ObjectIndex, objectKey } from './object-index.ts';
import { ObjectSource } from './object-source.ts';
import { routeMachine, routeMachineSet, routeNode } from './routes.ts';
import type { Change, Wake } from './wake.ts';
import { routeCluster, routeMachineClass } from './source-routes.ts';

export interface ClusterViewOptions {
  readonly config: KubeConfig;
  readonly kube: KubeClient;
  /** Only this namespace; undefined: all. */
  readonly namespace: string | undefined;
  /** Longest wait before a watch that ended with an error is started again, in milliseconds. */
  readonly watchRetryMostMs: number;
  /** Whom a change wakes. Not called before everything was listed once. */
  readonly onWakes: (wakes: readonly Wake[]) => void;
  /** A Machine is new, changed or gone. Not called before everything was listed once. */
  readonly onMachine: (change: Change<MachineFacts>) => void;
  /** All objects of a resource were listed, and all resources were at least once. */
  readonly onListed: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What is the same for all kinds: their objects are kept as facts, and a change of facts is routed. */
interface Kind<Facts> {
  readonly resource: Resource;
  readonly known: IndexedMap<Facts, string>;
  readonly read: (object: KubernetesObject) => Facts;
  readonly uidOf: (facts: Facts) => string;
  readonly keyOf: (facts: Facts) => string;
  readonly route: (change: Change<Facts>) => Wake[];
}

/** The cluster as the API server shows it, kept up to date, and whom its changes wake. */
export class ClusterView {
  readonly index = new ObjectIndex();
  readonly #options: ClusterViewOptions;
  readonly #sources: readonly ObjectSource[];

  constructor(options: ClusterViewOptions) {
    this.#options = options;
    const { index } = this;
    this.#sources = [
      this.#follow({
        resource: NODES,
        known: index.nodes,
        read: (object) => nodeFacts(object as unknown as NodeObject),
        uidOf: ({ uid }) => uid,
        keyOf: ({ name }) => name,
        route: (change) => routeNode(change, index),
      }),
      this.#follow({
        resource: MACHINE_SETS,
        known: index.machineSets,
        read: (object) => machineSetFacts(object as unknown as MachineSetObject),
        uidOf: ({ ref }) => ref.uid,
        keyOf: ({ ref }) => objectKey(ref),
        route: (change) => routeMachineSet(change, index),
      }),
      this.#follow({
        resource: MACHINES,
        known: index.machines,
        read: (object) => machineFacts(object as unknown as MachineObject),
        uidOf: ({ ref }) => ref.uid,
        keyOf: ({ ref }) => objectKey(ref),
        route: (change) => {
          options.onMachine(change);
          return routeMachine(change, index);
        },
      }),
      this.#follow({
        resource: MACHINE_CLASSES,
        known: index.machineClasses,
        read: (object) => machineClassFacts(object as unknown as MachineClassObject),
        uidOf: ({ ref }) => ref.uid,
        keyOf: ({ ref }) => objectKey(ref),
        route: (change) => routeMachineClass(change, index),
      }),
      this.#follow({
        resource: CLUSTERS,
        known: index.clusters,
        read: (object) => clusterFacts(object as unknown as ClusterObject),
        uidOf: ({ ref }) => ref.uid,
        keyOf: ({ ref }) => objectKey(ref),
        route: (change) => routeCluster(change, index),
      }),
    ];
  }

  /** True once everything was listed. */
  get isSynced(): boolean {
    return this.#sources.every((source) => source.isSynced);
  }

  start(): void {
    for (const source of this.#sources) source.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.stop()));
  }

  #follow<Facts>(kind: Kind<Facts>): ObjectSource {
    const { config, kube, namespace, watchRetryMostMs, onListed, clock, log } = this.#options;
    return new ObjectSource({
      config,
      kube,
      resource: kind.resource,
      namespace,
      retryMostMs: watchRetryMostMs,
      clock,
      log,
      onObject: (object) => this.#take(kind, kind.read(object)),
      onGone: (object) => {
        const gone = kind.known.get(kind.keyOf(kind.read(object)));
        if (gone !== undefined && kind.uidOf(gone) === object.metadata?.uid) this.#drop(kind, gone);
      },
      onListed: (objects) => {
        const listed = new Set(objects.map(({ metadata }) => metadata?.uid));
        const gone = Array.from(kind.known.values()).filter((facts) => !listed.has(kind.uidOf(facts)));
        for (const facts of gone) this.#dropGuarded(kind, facts);
        log.info({ resource: kind.resource.plural, objects: objects.length }, 'listed');
        if (this.isSynced) onListed();
      },
    });
  }

  #take<Facts>(kind: Kind<Facts>, after: Facts): void {
    const key = kind.keyOf(after);
    const known = kind.known.get(key);
    const isSame = known !== undefined && kind.uidOf(known) === kind.uidOf(after);
    // Deleted and made again while nobody watched: two objects that only share a name.
    if (known !== undefined && !isSame) this.#drop(kind, known);
    kind.known.set(key, after);
    this.#route(kind, { before: isSame ? known : undefined, after });
  }

  #drop<Facts>(kind: Kind<Facts>, before: Facts): void {
    kind.known.delete(kind.keyOf(before));
    this.#route(kind, { before, after: undefined });
  }

  /** One that cannot be dropped must not keep the others, and what follows the list, from being taken up. */
  #dropGuarded<Facts>(kind: Kind<Facts>, before: Facts): void {
    try {
      this.#drop(kind, before);
    } catch (error) {
      const { log } = this.#options;
      log.error({ resource: kind.resource.plural, key: kind.keyOf(before), error }, 'could not drop what is gone');
    }
  }

  #route<Facts>(kind: Kind<Facts>, change: Change<Facts>): void {
    if (!this.isSynced) return;
    const wakes = kind.route(change);
    if (wakes.length > 0) this.#options.onWakes(wakes);
  }
}
