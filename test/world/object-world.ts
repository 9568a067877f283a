import type { ClusterObject } from '../../k8s/api/machine.openshift.io/cluster.ts';
import type { MachineClassObject } from '../../k8s/api/machine.openshift.io/machine-class.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Resource } from '../../k8s/resources.ts';
import { NAMESPACE, refOf } from './builders/metadata.ts';
import { isWrite, type KubeRequest } from './kubernetes/request.ts';
import type { WorldClock } from './world-clock.ts';
import { World } from './world.ts';

/** A world with one object of ours. */
export class ObjectWorld<Stored extends ClusterObject | MachineClassObject> extends World {
  readonly ref: ObjectRef;
  readonly #resource: Resource;

  constructor(clock: WorldClock, { resource, object }: { readonly resource: Resource; readonly object: Stored }) {
    super(clock);
    this.#resource = resource;
    this.ref = refOf(object);
    this.kube.put(object);
  }

  get stored(): Stored | undefined {
    return this.kube.peek(this.#resource, NAMESPACE, this.ref.name) as Stored | undefined;
  }

  get status(): NonNullable<Stored['status']> {
    return this.stored?.status ?? {};
  }

  condition(type: string) {
    return this.status.conditions?.find((condition) => condition.type === type);
  }

  /** Everything that the worker wrote, Events apart. */
  get writes(): readonly (KubeRequest & { readonly at: number })[] {
    return this.requests.filter(isWrite);
  }

  /** Changes the object, as a person does. */
  change(changes: (stored: Stored) => Stored): void {
    const { stored } = this;
    if (stored === undefined) throw new Error(`${this.ref.name} is gone`);
    const { metadata, ...changed } = changes(stored);
    this.kube.put({ ...changed, metadata: { ...metadata, generation: metadata.generation + 1 } });
  }

  lose(): void {
    this.kube.drop(this.#resource, NAMESPACE, this.ref.name);
  }
}
