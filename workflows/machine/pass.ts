import { isSameJson } from '../../k8s/json.ts';
import { conditionOf, withCondition, withoutCondition, type NewCondition } from '../../k8s/model/condition.ts';
import { isFailedForGood, isWithoutRoom } from '../../k8s/model/failure.ts';
import type { CloudAccess, MachineErrorReason, MachinePhase, MachineStatus } from '../../k8s/model/machine.ts';
import { instanceIdOf } from '../../k8s/model/provider-id.ts';
import type { ConditionType } from '../../k8s/model/reasons/conditions.ts';
import type { SomeNames } from '../../k8s/model/some-names.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Instance } from '../../providers/provider.ts';
import type { Wait } from './answer.ts';
import type { SeenStatus } from '../seen-status.ts';
import type { FoundMachine, MachineEvent, MachineTarget, WriteMachineStatus } from './machine-activities.ts';
import type { JoinAnswer } from './node-activities.ts';
import type { MachineMemory } from './memory.ts';
import { describeState } from './tell-look.ts';
import { given } from '../../providers/given.ts';

/** The instance as the cloud told of it in this pass: it is recorded with the status. */
export interface Sighting {
  readonly instance: Instance;
  /** It was launched in this pass, or found to be the Machine's: nothing on the object names it yet. */
  readonly isNew: boolean;
  /** By a call of this pass, which no other one was made for: its Node cannot have joined before. */
  readonly isJustMade?: boolean;
}

/**
 * One pass over one machine: what was seen, the status as it shall become, and the memory. The phases read and change it;
 * one write at its end makes the difference visible.
 */
export class Pass {
  readonly target: MachineTarget;
  readonly memory: MachineMemory;
  readonly seen: FoundMachine;
  /** The status as it shall be written. */
  status: MachineStatus;
  /** To be recorded with the status, oldest first. */
  events: readonly MachineEvent[] = [];
  sighting: Sighting | undefined;
  /** The machine got its instance in this pass, written by now or not. */
  isInstanceNew = false;
  /** What the search for the machine's Node came to, where it found none. */
  nodeAnswer: Exclude<JoinAnswer, { outcome: 'joined' }> | undefined;
  /** The volumes attached to its Node, as a look of this pass found them. */
  attached: SomeNames | undefined;
  /** As recorded in the spec, or as this pass records it. */
  providerID: string | undefined;
  /** It is time for the slow look at everything, whatever was or was not signalled. */
  readonly isResync: boolean;
  /** When it had seen the Machine, in milliseconds since the epoch: the same in each replay, whatever it waits for later. */
  readonly beganAt: number;
  /**
   * How often this run of the workflow has slept. What it learned before its last sleep is in its history, and is known also to a worker
   * that replays it; what it learned since may be lost with the worker.
   */
  readonly rests: number;
  private readonly now: () => number;
  /** The status as it is on the object. */
  private stored: MachineStatus;
  /** The same, as the next write of it names it. */
  private over: SeenStatus | undefined;
  /** The stored status had lost what this workflow knows. */
  isRecalled = false;
  /** The instance of the Machine's past was found: it is in the status, which has to be written. */
  isPastFound = false;

  constructor(target: MachineTarget, memory: MachineMemory, seen: FoundMachine, now: () => number, rests: number) {
    this.target = target;
    this.memory = memory;
    this.seen = seen;
    this.now = now;
    this.rests = rests;
    this.status = this.asOurs(seen.machine.status);
    this.providerID = seen.machine.providerID;
    this.stored = seen.machine.status;
    this.over = seen.seen;
    this.beganAt = now();
    this.isResync = (memory.resyncAt ?? Infinity) <= this.beganAt;
    this.events = memory.untold ?? [];
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
    return this.status.instance?.id ?? instanceIdOf(this.providerID);
  }

  /** Remembers what would be left behind, and where, should the object suddenly be gone. */
  noteInstance(id: string): void {
    this.memory.instanceId = id;
    const { provider, credentials } = this.status.launch?.parameters ?? this.status.cloud ?? {};
    if (provider === undefined || credentials === undefined) return;
    this.memory.cloud ??= { provider, credentials, notedAt: this.rests };
  }

  /** Takes up what the cloud says of the machine's instance; it is recorded at the end of the pass. */
  see(sighting: Sighting, cloud?: CloudAccess): void {
    const { instance } = sighting;
    this.set({
      ...given({ cloud }),
      instance: { id: instance.id, state: instance.state },
      ...given({ account: instance.account }),
      addresses: [...instance.addresses],
    });
    this.setCondition({
      type: 'InstanceExists',
      status: 'True',
      reason: 'InstanceExists',
      message: describeState(instance.id, instance.state),
    });
    this.providerID = instance.providerID;
    this.noteInstance(instance.id);
    this.sighting = sighting;
    if (sighting.isNew) this.isInstanceNew = true;
  }

  /** How long its Node may take to join, in milliseconds. */
  get creationTimeoutMs(): number {
    return (this.seen.machine.creationTimeoutSeconds ?? this.settings.creationTimeoutSeconds) * 1000;
  }

  /** Has an event recorded; of the same reason the last word of a pass counts. */
  tell(event: MachineEvent): void {
    this.events = [...this.events.filter(({ reason }) => reason !== event.reason), event];
  }

  /** The same for what is noted to be told: no later pass would tell it. Where the write does not come about, the next pass has it recorded. */
  tellOnce(event: MachineEvent): void {
    const before = (this.memory.untold ?? []).filter(({ reason }) => reason !== event.reason);
    this.memory.untold = [...before, event];
    this.tell(event);
  }

  /** The events were recorded. */
  told(): void {
    this.events = [];
    delete this.memory.untold;
  }

  /** True where the status, or an event, has not reached the object yet: the API server answers fields in an order of its own. */
  get isUnwritten(): boolean {
    return this.events.length > 0 || !isSameJson(this.status, this.stored);
  }

  /** What a write names: the status, and what it follows from. */
  get toWrite(): Pick<WriteMachineStatus, 'status' | 'seen'> {
    return { status: this.status, ...given({ seen: this.over }) };
  }

  /**
   * The status and the events have just been written.
   *
   * @param over what the write was answered with
   */
  written(over: SeenStatus | undefined): void {
    this.over = over;
    this.told();
    this.memory.status = this.status;
    if (this.isPastFound) this.memory.pastOpen = false;
    this.leaveUnwritten();
  }

  /** The activity that was asked last has written into the status, which the next write goes over. */
  wroteElsewhere(over: SeenStatus): void {
    this.over = over;
  }

  /** This status is not to be written. */
  leaveUnwritten(): void {
    this.events = [];
    this.sighting = undefined;
    this.stored = this.status;
  }

  /** Goes by this status in place of the stored one. */
  recall(status: MachineStatus): void {
    this.status = this.asOurs(status);
    this.isRecalled = true;
  }

  /** The status with our two marks: the generation that it is about, and `pastKnown`, once no unknown instance can exist. */
  private asOurs({ pastKnown: _written, ...status }: MachineStatus): MachineStatus {
    const observedGeneration = this.seen.machine.generation;
    return { ...status, observedGeneration, ...given({ pastKnown: this.memory.pastOpen === false || undefined }) };
  }

  set(changes: Partial<MachineStatus>): void {
    const { instance } = changes;
    if (instance?.state === 'terminated') this.memory.endSeen = instance.id;
    const before = turnOf(this.status);
    this.status = { ...this.status, ...changes };
    if (turnOf(this.status) === before) return;
    this.status = { ...this.status, updatedAt: new Date(this.now()).toISOString() };
  }

  setCondition(condition: NewCondition, since?: string): void {
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

  /** Has a condition that was said in this pass say this, too. */
  addToCondition(type: ConditionType, words: string): void {
    const conditions = this.status.conditions.map((one) =>
      one.type === type ? { ...one, message: `${one.message}; ${words}` } : one,
    );
    this.status = { ...this.status, conditions };
  }

  clearCondition(type: ConditionType): void {
    this.status = { ...this.status, conditions: withoutCondition(this.status.conditions, type) };
  }

  /** Says what the machine waits for, or that it waits for nothing; the time it began to is kept while step and reason stay, unless it is given. */
  wait(wait: Wait | undefined): void {
    const { waiting: known, ...rest } = this.status;
    if (wait === undefined) {
      this.status = rest;
      return;
    }
    const { until, cloudFails: _forPhases, ...words } = wait;
    // The start of the pass counts: a try in between that came to the same end is no new wait.
    const before = known ?? this.seen.machine.status.waiting;
    const isSame = before?.step === wait.step && before.reason === wait.reason;
    const since = wait.since ?? (isSame ? before.since : new Date(this.now()).toISOString());
    const nextTry = until === undefined ? undefined : new Date(until).toISOString();
    this.status = { ...rest, waiting: { ...words, since, ...given({ nextTry }) } };
  }

  /** The end of the road: only a deletion acts on it from here on. */
  fail(reason: MachineErrorReason, message: string): void {
    this.wait(undefined);
    this.set({ phase: 'Failed', error: { reason, message } });
    this.tell({ type: 'Warning', reason: 'Failed', message });
  }

  /** It is Failed no more, if it was for lack of room. */
  recover(phase: MachinePhase): void {
    if (!isWithoutRoom(this.status)) return;
    const { error: _over, ...status } = this.status;
    this.status = { ...status, phase, updatedAt: new Date(this.now()).toISOString() };
  }

  get isNodeReady(): boolean {
    return conditionOf(this.status.conditions, 'NodeReady')?.status === 'True';
  }

  /** For good: nothing but a deletion acts on it. */
  get hasFailed(): boolean {
    return isFailedForGood(this.status);
  }
}

/** Where the life has come to, as text: health checks count from the last change of it. */
function turnOf({ phase, nodeRef, error }: MachineStatus): string {
  return JSON.stringify([phase, nodeRef?.name, nodeRef?.uid, error?.reason, error?.message]);
}
