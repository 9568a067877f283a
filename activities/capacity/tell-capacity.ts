import type { StoredObject } from '../../k8s/dialects/kind.ts';
import { isOfKind } from '../../k8s/dialects/registry.ts';
import { CAPACITY_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import type { MachineSet } from '../../k8s/model/machine-set.ts';
import { describeRef, type ObjectRef } from '../../k8s/model/object-ref.ts';
import { writesAnnotation } from '../../k8s/object-meta.ts';
import type { Resource } from '../../k8s/resources.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import type { NodeShape } from '../../providers/node-shape.ts';
import type { CapacityActivities, CapacityAnswer } from '../../workflows/capacity-activities.ts';
import { ownerOf } from '../cloud-of.ts';
import type { ActivityDeps } from '../deps.ts';
import { inWordsOfItsSource, type ReadMachine } from '../effective-spec.ts';
import { objectChanged, onObject, refuseForeign } from '../failures.ts';
import { futureMachineOf, futureSetOf } from '../future-machine.ts';
import { readStored } from '../read-stored.ts';
import { capacityAnnotationsOf } from './capacity-annotations.ts';

/** The spec as a provider is asked about it. */
interface Group {
  readonly resource: Resource;
  readonly stored: StoredObject;
  /** A set of the group: itself, or one that the deployment would make. */
  readonly set: MachineSet;
}

/** What a Node will be like does not go by it. */
const ANY_REVISION = 1;

export function createTellCapacity(deps: ActivityDeps): CapacityActivities {
  const { kube, apis, providers } = deps;

  return {
    async tellCapacity(target) {
      refuseForeign(deps, target);
      const { ref } = target;
      const group = await readGroup(ref);
      const completed = await futureMachineOf(deps, group.set, ref);
      const { shape, problem } = await askForShape(ref, completed);
      const { nodeLabels: labels, machineClass } = completed.spec;
      const wanted = capacityAnnotationsOf({ template: machineClass?.nodeTemplate, shape, labels });
      await write(ref, group, wanted);
      return Object.keys(wanted).length > 0 ? { outcome: 'told' } : unknown(problem);
    },
  };

  async function readGroup(ref: ObjectRef): Promise<Group> {
    const setKind = apis.setsOf(ref);
    if (isOfKind(setKind.resource, ref)) {
      const stored = await stillThere(setKind.resource, ref);
      return { resource: setKind.resource, stored, set: setKind.read(stored).machineSet };
    }
    const { resource, read } = apis.kindOf('machineDeployment', ref);
    const stored = await stillThere(resource, ref);
    return { resource, stored, set: futureSetOf(deps, read(stored).machineDeployment, ANY_REVISION) };
  }

  async function stillThere(resource: Resource, ref: ObjectRef): Promise<StoredObject> {
    const stored = await readStored(kube, resource, ref);
    if (stored === undefined) throw objectChanged(`${describeRef(ref)} is gone`);
    return stored;
  }

  /** What the provider tells, or why it does not. */
  async function askForShape(
    ref: ObjectRef,
    { machine, spec }: ReadMachine,
  ): Promise<{ readonly shape?: NodeShape | undefined; readonly problem?: string }> {
    const { providerSpec, problem } = spec;
    if (problem !== undefined) return { problem: `${problem.field}: ${problem.message}` };
    try {
      const provider = providers.providerFor(providerSpec);
      const shape = await provider.nodeShapeOf?.({ owner: ownerOf(deps, ref, machine.clusterName), providerSpec });
      return shape === undefined
        ? { problem: `provider ${provider.name} does not tell what its instances have` }
        : { shape };
    } catch (error) {
      if (error instanceof ProviderError) return { problem: inWordsOfItsSource(error.message, spec) };
      throw error;
    }
  }

  /** What somebody else wrote stays his, whatever it says. */
  async function write(
    ref: ObjectRef,
    { resource, stored }: Group,
    wanted: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { annotations = {}, managedFields = [], resourceVersion } = stored.metadata;
    const isAnothers = (key: string): boolean =>
      annotations[key] !== undefined &&
      managedFields.some((fields) => fields.manager !== CAPACITY_FIELD_MANAGER && writesAnnotation(fields, key));
    const ours = Object.fromEntries(Object.entries(wanted).filter(([key]) => !isAnothers(key)));
    const held = Object.keys(annotations).filter((key) =>
      managedFields.some((fields) => fields.manager === CAPACITY_FIELD_MANAGER && writesAnnotation(fields, key)),
    );
    const isSame = held.length === Object.keys(ours).length && held.every((key) => annotations[key] === ours[key]);
    if (isSame) return;
    const { apiVersion, kind, namespace, name, uid } = ref;
    const body = { apiVersion, kind, metadata: { uid, resourceVersion, annotations: ours } };
    await onObject(() => kube.apply(resource, namespace, name, body, { fieldManager: CAPACITY_FIELD_MANAGER }));
  }
}

function unknown(problem: string | undefined): CapacityAnswer {
  const besides = `write the annotations cpu and memory under capacity.cluster-autoscaler.kubernetes.io, or a MachineClass's nodeTemplate`;
  return { outcome: 'unknown', message: `${problem ?? 'cores and memory of its Nodes are not known'}; ${besides}` };
}
