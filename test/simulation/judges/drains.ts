import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { EXCLUDE_DRAIN_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { parseDuration } from '../../../k8s/model/duration.ts';
import type { LifecycleHook } from '../../../k8s/model/machine.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { readPod, type StoredPod } from '../../../k8s/model/pod.ts';
import { NODES, PODS } from '../../../k8s/resources.ts';
import type { KubeRequest } from '../../world/kubernetes/request.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import type { People } from '../people/people.ts';
import type { Universe } from '../universe.ts';
import { A_MOMENT_MS } from './new-machine.ts';

interface DrainJudgeOptions {
  readonly universe: Universe;
  readonly people: () => People | undefined;
  readonly accuse: (judge: string, message: string) => void;
}

/** A deadline counts for as much earlier as clocks and seconds without a fraction make it look. Milliseconds. */
const ROUNDED_MS = 2000;

/** What comes before the end of an instance, as it shows on Nodes and pods. */
export class DrainJudge {
  readonly #options: DrainJudgeOptions;
  /** Ids of instances that were asked to end. */
  readonly #asked = new Set<string>();
  looks = 0;

  constructor(options: DrainJudgeOptions) {
    this.#options = options;
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
    this.#judgeHook(machine, 'preTerminate', `instance ${id} is ended`, ASSUMPTIONS.callEffectMs);
    const node = machine.status?.nodeRef?.name;
    if (node === undefined || this.#mayLeavePods(machine)) return;
    const left = this.#podsOn(node).filter((pod) => pod.controller?.kind !== 'DaemonSet');
    if (left.length === 0 || !this.#isReady(node)) return;
    const names = left.map(({ name }) => name).join(', ');
    this.#accuse('drained first', `instance ${id} of Machine ${machine.metadata.name} ends with ${names} on ${node}`);
  }

  /** A request of the product takes effect. */
  seeRequest({ verb, resource, subresource, name = '' }: KubeRequest): void {
    if (resource.plural !== PODS.plural || (verb !== 'create' && verb !== 'delete')) return;
    this.looks += 1;
    const stored = this.#options.universe.api.store.all(PODS).find(({ metadata }) => metadata.name === name);
    if (stored === undefined) return;
    const { nodeName = '' } = (stored as unknown as StoredPod).spec ?? {};
    const machine = this.#machineOf(({ status }) => status?.nodeRef?.name === nodeName);
    const what = `${subresource === undefined ? 'deletion' : 'eviction'} of pod ${name} on ${nodeName}`;
    if (machine === undefined) return;
    if (machine.metadata.deletionTimestamp === undefined) {
      this.#accuse('nobody drained for nothing', `${what}, and Machine ${machine.metadata.name} is not being deleted`);
    }
    if (this.#nodeOf(nodeName)?.spec?.unschedulable !== true) this.#accuse('cordoned first', `${what}, not cordoned`);
    this.#judgeHook(machine, 'preDrain', what, ASSUMPTIONS.requestEffectMs);
    if (subresource === undefined && !this.#isForced(machine)) {
      this.#accuse('budgets hold', `${what}, which is not evicted, and nobody said Force`);
    }
  }

  #judgeHook(machine: MachineObject, point: LifecycleHook['point'], what: string, lateMs: number): void {
    const { universe, people } = this.#options;
    const { uid, name } = machine.metadata;
    const values = people()?.hooks.since(`${uid} ${point}`, universe.agenda.now - A_MOMENT_MS - lateMs) ?? [];
    if (values.length === 0 || !values.every((isThere) => isThere)) return;
    this.#accuse('hooks hold', `${what}, although a ${point} hook holds Machine ${name}`);
  }

  /** Somebody said that pods may be left, or the time for the drain is over. */
  #mayLeavePods(machine: MachineObject): boolean {
    if (machine.metadata.annotations?.[EXCLUDE_DRAIN_ANNOTATION] !== undefined) return true;
    const { timeout = '' } = machine.spec.drain ?? {};
    const start = Date.parse(machine.status?.deletion?.drainStartTime ?? '');
    const deadline = start + (parseDuration(timeout) ?? Infinity);
    return this.#isForced(machine) && this.#options.universe.agenda.now >= deadline - ROUNDED_MS;
  }

  /** It says Force now, or did a moment ago. */
  #isForced({ metadata: { uid }, spec }: MachineObject): boolean {
    const { universe, people } = this.#options;
    const since = universe.agenda.now - A_MOMENT_MS - ASSUMPTIONS.callEffectMs;
    return spec.drain?.onTimeout === 'Force' || people()?.forces.since(uid, since).includes(true) === true;
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

  #isReady(node: string): boolean {
    const conditions = this.#nodeOf(node)?.status?.conditions ?? [];
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  }

  #machineOf(isIt: (machine: MachineObject) => boolean): MachineObject | undefined {
    return this.#options.universe.api.all<MachineObject>(MACHINES).find(isIt);
  }

  #accuse(judge: string, message: string): void {
    this.#options.accuse(judge, message);
  }
}
