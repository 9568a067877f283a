import type { Instance } from '../../providers/provider.ts';
import type { RulesPlace } from '../model/cluster-rules.ts';
import type { ClusterStatus } from '../model/cluster.ts';
import type { MachineClassStatus } from '../model/machine-class.ts';
import type { MachineDeployment, MachineDeploymentStatus, RolledBack, StepWord } from '../model/machine-deployment.ts';
import type { MachineHealthCheckStatus } from '../model/machine-health-check.ts';
import type { RemediationTemplate } from '../model/remediation-template.ts';
import type { MachineSet, MachineSetStatus, MachineTemplate, SetOrder } from '../model/machine-set.ts';
import type { MachineStatus, MachineWish, SpecFields } from '../model/machine.ts';
import type { ObjectRef } from '../model/object-ref.ts';
import type { RolloutMark } from '../model/rollout-mark.ts';
import type { TemplateSettings } from '../model/template-settings.ts';
import { controllerOf } from '../model/owner-reference.ts';
import type {
  ClusterReading,
  MachineClassReading,
  MachineDeploymentReading,
  MachineHealthCheckReading,
  MachineReading,
  MachineSetReading,
  Meta,
} from '../model/reading.ts';
import type { ObjectMeta } from '../object-meta.ts';
import type { Resource } from '../resources.ts';
import { given } from '../../providers/given.ts';

/** Any object as the API server answers it, before its kind has read it. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object to create: what the API server adds to its metadata is missing. */
export interface NewObject extends Omit<StoredObject, 'metadata'> {
  readonly metadata: Partial<ObjectMeta> & Pick<ObjectMeta, 'name' | 'namespace'>;
}

/** What the API server refuses of a kind beside what its definition says. */
export interface AdmissionPolicy {
  /** Of the ValidatingAdmissionPolicy. */
  readonly name: string;
  /** Path of the policy and its binding. */
  readonly manifest: string;
  /** An object that nothing but this policy refuses. Absent: it looks at changes, or at who makes them. */
  readonly probe?: PolicyProbe;
}

export interface PolicyProbe {
  readonly annotations?: Readonly<Record<string, string>>;
  /** The object without its identity and its metadata. */
  readonly object: object;
  /** Part of what the policy says to it. */
  readonly refusal: string;
}

/**
 * One kind of one API in terms of our model: what it is, how it is read into the model, how our status becomes its status,
 * and what of its metadata is ours to write. Pure functions; nobody else reads or writes its objects.
 */
interface KindOf<Role, Reading> {
  readonly role: Role;
  readonly resource: Resource;
  /** Path of its CustomResourceDefinition. */
  readonly definition: string;
  readonly policies: readonly AdmissionPolicy[];
  /** What Millwright writes of its metadata, beside the finalizer. */
  readonly own: { readonly labels: ReadonlySet<string>; readonly annotations: ReadonlySet<string> };
  /** While there is one, the object waits for Millwright before it goes. */
  readonly finalizer?: string;
  /** Never fails: what is malformed is left out, and the model says so. */
  readonly read: (object: StoredObject) => Reading;
}

/** Only `machineKind` says so of a kind: a status is read as the Machine's own, and a launch as one that may be repeated. */
export const READ_AS_OWN: unique symbol = Symbol('read as own');

export interface MachineKind extends KindOf<'machine', MachineReading>, SpecFields {
  readonly [READ_AS_OWN]: true;
  readonly finalizer: string;
  /** The annotation by which cluster-autoscaler marks what its set deletes first; absent: it does not scale sets of this API. */
  readonly deleteMark?: string;
  /** The field that names the cluster, for messages. */
  readonly clusterField: string;
  /** The field that names the instance, for messages. */
  readonly providerIDField: string;
  /** What its policies ask for before Millwright may write it, beside what it writes by. Absent: nothing. */
  readonly askedVerbs?: { readonly verbs: readonly string[]; readonly why: string };
  /** On a Node: `<namespace>/<name>` of its Machine. */
  readonly nodeAnnotation: string;
  /** The `status` to apply; everything our field manager owns, or it would be removed. */
  readonly writeStatus: (status: MachineStatus) => object;
  /** What to apply beside the status when an instance becomes the Machine's. */
  readonly writeInstance: (instance: Instance) => {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly spec: object;
  };
  /** The merge patch that asks for this. Absent: objects of this kind have no fields for it. */
  readonly writeWish?: (wish: MachineWish) => {
    readonly metadata?: { readonly annotations: Readonly<Record<string, string | null>> };
    readonly spec: object;
  };
  /** The merge patch by which its MachineSet tells it of a rollout, and has it follow its template's settings, where there are any to follow. Absent: objects of this kind do neither. */
  readonly writeSettings?: (
    object: StoredObject,
    settings: TemplateSettings | undefined,
    rollout: RolloutMark | undefined,
  ) => { readonly metadata: object; readonly spec: object };
  /** The merge patch that takes the providerID away. */
  readonly withoutProviderID: object;
  /**
   * The merge patch of the `status` that takes everything away that Millwright writes there, and leaves the mark of a
   * Machine on which somebody else acted: a phase without `pastKnown`.
   */
  readonly emptiedStatus: object;
  /** The merge patch of the `status` that takes away how far a deletion has come; undefined: it says nothing of that. Absent: none does. */
  withoutDeletion?(object: StoredObject): object | undefined;
}

export interface MachineSetKind extends KindOf<'machineSet', MachineSetReading> {
  readonly writeStatus: (status: MachineSetStatus) => object;
  /**
   * Labels that a set without a controller has to get when a deployment adopts it: what an earlier deployment said of its template counts
   * again from then on, and may be so no more. Empty: none.
   */
  readonly labelsToAdopt: (set: MachineSetReading) => Readonly<Record<string, string>>;
  /** A new Machine of the set's template. */
  readonly newMachine: (set: MachineSet, name: string) => NewObject;
  /**
   * The merge patch by which a MachineDeployment changes its set: what it tells it, and the settings of its template where they are others.
   * `kept`: those that the set had when it was of the newest template; absent: it is now.
   */
  readonly writeOrder: (
    order: SetOrder,
    settings?: { readonly of: MachineTemplate; readonly wanted: TemplateSettings; readonly kept?: TemplateSettings },
  ) => { readonly metadata: object; readonly spec: object };
}

export interface MachineDeploymentKind extends KindOf<'machineDeployment', MachineDeploymentReading> {
  readonly writeStatus: (status: MachineDeploymentStatus) => object;
  /** Name of the set of its template as it is now, unless an earlier one of another template has it. */
  readonly setNameOf: (deployment: MachineDeployment) => string;
  /** That set, which has no Machines and may have none yet. */
  readonly newMachineSet: (
    deployment: MachineDeployment,
    as: { readonly name: string; readonly revision: number },
  ) => NewObject;
  /** The merge patch that pauses its rollout, or has it go on. */
  readonly writePause: (pauses: boolean) => { readonly spec: object };
  /** The merge patch by which its template is another one, and says no more than when it was asked for. */
  readonly writeRestart: (at: string) => { readonly spec: object };
  /** The JSON patch that puts another template in the place of its own, and has a paused rollout go on. */
  readonly replaceTemplate: (template: MachineTemplate, resumes: boolean) => readonly object[];
  /** The merge patch that approves one step of its rollout, or ends a pause that is one. */
  readonly writeStepWord: (what: 'approve' | 'resume', word: StepWord) => { readonly metadata: object };
  /** The JSON patch that keeps on record that it was rolled back. */
  readonly writeRolledBack: (record: RolledBack, meta: Pick<Meta, 'annotations'>) => readonly object[];
}

export interface MachineClassKind extends KindOf<'machineClass', MachineClassReading> {
  readonly finalizer: string;
  readonly writeStatus: (status: MachineClassStatus) => object;
}

export interface ClusterKind extends KindOf<'cluster', ClusterReading> {
  readonly writeStatus: (status: ClusterStatus) => object;
  /** A Cluster that says nothing but that it is there. */
  readonly newCluster: (namespace: string, name: string) => NewObject;
}

export interface MachineHealthCheckKind extends KindOf<'machineHealthCheck', MachineHealthCheckReading> {
  /** Where the rules of checks are that have none of their own. Absent: those go by the built-in ones. */
  readonly clusterRules?: RulesPlace;
  readonly writeStatus: (status: MachineHealthCheckStatus) => object;
  /** On what a check makes of a remediation template: of which one that is. */
  readonly requestAnnotations: (template: RemediationTemplate) => Readonly<Record<string, string>>;
}

/** Role → the kinds that have it. */
export interface Kinds {
  readonly machine: MachineKind;
  readonly machineSet: MachineSetKind;
  readonly machineDeployment: MachineDeploymentKind;
  readonly machineClass: MachineClassKind;
  readonly machineHealthCheck: MachineHealthCheckKind;
  readonly cluster: ClusterKind;
}

export type Role = keyof Kinds;

/** The kinds that belong together: a Machine's set, class and Cluster are of its own API. An API may lack any of them. */
export type Api = Partial<Kinds>;

export function refOf({ apiVersion, kind, metadata }: StoredObject): ObjectRef {
  const { namespace, name, uid } = metadata;
  return { apiVersion, kind, namespace, name, uid };
}

export function metaOf(object: StoredObject): Meta {
  const { metadata } = object;
  const { namespace, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  const { labels = {}, annotations = {}, finalizers = [] } = metadata;
  const controller = controllerOf(metadata.ownerReferences);
  return {
    ref: refOf(object),
    resourceVersion,
    createdAt: creationTimestamp,
    ...given({ deletedAt: deletionTimestamp }),
    labels,
    annotations,
    finalizers,
    ...given({
      controller: controller && {
        apiVersion: controller.apiVersion,
        kind: controller.kind,
        namespace,
        name: controller.name,
        uid: controller.uid,
      },
    }),
  };
}
