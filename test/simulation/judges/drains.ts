import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { EXCLUDE_DRAIN_ANNOTATION, FORCE_DELETION_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { DEFAULT_DRAIN } from '../../../k8s/model/drain.ts';
import { parseDuration } from '../../../k8s/model/duration.ts';
import type { LifecycleHook } from '../../../k8s/model/machine.ts';
import { isReady, OUT_OF_SERVICE, type Node } from '../../../k8s/model/node.ts';
import { readPod, type Pod, type StoredPod } from '../../../k8s/model/pod.ts';
import { tolerates } from '../../../k8s/model/taint.ts';
import { NODES, PODS } from '../../../k8s/resources.ts';
import type { KubeRequest } from '../../world/kubernetes/request.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import type { People } from '../people/people.ts';
import type { Universe } from '../universe.ts';
import { AbortJudge, type AbortJudgeOptions } from './aborts.ts';
import { A_MOMENT_MS } from './new-machine.ts';
import { SparedJudge } from './spared.ts';
import { VolumeJudge } from './volumes.ts';
import type { Wishes } from './wishes.ts';

interface DrainJudgeOptions {
  readonly universe: Universe;
  readonly wishes: Wishes;
  readonly people: () => People | undefined;
  readonly accuse: (judge: string, message: string) => void;
}

/** A deadline counts for as much earlier as clocks and seconds without a fraction make it look. Milliseconds. */
const ROUNDED_MS = 2000;

/** A pod whose Node is not heard is not asked to go for so long; what was under way when that was said may still go. Milliseconds. */
const UNHEARD_MS = 60_000;

/** What comes before the end of an instance, as it shows on Nodes and pods. */
export class DrainJudge {
  readonly #options: DrainJudgeOptions;
  /** Ids of instances that were asked to end. */
  readonly #asked = new Set<string>();
  readonly #aborts: AbortJudge;
  readonly #volumes: VolumeJudge;
  readonly #spared: SparedJudge;
  /** By the name of a Node: when it was not Ready last, in milliseconds since the epoch. */
  readonly #downAt = new Map<string, number>();
  looks = 0;

  constructor(options: DrainJudgeOptions) {
    this.#options = options;
    const { universe, wishes, accuse } = options;
    this.#volumes = new VolumeJudge({ universe, wishes, accuse: (message) => accuse('volumes first', message) });
    this.#spared = new SparedJudge({ now: () => universe.agenda.now, wishes, accuse });
    const judgeHook: AbortJudgeOptions['judgeHook'] = (machine, what) =>
      this.#judgeHook(machine, 'preTerminate', what, ASSUMPTIONS.requestEffectMs);
    this.#aborts = new AbortJudge({ api: universe.api, wishes, now: () => universe.agenda.now, judgeHook, accuse });
    universe.api.store.onChange(({ resource, object, previous }) => {
      if (resource.plural !== NODES.plural) return;
      const isDown = [previous, object].some((node) => node !== undefined && !isReady(node as unknown as Node));
      if (isDown) this.#downAt.set(object.metadata.name, universe.agenda.now);
    });
  }

  /** The cloud was asked to end an instance, and that lives or just begins to end. */
  seeEnd(id: string): void {
    // What was asked to end is not held any more, nor drained.
    if (this.#asked.has(id)) return;
    this.#asked.add(id);
    const machine = this.#machineOf(({ status }) => status?.providerStatus?.instanceId === id);
    const { cloud } = this.#options.universe;
    const isLiving = cloud.living().some((each) => each.id === id);
    if (machine === undefined || !isLiving || cloud.touched.has(id)) return;
    this.looks += 1;
    this.#aborts.seeEnd(machine, id);
    this.#judgeHook(machine, 'preTerminate', `instance ${id} is ended`, ASSUMPTIONS.callEffectMs);
    const node = machine.status?.nodeRef?.name;
    if (node === undefined || this.#mayLeavePods(machine) || !this.#isReady(node)) return;
    if (this.#hasJoinedLate(machine, node)) return;
    this.#volumes.seeEnd(machine, node);
    const left = this.#waitedFor(node).filter((pod) => pod.controller?.kind !== 'DaemonSet');
    if (left.length === 0) return;
    const names = left.map(({ name }) => name).join(', ');
    this.#accuse('drained first', `instance ${id} of Machine ${machine.metadata.name} ends with ${names} on ${node}`);
  }

  /**
   * A request of the product takes effect.
   *
   * @param by the type of the workflow that it is for
   */
  seeRequest(request: KubeRequest, by: string | undefined): void {
    const { verb, resource, subresource, name = '' } = request;
    this.#aborts.seeRequest(request, by);
    if (resource.plural === NODES.plural && verb === 'delete') this.#judgeNodeEnd(name);
    if (resource.plural !== PODS.plural || (verb !== 'create' && verb !== 'delete')) return;
    this.looks += 1;
    const stored = this.#options.universe.api.store.all(PODS).find(({ metadata }) => metadata.name === name);
    if (stored === undefined) return;
    const pod = stored as unknown as StoredPod;
    const { nodeName = '' } = pod.spec ?? {};
    const machine = this.#machineOf(({ status }) => status?.nodeRef?.name === nodeName);
    const what = `${subresource === undefined ? 'deletion' : 'eviction'} of pod ${name} on ${nodeName}`;
    if (machine === undefined) return;
    this.#aborts.seeEviction(machine, what);
    if (!this.#isCordoned(machine, nodeName)) this.#accuse('cordoned first', `${what}, not cordoned`);
    this.#judgeHook(machine, 'preDrain', what, ASSUMPTIONS.requestEffectMs);
    const isHurriedOrForced = { isHurried: isHurried(machine), isForced: this.#isForced(machine) };
    this.#spared.seeEviction(machine, pod, { what, ...isHurriedOrForced });
    this.#judgeUnheard(machine, readPod(pod), what);
    if (readPod(pod).controller?.kind === 'DaemonSet') this.#judgeLast(machine, what);
    if (subresource !== undefined) return;
    if (!this.#isForced(machine)) this.#accuse('budgets hold', `${what}, which is not evicted, and nobody said Force`);
    this.#judgeForce(machine, what);
  }

  /** Whether it serves is not known, and its budget would not protect it. */
  #judgeUnheard(machine: MachineObject, { unheardFrom = -Infinity }: Pod, what: string): void {
    const forMs = this.#options.universe.agenda.now - unheardFrom;
    const isTooLate = forMs < A_MOMENT_MS + ASSUMPTIONS.requestEffectMs;
    if (isTooLate || forMs >= UNHEARD_MS - ROUNDED_MS || this.#isForced(machine)) return;
    this.#accuse('heard first', `${what}, whose Node has not been heard for ${forMs / 1000} s`);
  }

  /** It registered when its drain's turn was over, or in that moment: it is not drained any more. */
  #hasJoinedLate({ status }: MachineObject, name: string): boolean {
    const overAt = Date.parse(status?.deletion?.preTerminateHookStartTime ?? '');
    const { creationTimestamp = '' } = this.#options.universe.api.peek(NODES, undefined, name)?.metadata ?? {};
    return Date.parse(creationTimestamp) > overAt - A_MOMENT_MS;
  }

  /** Where pods are left on a Node, their volumes could be attached elsewhere only minutes later. */
  #judgeNodeEnd(node: string): void {
    const machine = this.#machineOf(({ status }) => status?.nodeRef?.name === node);
    if (machine === undefined || this.#mayLeavePods(machine) || this.#isVolumeTimeOver(machine)) return;
    if (this.#hasJoinedLate(machine, node)) return;
    this.looks += 1;
    const left = this.#waitedFor(node).filter(
      ({ controller, drain, tolerations }) =>
        controller?.kind !== 'DaemonSet' && drain !== 'skip' && !tolerates(tolerations, OUT_OF_SERVICE),
    );
    if (left.length === 0) return;
    const names = left.map(({ name }) => name).join(', ');
    this.#accuse('vacated first', `${node} of Machine ${machine.metadata.name} goes with ${names} on it`);
  }

  /** Nobody waits for it any longer. */
  #isVolumeTimeOver({ spec, status, metadata }: MachineObject): boolean {
    const drained = status?.conditions?.find(({ type }) => type === 'Drained');
    const since = Date.parse(drained?.lastTransitionTime ?? metadata.deletionTimestamp ?? '');
    const timeoutMs = parseDuration(spec.drain?.volumeDetachTimeout ?? '') ?? DEFAULT_DRAIN.volumeDetachTimeoutMs;
    return this.#options.universe.agenda.now >= since + timeoutMs - ROUNDED_MS;
  }

  /** Or it may just have been uncordoned: by people, or for an abort that was called off. */
  #isCordoned({ metadata: { uid } }: MachineObject, nodeName: string): boolean {
    const { wishes, people, universe } = this.#options;
    const node = this.#nodeOf(nodeName);
    if (node?.spec?.unschedulable === true) return true;
    const since = universe.agenda.now - A_MOMENT_MS;
    const { toEmptySince = Infinity } = wishes.of(uid);
    return toEmptySince > since || (people()?.uncordoned.get(node?.metadata.uid ?? '') ?? 0) > since;
  }

  /** Pods of DaemonSets are what others need until they have left. */
  #judgeLast(machine: MachineObject, what: string): void {
    if (this.#isUncordonedLate(machine)) return;
    const node = machine.status?.nodeRef?.name ?? '';
    const left = this.#podsOn(node).filter(
      ({ controller, drain }) => controller?.kind !== 'DaemonSet' && drain !== 'skip',
    );
    if (left.length === 0 || !this.#isReady(node)) return;
    this.#accuse('DaemonSets last', `${what}, while ${left.map(({ name }) => name).join(', ')} is there`);
  }

  #judgeHook(machine: MachineObject, point: LifecycleHook['point'], what: string, lateMs: number): void {
    const { universe, wishes, people } = this.#options;
    const { uid, name } = machine.metadata;
    const since = universe.agenda.now - A_MOMENT_MS - lateMs;
    if (wishes.policies.since(uid, since).includes('forced')) return;
    const isThere = universe.cloud.living().some(({ machineUid }) => machineUid === uid);
    // There is no termination to hold: none of its launches ever made an instance.
    if (point === 'preTerminate' && !isThere) return;
    // A maintenance is held by none.
    const mayBeMaintenance = wishes.maintenance.since(uid, since).includes(true) && point === 'preDrain';
    if (mayBeMaintenance && wishes.toGo.since(uid, since).includes(false)) return;
    const values = people()?.hooks.since(`${uid} ${point}`, since) ?? [];
    if (values.length === 0 || values.includes(false)) return;
    this.#accuse('hooks hold', `${what}, although a ${point} hook holds Machine ${name}`);
  }

  /** Somebody said that pods may be left, or the time for the drain is over. */
  #mayLeavePods(machine: MachineObject): boolean {
    const { metadata, status } = machine;
    if (metadata.annotations?.[EXCLUDE_DRAIN_ANNOTATION] !== undefined || isHurried(machine)) return true;
    const { universe, wishes } = this.#options;
    const { now } = universe.agenda;
    const policies = wishes.policies.since(metadata.uid, now - A_MOMENT_MS - ASSUMPTIONS.callEffectMs);
    if (policies.some((policy) => policy !== 'graceful') || this.#isUncordonedLate(machine)) return true;
    const { timeout = '' } = machine.spec.drain ?? {};
    const start = Date.parse(status?.deletion?.drainStartTime ?? '');
    const deadline = start + (parseDuration(timeout) ?? Infinity);
    return this.#isForced(machine) && now >= deadline - ROUNDED_MS;
  }

  /** Somebody uncordoned the Node when it was drained, or so late that pods came after the last look. */
  #isUncordonedLate({ status, metadata }: MachineObject): boolean {
    const node = this.#nodeOf(status?.nodeRef?.name ?? '');
    const at = this.#options.people()?.uncordoned.get(node?.metadata.uid ?? '');
    const drained = status?.conditions?.find(({ type }) => type === 'Drained')?.lastTransitionTime;
    const since = Date.parse(drained ?? metadata.deletionTimestamp ?? '');
    return at !== undefined && at > since - A_MOMENT_MS;
  }

  /** Force takes what is left no earlier than half of the time for the drain is over. */
  #judgeForce(machine: MachineObject, what: string): void {
    if (isHurried(machine)) return;
    const { universe, wishes } = this.#options;
    const { uid } = machine.metadata;
    const { now } = universe.agenda;
    const timeouts = wishes.timeouts.since(uid, now - A_MOMENT_MS - ASSUMPTIONS.callEffectMs);
    const leastMs = Math.min(...timeouts.map((timeout = '') => parseDuration(timeout) ?? Infinity));
    const start = Date.parse(machine.status?.deletion?.drainStartTime ?? '');
    const begunAt = Number.isNaN(start) ? (wishes.of(uid).toEmptySince ?? now) : start;
    if (now >= begunAt + leastMs / 2 - ROUNDED_MS) return;
    this.#accuse('Force in time', `${what}, ${(now - begunAt) / 1000} s after its drain began`);
  }

  /** It says Force now, or did a moment ago. */
  #isForced(machine: MachineObject): boolean {
    const {
      metadata: { uid },
      spec,
    } = machine;
    if (isHurried(machine)) return true;
    const { universe, people } = this.#options;
    const since = universe.agenda.now - A_MOMENT_MS - ASSUMPTIONS.callEffectMs;
    return spec.drain?.onTimeout === 'Force' || people()?.forces.since(uid, since).includes(true) === true;
  }

  /** Who was asked to end before a silent Node came back is not waited for: nobody there could tell that it had ended. */
  #waitedFor(node: string) {
    const downAt = this.#downAt.get(node) ?? -Infinity;
    return this.#podsOn(node).filter(({ askedToEndAt = Infinity }) => askedToEndAt > downAt);
  }

  #podsOn(node: string) {
    return this.#options.universe.api.store
      .all(PODS)
      .filter((pod) => (pod as unknown as StoredPod).spec?.nodeName === node)
      .map((pod) => readPod(pod as unknown as StoredPod));
  }

  #nodeOf(name: string): Node | undefined {
    return this.#options.universe.api.all<Node>(NODES).find(({ metadata }) => metadata.name === name);
  }

  #isReady(name: string): boolean {
    const node = this.#nodeOf(name);
    return node !== undefined && isReady(node);
  }

  #machineOf(isIt: (machine: MachineObject) => boolean): MachineObject | undefined {
    return this.#options.universe.api.all<MachineObject>(MACHINES).find(isIt);
  }

  #accuse(judge: string, message: string): void {
    this.#options.accuse(judge, message);
  }
}

/** Somebody said that its drain is to be over soon, and nobody takes that back. */
function isHurried({ metadata }: MachineObject): boolean {
  return metadata.labels?.[FORCE_DELETION_LABEL] === 'True';
}
