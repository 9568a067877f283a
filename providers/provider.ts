/**
 * What Millwright asks of a cloud: the one interface that every provider implements. provider-error.ts has the errors it may
 * answer with.
 *
 * A provider translates; it decides nothing, retries nothing and remembers nothing. One method call is at most one
 * changing call to the cloud, so that the workflow that asked knows how often the cloud was asked.
 */

import type { NodeShape } from './node-shape.ts';

/** Where the credentials of a call come from; part of the key under which describes are batched. */
export interface Credentials {
  /** Namespace of the Secret. */
  readonly namespace: string;
  /** Name of the Secret; absent: the provider's default chain (instance role, environment). */
  readonly secretName?: string;
  /** Region or endpoint name the calls go to, in the provider's own terms; absent: the provider's default. */
  readonly region?: string;
}

/** The same text for the same credentials, whatever the order of their fields. */
export function credentialsKey({ namespace, secretName = '', region = '' }: Credentials): string {
  return `${namespace}/${secretName}/${region}`;
}

/**
 * How a cloud keeps one launch from making two instances.
 *
 * - `token`: a repeat under the same token, with the same parameters, within an hour, is the same call to this cloud,
 *   whatever became of the first. A launch of unknown outcome is looked up and then called again under its token.
 * - `lookup`: every call is a new one to this cloud. The call that makes an instance puts the owner's tags and the token on
 *   it in the same step, and a look-up shows it within the consistency window. An attempt is called once: where that call
 *   may have taken effect, look-ups over the whole window prove what came of it, and only the next attempt calls again. The
 *   cloud is also asked once before each call, because Temporal may have been restored to a past that knows of none.
 */
export type Idempotency = (typeof IDEMPOTENCIES)[number];
export const IDEMPOTENCIES = ['token', 'lookup'] as const;

/**
 * Everything a launch sends to the cloud, resolved and frozen: JSON that is stored in the Machine's status and in the
 * workflow's history before the first call and repeated byte for byte afterwards. Holds no secret, only their names.
 */
export interface LaunchParameters {
  /** Name of the provider that resolved them: the one cloud they mean. */
  readonly provider: string;
  readonly credentials: Credentials;
  /** Zone the instance runs in; absent: the cloud has none. A token counts per zone: it never changes within an attempt. */
  readonly zone?: string;
  /** Absent: the cloud has no types. */
  readonly instanceType?: string;
  /** Name of the Secret with the key `userData`, in the Machine's namespace. */
  readonly userDataSecret?: string;
  /** Load balancers the instance goes behind while it runs; absent: none. */
  readonly loadBalancers?: readonly LoadBalancer[];
  /** The rest of the request, in the provider's own terms. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** A load balancer of the cloud, by name. */
export interface LoadBalancer {
  readonly name: string;
  /** The provider's own word for its kind, e.g. `network` on EC2. Nobody else reads it. */
  readonly type: string;
}

/** Who an instance belongs to. Written on the instance as tags, and how it is found again. */
export interface InstanceOwner {
  /** Name of the cluster that the Machine says it belongs to. */
  readonly clusterName: string;
  readonly namespace: string;
  readonly name: string;
  /** UID of the Machine: what proves ownership. */
  readonly uid: string;
  /** uid of kube-system: the cluster that the Machine is in. */
  readonly clusterUid: string;
}

/** Whose instances are looked for. */
export interface MachineSearch {
  readonly owner: InstanceOwner;
  /** Token of a launch that may have made one. */
  readonly token?: string;
}

export interface ResolveRequest {
  readonly owner: InstanceOwner;
  /** What the user wrote: `spec.providerSpec.value`, or what its MachineClass says, with the Cluster's defaults. */
  readonly providerSpec: unknown;
}

/** A {@link ResolveRequest}, as far as it tells whose credentials are meant. */
export interface CredentialsRequest extends Pick<ResolveRequest, 'providerSpec'> {
  readonly owner: Pick<InstanceOwner, 'namespace'>;
}

export interface LaunchRequest {
  readonly owner: InstanceOwner;
  /** Token of the attempt: at most 64 ASCII characters. What it does depends on {@link Provider.idempotency}. */
  readonly token: string;
  readonly parameters: LaunchParameters;
  /** Content of the user-data Secret, raw. Never logged, never part of an error. */
  readonly userData?: Uint8Array;
  /**
   * Whether what was checked before the call still counts. Asked as late as can be, right before the request is sent: where it
   * does not, the call fails with `CALL_NOT_DUE`, and nothing is sent. @default it always does
   */
  readonly isStillDue?: () => boolean;
}

export interface RebootRequest extends Pick<LaunchRequest, 'isStillDue'> {
  readonly credentials: Credentials;
  /** The cloud's id. */
  readonly id: string;
}

/** What a providerSpec gets for what it leaves out: from its MachineClass and its Cluster. */
export interface SpecDefaults {
  readonly region?: string;
  /** Name of the Secret with the user-data. */
  readonly userDataSecret?: string;
  /** Name of the Secret with the credentials. */
  readonly credentialsSecret?: string;
  /** Added to the spec's own, which count where a name is in both. */
  readonly tags?: readonly { readonly name: string; readonly value: string }[];
}

/** `stopped` still exists and may come back; `terminated` is final. */
export type InstanceState = (typeof INSTANCE_STATES)[number];
export const INSTANCE_STATES = ['pending', 'running', 'stopping', 'stopped', 'shutting-down', 'terminated'] as const;

export function isInstanceState(word: string | undefined): word is InstanceState {
  return INSTANCE_STATES.some((state) => state === word);
}

/** What an address of an instance is, as in a Node's status. */
export type AddressType = (typeof ADDRESS_TYPES)[number];
export const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'InternalDNS', 'ExternalDNS', 'Hostname'] as const;

export interface InstanceAddress {
  readonly type: AddressType;
  readonly address: string;
}

/** What the cloud runs. */
export interface Instance {
  /** The cloud's id, e.g. `i-0abc…`. */
  readonly id: string;
  /** What the Node carries in `spec.providerID`, e.g. `simulated:///zone-a/i-0abc…`. */
  readonly providerID: string;
  readonly state: InstanceState;
  /** Absent, as are the zone and the type: the cloud has none. */
  readonly region?: string;
  readonly zone?: string;
  readonly instanceType?: string;
  readonly addresses: readonly InstanceAddress[];
  /** UID of the Machine it was launched for, from its tags; absent where it carries none. */
  readonly machineUid?: string;
  /** Ids of the clusters whose `kubernetes.io/cluster/<id>` tag says `owned`; absent: none does. */
  readonly clusters?: readonly string[];
  /** Its Name tag. */
  readonly name?: string;
  /** `machineKeyOf` the Machine that it was launched for, from its tags. */
  readonly machineKey?: string;
  /** uid of kube-system of the cluster it was launched from, from its tags. */
  readonly clusterUid?: string;
  /** The cloud's account that it is in, where the cloud tells. */
  readonly account?: string;
  /** Token it was launched with: as the cloud tells, or as the launch wrote it on the instance. */
  readonly token?: string;
  /** RFC 3339. */
  readonly launchedAt?: string;
  /** True where the cloud may take the instance back (spot). */
  readonly interruptible?: boolean;
  /** True where the cloud did that, or ended what it had no room for after all, and nobody asked for its end. */
  readonly takenBack?: boolean;
}

/**
 * How launches keep within the limits of their account. By its token a launch keeps its place, however often it asks; both
 * reject with `notSent`, and the time to come back.
 */
export interface LaunchTurns {
  /** A place in the line, and no room: for a launch that is still to be prepared. Rejects where its turn is seconds away. */
  lineUp(credentials: Credentials, token: string): Promise<void>;
  /** Waits some seconds for its turn, and keeps the room for the launch, which is to follow within 30 s. */
  take(credentials: Credentials, token: string): Promise<void>;
}

/** One cloud, as Millwright sees it. Every method rejects with a `ProviderError` and nothing else. */
export interface Provider {
  /** Name in the search attribute MachineProvider and in logs, e.g. `simulated`. */
  readonly name: string;
  /** `kind`s of providerSpec.value this provider serves, e.g. `SimulatedMachineProviderConfig`. */
  readonly providerSpecKinds: readonly string[];
  /** apiVersion that goes with the first of these kinds, for a MachineClass that names neither. */
  readonly providerSpecApiVersion?: string;

  /**
   * The spec with these defaults for what it leaves out, in the fields where this provider has them. Never fails: a spec
   * that is malformed is left as it is there, and `resolve` names what is wrong. Absent: nothing is filled in.
   */
  withDefaults?(
    providerSpec: Readonly<Record<string, unknown>>,
    defaults: SpecDefaults,
  ): Readonly<Record<string, unknown>>;

  /** What keeps a launch from making two instances. */
  readonly idempotency: Idempotency;

  /** Where this spec's calls go, without a call to the cloud. InvalidArgument names the field. */
  credentialsOf(request: CredentialsRequest): Credentials;

  /**
   * Checks the spec and resolves names to ids, with reads that are cached per credentials. Fails with InvalidArgument
   * (`field` names what is wrong) where only a change of the spec can help, or of what it names (`outsideSpec`).
   */
  resolve(request: ResolveRequest): Promise<LaunchParameters>;

  /**
   * What a Node of this spec will be like, with reads that are cached; undefined: the cloud does not tell. Rejects as {@link Provider.resolve}
   * does. Absent: this cloud never tells.
   */
  nodeShapeOf?(request: ResolveRequest): Promise<NodeShape | undefined>;

  /** Absent: nothing limits launches. */
  readonly launchTurns?: LaunchTurns;

  /**
   * One call that creates the instance, of exactly these parameters, with its tags; never repeated in here. The token goes
   * along: to the cloud where it honours one, else as a tag of the instance.
   */
  launch(request: LaunchRequest, signal?: AbortSignal): Promise<Instance>;

  /**
   * Asks the cloud whether it would carry out a launch of exactly these parameters, and has it make nothing: what they name exists, and
   * the credentials may launch. Resolves where it would, else rejects as {@link Provider.launch} does. Whether there is room the cloud need not tell.
   * Absent: this cloud cannot be asked; what {@link Provider.resolve} checks is all that is known before a launch.
   */
  dryRun?(request: LaunchRequest, signal?: AbortSignal): Promise<void>;

  /**
   * The account that calls with these credentials go to, as of less than a minute ago; undefined: the cloud does not tell,
   * or not now. Absent: this cloud has no accounts.
   */
  accountOf?(credentials: Credentials): Promise<string | undefined>;

  /** Whether this can be the id of an instance of this cloud. What cannot is never sent. */
  isInstanceId(id: string): boolean;

  /**
   * The instances with these ids, at most {@link Provider.describeBatchSize} of them; an id the cloud does not know is
   * left out of the answer.
   */
  describe(credentials: Credentials, ids: readonly string[], signal?: AbortSignal): Promise<readonly Instance[]>;

  /** Most ids in one describe call. */
  readonly describeBatchSize: number;

  /**
   * Every instance that may be this Machine's. In any state the cloud still shows, terminated ones included: those with
   * its UID and, where given, those of the token. Besides, living ones that carry its name and the tag of its cluster, or
   * its namespace and name, whatever UID they carry: whether they may be adopted is for the caller to judge. Four reads
   * at most.
   */
  findByMachine(
    credentials: Credentials,
    owner: InstanceOwner,
    token?: string,
    signal?: AbortSignal,
  ): Promise<readonly Instance[]>;

  /**
   * As {@link Provider.findByMachine} for many Machines, at most {@link Provider.describeBatchSize} of them, by reads that
   * they share. What may be each one's, in the order of the searches.
   */
  findByMachines(
    credentials: Credentials,
    searches: readonly MachineSearch[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly Instance[])[]>;

  /** Writes the owner's tags on an instance that is adopted, the UID among them. Doing it twice is the same as once. */
  claim(credentials: Credentials, id: string, owner: InstanceOwner, signal?: AbortSignal): Promise<void>;

  /** Asks for termination. Resolves with the state reported; an id the cloud does not know fails with NotFound. */
  terminate(credentials: Credentials, id: string, signal?: AbortSignal): Promise<InstanceState>;

  /**
   * One call that boots a running instance anew; never repeated in here, since each call is another boot. FailedPrecondition says that
   * it does not run, NotFound that there is none. Absent: this cloud cannot.
   */
  reboot?(request: RebootRequest, signal?: AbortSignal): Promise<void>;

  /** All instances tagged as the cluster's, terminated ones included where the cloud still shows them. */
  list(credentials: Credentials, clusterName: string, signal?: AbortSignal): Promise<readonly Instance[]>;

  /** Absent: this cloud has no load balancers that Millwright knows. */
  readonly loadBalancing?: LoadBalancing;
}

/** Instances behind load balancers. Doing either twice is the same as once. */
export interface LoadBalancing {
  /** The load balancers that a spec names, without a call to the cloud. InvalidArgument names the field. */
  loadBalancersOf(request: ResolveRequest): readonly LoadBalancer[];

  /** Puts a running instance behind all of them. NotFound names a load balancer that does not exist. */
  register(
    credentials: Credentials,
    loadBalancers: readonly LoadBalancer[],
    instance: { readonly id: string; readonly addresses: readonly InstanceAddress[] },
    signal?: AbortSignal,
  ): Promise<void>;

  /** Takes an instance from behind all of them. One that does not exist (any more) has nothing behind it. */
  deregister(
    credentials: Credentials,
    loadBalancers: readonly LoadBalancer[],
    instance: { readonly id: string; readonly addresses: readonly InstanceAddress[] },
    signal?: AbortSignal,
  ): Promise<void>;
}
