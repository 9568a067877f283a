import type { KubernetesObject } from '../../k8s/kubernetes-client.ts';
import type { Logger } from 'pino';
import type { KubeClient } from '../../k8s/client.ts';
import type { Api, Kinds, Role, StoredObject } from '../../k8s/dialects/kind.ts';
import { isOfKind, type ApiRegistry } from '../../k8s/dialects/registry.ts';
import type { Node } from '../../k8s/model/node.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { CONFIG_MAPS, NODES, PODS, type Resource } from '../../k8s/resources.ts';
import type { Clock } from '../../providers/clock.ts';
import { clusterFacts } from './cluster-facts.ts';
import { DrainWatches } from './drain-watches.ts';
import { machineHealthCheckFacts } from './machine-health-check-facts.ts';
import { routeClusterRules, routeHealthCheck } from './health-routes.ts';
import type { IndexedMap } from './indexed-map.ts';
import { machineClassFacts } from './machine-class-facts.ts';
import { machineDeploymentFacts } from './machine-deployment-facts.ts';
import { machineFacts, type MachineFacts } from './machine-facts.ts';
import { machineSetFacts } from './machine-set-facts.ts';
import { nodeFacts, type NodeFacts } from './node-facts.ts';
import { ObjectIndex, type FactsOf } from './object-index.ts';
import { objectKey } from './object-key.ts';
import { ObjectSource, type ObjectWatch } from './object-source.ts';
import { routeMachine, routeMachineDeployment, routeMachineSet, routeNode } from './routes.ts';
import type { Change, Wake } from './wake.ts';
import { routeCluster, routeMachineClass } from './source-routes.ts';

export interface ClusterViewOptions {
  readonly watch: ObjectWatch;
  readonly kube: KubeClient;
  /** Whose objects are watched. */
  readonly apis: ApiRegistry;
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

interface Kept {
  readonly ref: ObjectRef;
}

/** What is the same for all kinds: their objects are kept as facts, and a change of facts is routed. */
interface Followed<Facts> {
  readonly resource: Resource;
  readonly known: IndexedMap<Facts, string>;
  readonly read: (object: StoredObject) => Facts;
  readonly route: (change: Change<Facts>) => Wake[];
  /** Told of each change as well. @default nobody is */
  readonly follow?: (change: Change<Facts>) => void;
}

/** What is kept of the objects of a role, and whom their changes wake. */
interface RoleView<R extends Role> {
  readonly facts: (object: StoredObject, kind: Kinds[R], api: Api) => FactsOf[R];
  readonly route: (change: Change<FactsOf[R]>, index: ObjectIndex) => Wake[];
}

/** The cluster as the API server shows it, kept up to date, and whom its changes wake. */
export class ClusterView {
  readonly index = new ObjectIndex();
  readonly #options: ClusterViewOptions;
  readonly #sources: readonly ObjectSource[];
  readonly #drains: DrainWatches;
  readonly #clusterRules: readonly ObjectSource[];
  readonly #roles: { readonly [R in Role]: RoleView<R> } = {
    cluster: { facts: clusterFacts, route: routeCluster },
    machineClass: { facts: machineClassFacts, route: routeMachineClass },
    machineHealthCheck: { facts: machineHealthCheckFacts, route: routeHealthCheck },
    machineDeployment: { facts: machineDeploymentFacts, route: routeMachineDeployment },
    machineSet: { facts: machineSetFacts, route: routeMachineSet },
    machine: {
      facts: machineFacts,
      route: (change, index) => {
        this.#options.onMachine(change);
        return routeMachine(change, index);
      },
    },
  };

  constructor(options: ClusterViewOptions) {
    this.#options = options;
    const { apis, watch, kube, watchRetryMostMs, clock, log } = options;
    this.#drains = new DrainWatches({
      openSource: (node, handlers) =>
        new ObjectSource({
          watch,
          kube,
          resource: PODS,
          fieldSelector: `spec.nodeName=${node}`,
          retryMostMs: watchRetryMostMs,
          clock,
          log,
          ...handlers,
        }),
      onPodsEnded: (node) => this.#wakeMachinesOf(node),
      clock,
    });
    const wakeByRules = (): void => this.#wake(routeClusterRules(this.index));
    // Who may not read them goes by the default: nothing else waits for them.
    this.#clusterRules = apis.clusterRules().map(
      (place) =>
        new ObjectSource({
          watch,
          kube,
          resource: CONFIG_MAPS,
          namespace: place.namespace,
          fieldSelector: `metadata.name=${place.name}`,
          onObject: wakeByRules,
          onGone: wakeByRules,
          onListed: () => {},
          retryMostMs: watchRetryMostMs,
          clock,
          log,
        }),
    );
    this.#sources = [
      this.#follow({
        resource: NODES,
        known: this.index.nodes,
        read: (object) => nodeFacts(object as Node, apis),
        route: (change) => routeNode(change, this.index),
        follow: (change) => this.#followDrain(change),
      }),
      ...apis.all().map((kind) => this.#followKind(kind.role, kind)),
    ];
  }

  /** True once everything was listed. */
  get isSynced(): boolean {
    return this.#sources.every((source) => source.isSynced);
  }

  start(): void {
    for (const source of [...this.#sources, ...this.#clusterRules]) source.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#drains, ...this.#clusterRules, ...this.#sources].map((source) => source.stop()));
  }

  #followKind<R extends Role>(role: R, kind: Kinds[R]): ObjectSource {
    const api = this.#options.apis.apiOf(kind.resource);
    const { facts, route } = this.#roles[role];
    return this.#follow({
      resource: kind.resource,
      known: this.index.ofRole[role],
      read: (object) => facts(object, kind, api),
      route: (change) => route(change, this.index),
    });
  }

  #follow<Facts extends Kept>(kind: Followed<Facts>): ObjectSource {
    const { watch, kube, namespace, watchRetryMostMs, onListed, clock, log } = this.#options;
    return new ObjectSource({
      watch,
      kube,
      resource: kind.resource,
      namespace,
      retryMostMs: watchRetryMostMs,
      clock,
      log,
      onObject: (object) => this.#take(kind, kind.read(storedOf(object))),
      onGone: (object) => {
        const { namespace = '', name = '', uid } = object.metadata ?? {};
        const gone = kind.known.get(objectKey({ ...kind.resource, namespace, name }));
        if (gone !== undefined && gone.ref.uid === uid) this.#drop(kind, gone);
      },
      onListed: (objects) => {
        const listed = new Set(objects.map(({ metadata }) => metadata?.uid));
        const gone = Array.from(kind.known.values()).filter(
          ({ ref }) => isOfKind(ref, kind.resource) && !listed.has(ref.uid),
        );
        for (const facts of gone) this.#dropGuarded(kind, facts);
        log.info({ resource: kind.resource.plural, objects: objects.length }, 'listed');
        if (this.isSynced) onListed();
      },
    });
  }

  #take<Facts extends Kept>(kind: Followed<Facts>, after: Facts): void {
    const key = objectKey(after.ref);
    const known = kind.known.get(key);
    const isSame = known?.ref.uid === after.ref.uid;
    // Deleted and made again while nobody watched: two objects that only share a name.
    if (known !== undefined && !isSame) this.#drop(kind, known);
    kind.known.set(key, after);
    this.#route(kind, { before: isSame ? known : undefined, after });
  }

  #drop<Facts extends Kept>(kind: Followed<Facts>, before: Facts): void {
    kind.known.delete(objectKey(before.ref));
    this.#route(kind, { before, after: undefined });
  }

  /** One that cannot be dropped must not keep the others, and what follows the list, from being taken up. */
  #dropGuarded<Facts extends Kept>(kind: Followed<Facts>, before: Facts): void {
    try {
      this.#drop(kind, before);
    } catch (error) {
      const { log } = this.#options;
      log.error({ object: before.ref, error }, 'could not drop what is gone');
    }
  }

  #followDrain({ before, after }: Change<NodeFacts>): void {
    if (after !== undefined) this.#drains.see(after);
    else if (before !== undefined) this.#drains.drop(before.ref.name);
  }

  #wakeMachinesOf(node: NodeFacts): void {
    const wakes = this.index.machinesOf(node).map(({ ref }) => ({ target: ref, because: 'pods' }) as const);
    this.#wake(wakes);
  }

  #wake(wakes: readonly Wake[]): void {
    if (this.isSynced && wakes.length > 0) this.#options.onWakes(wakes);
  }

  #route<Facts extends Kept>(kind: Followed<Facts>, change: Change<Facts>): void {
    kind.follow?.(change);
    if (!this.isSynced) return;
    const wakes = kind.route(change);
    if (wakes.length > 0) this.#options.onWakes(wakes);
  }
}

/** The API server answers no object without its metadata; its times are text, whatever the client's type says. */
function storedOf(object: KubernetesObject): StoredObject {
  return object as object as StoredObject;
}
