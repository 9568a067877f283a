import { isConflict, isNotSent, isPassing, KubeError } from '../../k8s/kube-error.ts';
import { DRAIN_ANNOTATION, ROLLED_FOR_ANNOTATION, type Deployment } from '../../k8s/model/deployment.ts';
import { SURGE_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Pod } from '../../k8s/model/pod.ts';
import { DEPLOYMENTS } from '../../k8s/resources.ts';
import { cut } from '../../providers/cut.ts';
import { given, unlessEmpty } from '../../providers/given.ts';
import type { DrainReport, PodNote, PodNotes, Rolls } from '../../workflows/machine/drain-activities.ts';
import { endsWithin } from '../ask-on.ts';
import type { MachineDeps } from '../deps.ts';
import { createFindDeployment, type FindDeployment } from './find-deployment.ts';
import { planSurge, type SurgeVerdict } from './plan-surge.ts';
import { createFindOtherDrain, nameDrain, type FindOtherDrain } from './rolled-for.ts';
import { createFindUnscheduled, type FindUnscheduled } from './find-unscheduled.ts';
import { createFindSingleClaim, type FindSingleClaim } from './single-claim.ts';

/** Longest words of the API server that are told, in characters. */
const MOST_WORDS = 400;
const LATER = 'is rolled in a moment';
const NOT_ALLOWED = 'Millwright may not: it lacks the ClusterRole millwright-worker-surge (`rbac.surge` of the chart)';

/** What events tell. */
const ROLLED = {
  state: 'rolled',
  type: 'Normal',
  reason: 'DeploymentRolled',
  words: 'rolled, so that a new pod is Ready before one leaves that its budget keeps',
} as const;
const PUT_BACK = {
  state: 'putBack',
  type: 'Warning',
  reason: 'RollPutBack',
  words: 'rolled for the drain, and somebody put the template back: not rolled again',
} as const;

export interface SurgePass {
  readonly machine: ObjectRef;
  /** When the drain began, in milliseconds since the epoch. */
  readonly drainStartedAt: number;
  readonly rolls: Rolls;
  /** When the pass has to be over, on the clock that never goes back. */
  readonly until: number;
  /** Asked right before a Deployment is rolled: the drain may be stopped by then. */
  readonly isLate: () => boolean;
}

interface Finders {
  readonly findDeployment: FindDeployment;
  readonly findSingleClaim: FindSingleClaim;
  readonly findOtherDrain: FindOtherDrain;
  readonly findUnscheduled: FindUnscheduled;
}

/** For all drains of a worker. */
export function createSurge(deps: MachineDeps): (pass: SurgePass) => Surge {
  const { kube, clock } = deps;
  const finders = {
    findDeployment: createFindDeployment(kube, clock),
    findSingleClaim: createFindSingleClaim(kube),
    findOtherDrain: createFindOtherDrain(deps),
    findUnscheduled: createFindUnscheduled(kube),
  };
  return (pass) => new Surge(deps, finders, pass);
}

/** What a pass of a drain has rolled, so that new pods are Ready elsewhere before those leave that their budgets keep. */
export class Surge {
  readonly #deps: Pick<MachineDeps, 'kube' | 'clock' | 'events'>;
  readonly #finders: Finders;
  readonly #pass: SurgePass;
  readonly #drain: string;
  readonly #rolls: Map<string, Rolls[string]>;
  /** Deployments whose roll, or whose being put back, is new. */
  readonly #news: { readonly state: Rolls[string]; readonly name: string }[] = [];
  /** Words, by the pod's uid. */
  readonly #looks = new Map<string, Promise<string>>();
  /** By the Deployment's uid: the first of its pods has it rolled. */
  readonly #rolling = new Map<string, Promise<string>>();

  constructor(deps: Pick<MachineDeps, 'kube' | 'clock' | 'events'>, finders: Finders, pass: SurgePass) {
    this.#deps = deps;
    this.#finders = finders;
    this.#pass = pass;
    this.#drain = nameDrain(pass.machine, pass.drainStartedAt);
    this.#rolls = new Map(Object.entries(pass.rolls));
  }

  /**
   * Has the Deployment of a pod rolled, where that is asked for and may be done; answers in words, to stand behind those about its
   * budget. Takes no longer than the pass, and fails with no request.
   */
  async look(pod: Pod, note: PodNote): Promise<string> {
    const { clock } = this.#deps;
    const words = this.#looks.get(pod.uid) ?? this.#lookAt(pod, note);
    this.#looks.set(pod.uid, words);
    const isInTime = await endsWithin(clock, words, Math.max(0, this.#pass.until - clock.now()));
    return isInTime ? words : '; whether a new pod can come first is looked at again';
  }

  /** The same for all pods that their budgets have just refused to let go, by these notes. */
  async lookAtAll(pods: readonly Pod[], notes: PodNotes): Promise<void> {
    await Promise.all(
      pods.map(async (pod) => {
        const note = notes[pod.uid];
        if (note?.by === 'budget') await this.look(pod, note);
      }),
    );
  }

  /** What is known of rolls by now, and what an event has to tell of them. */
  outcome(): Pick<DrainReport, 'rolls' | 'news'> {
    const news = [ROLLED, PUT_BACK].flatMap(({ state, words, ...event }) => {
      const names = this.#news.filter((one) => one.state === state).map(({ name }) => name);
      return names.length === 0 ? [] : [{ ...event, message: `${words}: ${names.join(', ')}` }];
    });
    return given({ rolls: unlessEmpty(Object.fromEntries(this.#rolls)), news: unlessEmpty(news) });
  }

  async #lookAt(pod: Pod, note: PodNote): Promise<string> {
    try {
      const found = await this.#finders.findDeployment(pod);
      if (found === undefined) return '';
      if ('owner' in found)
        return `; no new pod can come first: ${found.owner === 'nobody' ? 'it has no controller' : `it is of ${found.owner}, not of a Deployment`}`;
      return await this.#actOn(found.deployment, await this.#decide(found.deployment, pod, note));
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return `; whether a new pod can come first cannot be seen: ${cut(error.message, MOST_WORDS)}`;
    }
  }

  async #decide(deployment: Deployment, pod: Pod, { failures }: PodNote): Promise<SurgeVerdict> {
    const [claim, otherDrain] = await Promise.all([
      this.#finders.findSingleClaim(pod),
      this.#finders.findOtherDrain(deployment.rolledFor.recorded, this.#pass.machine),
    ]);
    const isRolled = this.#rolls.has(deployment.uid);
    const seen = { deployment, pod, refusals: failures, drain: this.#drain, isRolled };
    return planSurge({ ...seen, ...given({ claim, otherDrain }) });
  }

  async #actOn(deployment: Deployment, verdict: SurgeVerdict): Promise<string> {
    const { name, uid } = deployment;
    switch (verdict.step) {
      case 'roll': {
        const rolled = this.#rolling.get(uid) ?? this.#roll(deployment);
        this.#rolling.set(uid, rolled);
        return `; Deployment ${name} ${await rolled}`;
      }
      case 'rolled':
      case 'putBack':
        this.#note(deployment, verdict.step);
        return `; Deployment ${name} ${verdict.why}${await this.#describePending(deployment)}`;
      case 'leave':
        return `; Deployment ${name} is not rolled: ${verdict.why}`;
      case 'offer':
        return `; with the annotation ${DRAIN_ANNOTATION}: surge on Deployment ${name} a new pod would come first`;
      case 'silent':
        return '';
    }
  }

  /** Why a new pod does not come up, where the scheduler tells. */
  async #describePending(deployment: Deployment): Promise<string> {
    const { state } = deployment.rollout;
    const why = state === 'complete' ? undefined : await this.#finders.findUnscheduled(deployment);
    return why === undefined ? '' : `; ${cut(why, MOST_WORDS)}`;
  }

  async #roll(deployment: Deployment): Promise<string> {
    const { kube, clock, events } = this.#deps;
    const { machine, until, isLate } = this.#pass;
    const { namespace, name, uid, resourceVersion } = deployment;
    // Once the pass is over the drain may be stopped.
    if (clock.now() >= until) return LATER;
    const annotations = { [ROLLED_FOR_ANNOTATION]: this.#drain };
    const body = { metadata: { uid, resourceVersion, annotations }, spec: { template: { metadata: { annotations } } } };
    try {
      await kube.apply(DEPLOYMENTS, namespace, name, body, { fieldManager: SURGE_FIELD_MANAGER, isLate });
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return isNotSent(error) ? LATER : `is not rolled: ${describeRefusal(error)}`;
    }
    this.#note(deployment, 'rolled');
    const { apiVersion, kind } = DEPLOYMENTS;
    const { type, reason } = ROLLED;
    const message = `rolled for the drain of the Node of ${machine.kind} ${machine.namespace}/${machine.name}`;
    await events.record({ apiVersion, kind, namespace, name, uid }, { type, reason, message });
    return 'is rolled for this: the pod leaves when a new one is Ready';
  }

  #note({ namespace, name, uid }: Deployment, state: Rolls[string]): void {
    const before = this.#rolls.get(uid);
    if (before === state || before === 'putBack') return;
    this.#rolls.set(uid, state);
    this.#news.push({ state, name: `${namespace}/${name}` });
  }
}

function describeRefusal(error: KubeError): string {
  if (isConflict(error)) return 'it changed just now, and is looked at again';
  if (error.status === 403 && error.message.includes('cannot patch resource')) return NOT_ALLOWED;
  const words = cut(error.message, MOST_WORDS);
  return isPassing(error) ? `${words}; it is tried again` : words;
}
