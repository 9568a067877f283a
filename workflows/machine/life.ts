import { workflowInfo } from '@temporalio/workflow';
import type { FoundMachine, MachineEvent, MachineTarget } from './machine-activities.ts';
import { withCondition, withoutCondition, type Condition } from '../../k8s/model/condition.ts';
import type { MachineErrorReason, MachineStatus } from '../../k8s/model/machine.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { CloudAccess } from '../../k8s/model/machine.ts';
import type { Instance } from '../../providers/provider.ts';
import type { LaunchRecord } from './launch-record.ts';

/** What a machine's workflow must not forget between two looks, and carries into its next run. Plain JSON. */
export interface MachineMemory {
  /** The attempt under way. */
  launch?: LaunchRecord;
  /** Times in milliseconds at which the instance was looked for and not found, without a sighting in between. */
  absentLooks: number[];
  /** The spec that the cloud or the provider called invalid, by its hash. */
  invalidSpec?: {
    hash: string;
    message: string;
    /** When it is tried again, where what is wrong lies outside of it. */ retryAt?: number;
  };
  /** Failures in a row of what is being tried, for the back-off. */
  failures: number;
  /** Nothing is tried before this, in milliseconds. */
  waitUntil?: number;
  /** The spec, by its hash, that a launch waits with. */
  waitSpecHash?: string;
  /** The instance that was last known to be the machine's. */
  instanceId?: string;
  /** When everything is looked at again, whatever was signalled, in milliseconds. */
  resyncAt?: number;
  /** When the creation timeout is over, in milliseconds. */
  joinBy?: number;
  /** The instance's state and addresses were read since its Node was Ready. */
  settled: boolean;
  /** When they are to be, in milliseconds. */
  settleAt?: number;
  /** Look at the instance in the next pass. */
  inspect: boolean;
  /** An instance may exist that nothing on record names: nothing is launched or let go before that was looked up. */
  pastOpen?: boolean;
  /** The status as it was last seen or written: what of it is lost is put back. */
  status?: MachineStatus;
  /** The instance as it was last recorded, without its addresses. */
  instance?: Instance;
  /** The launch was called once, and answered with its instance: there can be no other. */
  isLaunchedOnce?: boolean;
  /** The machine's living instances are to be counted: there may be more than one. */
  recount?: boolean;
  /** When they are to be, in milliseconds. */
  recountAt?: number;
  /** On the way out: no other instance of the machine is left. */
  othersEnded?: boolean;
  /** How often it was looked whether they end. */
  othersLooks?: number;
  /** What is wrong with the object, once it was said. */
  malformed?: string;
  /** The instance was put behind its load balancers. */
  attached?: boolean;
  /** Failures in a row to do so, and nothing is tried before this, in milliseconds. */
  attachFailures?: number;
  attachAt?: number;
  /** The instance was taken from behind its load balancers. */
  detached?: boolean;
  /** How long the history was when the task began that proved that nothing of the machine is left. */
  endedAt?: number;
  /** When the termination was asked for, in milliseconds, and how often it was looked after. */
  termination?: { askedAt: number; looks: number; /** It has to be asked for again. */ again?: boolean };
  /** Where the instance is, for a look when the Machine cannot tell any more; and how long the history was when the task
   * began that came to know. */
  cloud?: CloudAccess & { readonly notedAt: number };
}

export function newMemory(): MachineMemory {
  return { absentLooks: [], failures: 0, settled: false, inspect: false };
}

/** When a pass wants the next one: at a time in milliseconds, only when something changes, at once, or never again. */
export type Next =
  | { readonly at: number; readonly why: string }
  | { readonly at?: undefined; readonly why: string }
  | 'again'
  | 'end';

/**
 * One pass over one machine: what was seen, the status as it shall become, and the memory. The phases read and change
 * it; one status write at the end of the pass makes the difference visible.
 */
export class Life {
  readonly target: MachineTarget;
  readonly memory: MachineMemory;
  readonly seen: FoundMachine;
  /** The status as it shall be written. */
  status: MachineStatus;
  event: MachineEvent | undefined;
  /** As recorded in the spec, or as this pass recorded it. */
  providerID: string | undefined;
  private readonly now: () => number;
  /** What it waited for when the pass began. */
  private readonly waited: MachineStatus['waiting'];
  private stored: string;
  /** The stored status had lost what this workflow knows. */
  isRecalled = false;

  constructor(target: MachineTarget, memory: MachineMemory, seen: FoundMachine, now: () => number) {
    this.target = target;
    this.memory = memory;
    this.seen = seen;
    this.now = now;
    this.status = seen.machine.status;
    this.waited = this.status.waiting;
    this.providerID = seen.machine.providerID;
    this.stored = fingerprint(this.status);
    // The generation is the mark of a status that is all ours; see past.ts.
    if (memory.pastOpen === false) this.status = { ...this.status, observedGeneration: seen.machine.generation };
  }

  get ref(): ObjectRef {
    return this.target.ref;
  }

  get settings(): FoundMachine['settings'] {
    return this.seen.settings;
  }

  /** Milliseconds since the epoch, in workflow time. */
  get nowMs(): number {
    return this.now();
  }

  /** Where to find the instance: what the status says, else the id in the providerID that the Machine came with. */
  get instanceId(): string | undefined {
    return this.status.instance?.id ?? this.providerID?.split('/').at(-1);
  }

  /** Remembers what would be left behind, and where, should the object suddenly be gone. */
  noteInstance(id: string): void {
    this.memory.instanceId = id;
    const { provider, credentials } = this.status.launch?.parameters ?? this.status.cloud ?? {};
    if (provider === undefined || credentials === undefined) return;
    this.memory.cloud ??= { provider, credentials, notedAt: workflowInfo().historyLength };
  }

  /** How long its Node may take to join, in milliseconds. */
  get creationTimeoutMs(): number {
    return (this.seen.machine.creationTimeoutSeconds ?? this.settings.creationTimeoutSeconds) * 1000;
  }

  /** True where the status, or an event, has not reached the object yet. */
  get isUnwritten(): boolean {
    return this.event !== undefined || fingerprint(this.status) !== this.stored;
  }

  /** The status and the event have just been written. */
  written(): void {
    this.memory.status = this.status;
    this.leaveUnwritten();
  }

  /** This status is not to be written. */
  leaveUnwritten(): void {
    this.event = undefined;
    this.stored = fingerprint(this.status);
  }

  /** Goes by this status in place of the stored one. */
  recall(status: MachineStatus): void {
    this.status = status;
    this.isRecalled = true;
  }

  set(changes: Partial<MachineStatus>): void {
    const before = turnOf(this.status);
    this.status = { ...this.status, ...changes };
    if (turnOf(this.status) === before) return;
    this.status = { ...this.status, updatedAt: new Date(this.now()).toISOString() };
  }

  setCondition(condition: Omit<Condition, 'lastTransitionTime'>, since?: string): void {
    const now = since ?? new Date(this.now()).toISOString();
    const conditions = withCondition(this.status.conditions, condition, now);
    this.status = {
      ...this.status,
      conditions:
        since === undefined
          ? conditions
          : conditions.map((c) => (c.type === condition.type ? { ...c, lastTransitionTime: since } : c)),
    };
  }

  clearCondition(type: string): void {
    this.status = { ...this.status, conditions: withoutCondition(this.status.conditions, type) };
  }

  /** Says what the machine waits for; the time it began to is kept while step and reason stay. */
  wait(step: string, reason: string, message: string, nextTry?: number): void {
    // A try in between that came to the same end is no new wait.
    const known = this.status.waiting ?? this.waited;
    const same = known?.step === step && known.reason === reason;
    this.status = {
      ...this.status,
      waiting: {
        step,
        reason,
        message,
        since: same ? known.since : new Date(this.now()).toISOString(),
        ...(nextTry === undefined ? {} : { nextTry: new Date(nextTry).toISOString() }),
      },
    };
  }

  /** It waits for nothing. */
  proceed(): void {
    const { waiting: _waiting, ...rest } = this.status;
    this.status = rest;
  }

  /** The end of the road: only a deletion acts on it from here on. */
  fail(reason: MachineErrorReason, message: string): Next {
    this.proceed();
    this.set({ phase: 'Failed', error: { reason, message } });
    this.event = { type: 'Warning', reason: 'Failed', message };
    return { why: message };
  }

  get isNodeReady(): boolean {
    return this.status.conditions.some((c) => c.type === 'NodeReady' && c.status === 'True');
  }

  get hasFailed(): boolean {
    return this.status.phase === 'Failed';
  }
}

/** Where the life has come to, as text: health checks count from the last change of it. */
function turnOf({ phase, nodeRef, error }: MachineStatus): string {
  return JSON.stringify([phase, nodeRef?.name, nodeRef?.uid, error?.reason, error?.message]);
}

/** The status as text, whatever the order of its fields: the API server answers them in an order of its own. */
function fingerprint(status: MachineStatus): string {
  return JSON.stringify(status, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
