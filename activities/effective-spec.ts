import type { Cluster } from '../k8s/model/cluster.ts';
import type { MachineClass } from '../k8s/model/machine-class.ts';
import type { CompletedMachine, Machine, MachineSpec, SpecProblem } from '../k8s/model/machine.ts';
import { describeRef, type ObjectRef } from '../k8s/model/object-ref.ts';
import { specHashOf } from '../k8s/spec-hash.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { SpecDefaults } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { classSpecOf } from './class-spec.ts';
import { given, unlessEmpty } from '../providers/given.ts';

/** A Machine as its object has it. */
export interface WrittenMachine {
  readonly machine: Machine;
  readonly spec: MachineSpec;
}

/** A Machine as an activity reads it, with what its spec is completed from. */
export interface ReadMachine extends WrittenMachine {
  readonly machine: CompletedMachine;
}

/** What a Machine's spec is completed from. */
export interface SpecSources {
  /** The class it refers to; undefined: it refers to none, or there is none of that name. */
  readonly machineClass: MachineClass | undefined;
  /** The Cluster of its label; undefined: there is none, which is as well. */
  readonly cluster: Cluster | undefined;
  /** Why the class could not be read, although there may be one: a sentence that names it and what it takes. */
  readonly classRefused?: string;
  /** Likewise of the Cluster: while nobody can tell whether it is paused, it is taken to be. */
  readonly clusterRefused?: string;
}

/** What providers call the field that says what to launch, whichever it is. */
const PROVIDERS_WORD = 'providerSpec.value';

/**
 * What a Machine means, all told: its own providerSpec or its class's, then the class's Secrets, then the Cluster's
 * defaults for what is still left out. Where the class is missing or does not fit there is no providerSpec but a problem,
 * which a launch waits for; whatever was launched already goes by its frozen parameters, and is not said to be out of date.
 */
export function completeSpec(read: WrittenMachine, sources: SpecSources, providers: ProviderRegistry): ReadMachine {
  const { machineClass, cluster } = sources;
  const machine = inCluster(read.machine, sources);
  const written = writtenSpec(read, sources, providers);
  const known = machineClass === undefined ? read.spec : { ...read.spec, machineClass };
  if ('problem' in written) {
    const { problem } = written;
    const specHash = machine.status.launch?.specHash ?? specHashOf({ problem: `${problem.field}: ${problem.message}` });
    return { machine: { ...machine, specHash }, spec: { ...known, providerSpec: undefined, problem } };
  }
  const defaults = defaultsOf(read.spec.classRef === undefined ? undefined : machineClass, cluster);
  const providerSpec = withDefaults(written.providerSpec, defaults, providers);
  return { machine: { ...machine, specHash: specHashOf(providerSpec ?? null) }, spec: { ...known, providerSpec } };
}

/**
 * The providerSpec to act on.
 * @throws ProviderError FailedPrecondition where something that the spec refers to is missing: it names it
 */
export function requireProviderSpec({ providerSpec, problem }: MachineSpec): unknown {
  if (problem === undefined) return providerSpec;
  throw new ProviderError('FailedPrecondition', `${problem.field}: ${problem.message}`, { field: problem.field });
}

/**
 * A provider's words about `providerSpec.value`, in those of the object that it was written in: what is wrong with a class
 * is mended there.
 */
export function inWordsOfItsSource(text: string, { fields, classRef, machineClass }: MachineSpec): string {
  if (classRef === undefined || machineClass === undefined) return inWordsOfField(text, fields.specField);
  const { namespace, name } = machineClass.ref;
  const told = inWordsOfField(text, 'providerSpec');
  return told === text ? text : `MachineClass ${namespace}/${name}: ${told}`;
}

/** The same, of what stands in this field. */
export function inWordsOfField(text: string, field: string): string {
  return text.replaceAll(PROVIDERS_WORD, () => field);
}

/** What its Cluster says of it besides what to launch. */
function inCluster(machine: Machine, sources: SpecSources): Machine {
  const controlPlaneSize = sources.cluster?.controlPlaneSize;
  return { ...pausedWith(machine, sources), ...given({ controlPlaneSize }) };
}

function pausedWith(machine: Machine, sources: SpecSources): Machine {
  if (machine.paused) return machine;
  const pausedBy = heldUpBy({ namespace: machine.ref.namespace, name: machine.clusterName }, sources);
  return pausedBy === undefined ? machine : { ...machine, paused: true, pausedBy };
}

/** Which Cluster holds up what belongs to it, and why, as the beginning of "… is paused"; undefined: it does not. */
export function heldUpBy(
  { namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>,
  { cluster, clusterRefused }: Pick<SpecSources, 'cluster' | 'clusterRefused'>,
): string | undefined {
  if (clusterRefused !== undefined) return `Cluster ${namespace}/${name} (taken for paused, because ${clusterRefused})`;
  if (cluster?.paused !== true) return undefined;
  const { ref, malformed } = cluster;
  const what = describeRef(ref);
  return malformed === undefined ? what : `${what} (taken for paused, because it is malformed: ${malformed})`;
}

/** Where a Machine names its class. */
export function classNameFieldOf({ fields: { classField = 'machineClass' } }: MachineSpec): string {
  return `${classField}.name`;
}

type WrittenSpec = { readonly providerSpec: unknown } | { readonly problem: SpecProblem };

/** The providerSpec as a person wrote it: in the Machine, or in its class. */
function writtenSpec(
  { machine, spec }: WrittenMachine,
  { machineClass, classRefused }: SpecSources,
  providers: ProviderRegistry,
): WrittenSpec {
  const { classRef } = spec;
  if (classRef === undefined) return { providerSpec: spec.providerSpec };
  const { namespace } = machine.ref;
  const what = `MachineClass ${namespace}/${classRef.name}`;
  const field = classNameFieldOf(spec);
  if (classRefused !== undefined) {
    return { problem: { reason: 'KubernetesRefused', field, message: `${what}: ${classRefused}` } };
  }
  if (machineClass === undefined) {
    return { problem: { reason: 'MachineClassMissing', field, message: `${what} does not exist` } };
  }
  const { provider } = machineClass;
  const found = classSpecOf(machineClass, providers);
  if ('problem' in found) return invalid(field, `${what}: ${found.problem}`);
  if (classRef.provider === undefined || classRef.provider === provider) return found;
  return invalid(field.replace(/name$/, 'provider'), `is ${classRef.provider}, and ${what} is of ${provider}`);
}

function invalid(field: string, message: string): WrittenSpec {
  return { problem: { reason: 'MachineClassInvalid', field, message } };
}

/** What a providerSpec gets for what it leaves out; the class's word counts before the Cluster's. */
function defaultsOf(machineClass: MachineClass | undefined, cluster: Cluster | undefined): SpecDefaults {
  const userDataSecret = machineClass?.userDataSecret?.name;
  const credentialsSecret = machineClass?.credentialsSecret?.name ?? cluster?.defaults.credentialsSecret;
  const { region, tags = [] } = cluster?.defaults ?? {};
  return given({ userDataSecret, credentialsSecret, region, tags: unlessEmpty(tags) });
}

/** A spec of no provider that is known stays as it is: the launch says what is wrong with it. */
function withDefaults(providerSpec: unknown, defaults: SpecDefaults, providers: ProviderRegistry): unknown {
  if (Object.keys(defaults).length === 0) return providerSpec;
  try {
    const provider = providers.providerFor(providerSpec);
    return provider.withDefaults?.(providerSpec as Readonly<Record<string, unknown>>, defaults) ?? providerSpec;
  } catch (error) {
    if (error instanceof ProviderError) return providerSpec;
    throw error;
  }
}
