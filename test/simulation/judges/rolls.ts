import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { DRAIN_ANNOTATION, ROLLED_FOR_ANNOTATION, type StoredDeployment } from '../../../k8s/model/deployment.ts';
import { isAbout } from '../../../k8s/model/disruption-budget.ts';
import { controllerOf } from '../../../k8s/model/owner-reference.ts';
import { readPod, type StoredPod } from '../../../k8s/model/pod.ts';
import { DEPLOYMENTS, DISRUPTION_BUDGETS, PODS, REPLICA_SETS } from '../../../k8s/resources.ts';
import type { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { StoredBudget } from '../../world/kubernetes/eviction.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import { isWrite, type KubeRequest } from '../../world/kubernetes/request.ts';
import { nameReplicaSet } from '../../world/run-deployments.ts';
import { isToGo } from './wishes.ts';

export interface RollJudgeOptions {
  readonly api: Pick<ApiServer, 'store'>;
  readonly accuse: (judge: string, message: string) => void;
}

/** A drain, from when it is wanted until it is over, taken back, or for something else. */
interface Span {
  readonly purpose: 'deletion' | 'maintenance';
  isOver: boolean;
}

interface Roll {
  readonly machine: string;
  readonly span: Span;
}

/** Deployments that drains roll: by their owners' leave, once for a drain, and so that no budget is short of a pod by that. */
export class RollJudge {
  readonly #options: RollJudgeOptions;
  /** By the Machine's uid. */
  readonly #spans = new Map<string, Span>();
  /** By the Deployment's uid. */
  readonly #rolls = new Map<string, readonly Roll[]>();
  /** Names of pods that the product itself evicted or deleted. */
  readonly #asked = new Set<string>();
  looks = 0;

  constructor(options: RollJudgeOptions) {
    this.#options = options;
    options.api.store.onChange(({ resource, type, object, previous }) => {
      if (resource.plural === MACHINES.plural) this.#seeMachine(object as unknown as MachineObject, type === 'DELETED');
      if (previous === undefined) return;
      if (resource === DEPLOYMENTS) this.#seeDeployment(asDeployment(object), asDeployment(previous));
      if (resource === PODS && type === 'MODIFIED' && isReady(previous) && isLeaving(object)) this.#seeEnd(previous);
    });
  }

  /** A request of the product takes effect. */
  seeRequest(request: KubeRequest): void {
    const { resource, namespace, name = '', body } = request;
    if (resource === PODS && isWrite(request)) this.#asked.add(name);
    if (resource !== DEPLOYMENTS || !isWrite(request)) return;
    this.looks += 1;
    const { store } = this.#options.api;
    const stored = store.get(DEPLOYMENTS, namespace, name);
    const { resourceVersion = stored?.metadata.resourceVersion } = (body as Partial<KubeObject>).metadata ?? {};
    // Of another version the API server takes nothing in.
    if (stored === undefined || resourceVersion !== stored.metadata.resourceVersion) return;
    if (stored.metadata.annotations?.[DRAIN_ANNOTATION]?.startsWith('surge') === true) return;
    this.#options.accuse('rolls by leave', `Deployment ${name} is written, and its owner does not ask for that`);
  }

  #seeMachine(machine: MachineObject, isGone: boolean): void {
    const { uid } = machine.metadata;
    const purpose = isToGo(machine) ? 'deletion' : machine.spec.maintenance === true ? 'maintenance' : undefined;
    let span = this.#spans.get(uid);
    if (span !== undefined && (isGone || span.purpose !== purpose)) {
      span.isOver = true;
      span = undefined;
      this.#spans.delete(uid);
    }
    if (isGone || purpose === undefined) return;
    span ??= { purpose, isOver: false };
    this.#spans.set(uid, span);
    const tells = purpose === 'deletion' ? 'Drained' : 'Maintenance';
    const isDone = machine.status?.conditions?.some(({ type, status }) => type === tells && status === 'True') === true;
    if (!isDone) return;
    span.isOver = true;
    // What is drained anew after that is another drain.
    this.#spans.set(uid, { purpose, isOver: false });
  }

  #seeDeployment(deployment: StoredDeployment, previous: StoredDeployment): void {
    const { name, uid, annotations } = deployment.metadata;
    const rolled = rolledFor(deployment);
    // Who takes the record away too leaves nothing that others could go by.
    if (rolled === undefined && annotations?.[ROLLED_FOR_ANNOTATION] === undefined) this.#rolls.delete(uid);
    if (rolled === undefined || rolled === rolledFor(previous)) return;
    this.looks += 1;
    const machine = rolled.split('/')[2] ?? '';
    const rolls = this.#rolls.get(uid) ?? [];
    const lasting = rolls.find(({ span }) => !span.isOver);
    if (lasting !== undefined) {
      const whose =
        lasting.machine === machine ? 'which it was rolled for before' : `while that of ${lasting.machine} lasts`;
      this.#options.accuse('one roll a drain', `Deployment ${name} is rolled for the drain of ${rolled}, ${whose}`);
    }
    const span = this.#spans.get(machine);
    if (span !== undefined) this.#rolls.set(uid, [...rolls, { machine, span }]);
  }

  /** A pod that was Ready is asked to end. */
  #seeEnd(pod: KubeObject): void {
    const { name } = pod.metadata;
    const { store } = this.#options.api;
    const deployment = this.#deploymentOf(pod);
    // What Nodes and people do is nobody's fault; evictions go by the budget.
    if (deployment === undefined || this.#asked.has(name) || rolledFor(deployment) === undefined) return;
    if (controllerOf(pod.metadata.ownerReferences)?.name === nameReplicaSet(deployment)) return;
    this.looks += 1;
    const stored = pod as unknown as StoredPod;
    for (const budget of store.all(DISRUPTION_BUDGETS) as unknown as readonly StoredBudget[]) {
      if (!isAbout(budget, readPod(stored))) continue;
      const ready = store
        .all(PODS)
        .filter((each) => isReady(each) && isAbout(budget, readPod(each as unknown as StoredPod)));
      // More than there are to be a budget may ask for, and never gets.
      const minAvailable = Math.min(budget.spec?.minAvailable ?? 0, deployment.spec?.replicas ?? 1);
      const left = ready.filter(({ metadata }) => metadata.name !== name).length;
      if (left >= minAvailable || left + 1 < minAvailable) continue;
      const what = `pod ${name} ends by the roll of Deployment ${deployment.metadata.name}`;
      this.#options.accuse('no pod short', `${what}: ${left} are Ready, ${minAvailable} have to be`);
    }
  }

  #deploymentOf(pod: KubeObject): StoredDeployment | undefined {
    const { store } = this.#options.api;
    const { name = '' } = controllerOf(pod.metadata.ownerReferences) ?? {};
    const owner = controllerOf(store.get(REPLICA_SETS, pod.metadata.namespace, name)?.metadata.ownerReferences);
    const found = owner && store.byUid(owner.uid);
    return found && asDeployment(found);
  }
}

function rolledFor({ spec }: StoredDeployment): string | undefined {
  return spec?.template?.metadata?.annotations?.[ROLLED_FOR_ANNOTATION];
}

function isReady(pod: KubeObject): boolean {
  const { isReady: is, endsAt } = readPod(pod as unknown as StoredPod);
  return is && endsAt === undefined;
}

function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function asDeployment(object: KubeObject): StoredDeployment {
  return object as unknown as StoredDeployment;
}
