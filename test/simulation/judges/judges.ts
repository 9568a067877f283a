import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { CLUSTER_LABEL, FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES, MACHINE_CLASSES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { EVENTS } from '../../../k8s/resources.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import { ASSUMPTIONS } from '../assumptions.ts';
import type { People } from '../people/people.ts';
import { isOf } from '../people/shared-deeds.ts';
import type { Universe } from '../universe.ts';
import { ControlPlaneJudge } from './control-plane.ts';
import { judgeCordons, notAsWished } from './cordons.ts';
import { DeploymentMarksJudge } from './deployment-marks.ts';
import { DrainJudge } from './drains.ts';
import { EndJudge } from './ends.ts';
import { judgeHealth } from './health.ts';
import { HeldPlaces } from './held-places.ts';
import { leftToDo, ownerOf } from './left-to-do.ts';
import { leftBehind } from './load-balancers.ts';
import { MarkedFirstJudge } from './marked-first.ts';
import { OldTemplateJudge } from './old-templates.ts';
import { MeltDownJudge } from './melt-downs.ts';
import { A_MOMENT_MS, isForgotten, problemsOfNew } from './new-machine.ts';
import { RollJudge } from './rolls.ts';
import { RolloutJudge } from './rollouts.ts';
import { judgeOutOfService } from './out-of-service.ts';
import { SecretsJudge } from './secrets.ts';
import { SettingsJudge } from './settings.ts';
import { StepJudge } from './steps.ts';
import { Wishes } from './wishes.ts';

/** Something that may never be. */
export interface Violation {
  readonly judge: string;
  readonly message: string;
  /** Milliseconds since the beginning of the run. */
  readonly at: number;
}

/**
 * What the product saw of a Machine when it sends a call for it is no older: five seconds from the look to the call, a look that is
 * shared and on its way, and what timestamps leave out.
 */
const SEEN_BEFORE_CALL_MS = 10_000;

/** A workflow that awaits the answer to a launch puts nothing back: so long the call may take, and what comes before the next look. */
const AWAITED_MS = 90_000;

/** Look at the outside only, at every step: at the cloud's ledger, at the stored objects, at Temporal's histories. */
export class Judges {
  readonly violations: Violation[] = [];
  /** How often a judge looked. */
  looks = 0;
  readonly secrets: SecretsJudge;
  readonly #universe: Universe;
  readonly #people: () => People | undefined;
  readonly #foreign = new Set<string>();
  readonly #launched = new Set<string>();
  /** Uids of Machines that went without our finalizer, which somebody had taken off a moment before. */
  readonly #unprotected = new Set<string>();
  readonly #ends: EndJudge;
  readonly #wishes: Wishes;
  readonly #places: HeldPlaces;
  readonly #settings: SettingsJudge;
  readonly #begin: number;

  constructor(universe: Universe, people: () => People | undefined) {
    this.#universe = universe;
    this.#people = people;
    this.#begin = universe.agenda.now;
    this.secrets = new SecretsJudge(universe, (message) => this.accuse('no secret', message));
    this.#places = new HeldPlaces(universe);
    const wishes = new Wishes(universe.api, () => universe.agenda.now);
    this.#wishes = wishes;
    this.#ends = new EndJudge({ universe, wishes, people, accuse: (message) => this.accuse('clean end', message) });
    const accuse = (judge: string, message: string) => this.accuse(judge, message);
    const { remediations, reboots } = judgeHealth(universe, people, accuse);
    const isByHand = (uid: string, since: number) =>
      people()?.deleted.has(uid) === true ||
      people()?.forced.has(uid) === true ||
      wishes.deletes.since(uid, since).includes(true);
    void new MarkedFirstJudge({
      api: universe.api,
      now: () => universe.agenda.now,
      isByHand,
      accuse: (message) => this.accuse('marked first', message),
    });
    const drains = new DrainJudge({ universe, wishes, people, accuse });
    const rollouts = {
      api: universe.api,
      now: () => universe.agenda.now,
      isByHand: (uid: string) => people()?.deleted.has(uid) === true,
      isExcused: (machine: MachineObject) => {
        const wentAt = this.#ends.goneAt(machine.metadata.name) ?? -Infinity;
        const owner = ownerOf(machine);
        return (
          wentAt > universe.agenda.now - ASSUMPTIONS.requestEffectMs ||
          (owner !== undefined && isForgotten(owner, universe)) ||
          people()?.restored.has(machine.metadata.uid) === true
        );
      },
      accuse,
    };
    void new RolloutJudge(rollouts);
    void new OldTemplateJudge(rollouts);
    void new StepJudge(rollouts);
    void new DeploymentMarksJudge(rollouts);
    this.#settings = new SettingsJudge({
      api: universe.api,
      now: () => universe.agenda.now,
      isByHand,
      marked: (uid) => people()?.marked.get(uid) ?? [],
      unsure: (uid) => people()?.unsure.get(uid) ?? [],
      accuse,
    });
    const rolls = new RollJudge({ api: universe.api, accuse });
    universe.onRequest = (request, by) => {
      drains.seeRequest(request, by);
      rolls.seeRequest(request);
      remediations.seeRequest(request, by);
    };
    judgeCordons({
      api: universe.api,
      isCordonedByHand: (uid) => people()?.cordoned.has(uid) === true,
      accuse: (message) => this.accuse('the cordon of another stays', message),
    });
    const { api, cloud } = universe;
    judgeOutOfService({ api, cloud, accuse: (message) => accuse('out of service', message) });
    const controlPlane = new ControlPlaneJudge(universe, accuse);
    universe.cloud.onCall = (action, id) => {
      if (action === 'terminate' && id !== undefined) {
        drains.seeEnd(id);
        this.#places.seeEnd(id);
        controlPlane.seeEnd(id);
      }
      if (action === 'reboot' && id !== undefined) reboots.seeCall(id);
      this.#seeCloud(action, id);
    };
    universe.cloud.onLaunchSent = (uid) => this.#seeLaunchSent(uid);
    const meltDowns = new MeltDownJudge({
      now: () => universe.agenda.now,
      accuse: (message) => this.accuse('no melt-down', message),
    });
    universe.temporal.onTask = (run) => {
      this.looks += 1;
      meltDowns.seeTask(run);
    };
    universe.api.store.onChange(({ resource, type, object, previous }) => {
      if (resource.plural === MACHINE_CLASSES.plural && type === 'DELETED') this.#seeClassEnd(object);
      if (resource.plural !== MACHINES.plural) return;
      if (type === 'ADDED') this.#seeNewMachine(object);
      if (type === 'DELETED' && previous !== undefined) {
        this.#ends.see(previous);
        this.#seeUnprotectedEnd(previous);
      }
    });
  }

  accuse(judge: string, message: string): void {
    this.violations.push({ judge, message, at: this.#universe.agenda.now - this.#begin });
    this.#universe.story.tell('JUDGE', `${judge}: ${message}`);
  }

  /** An instance that is none of the product's business. */
  protect(id: string): void {
    this.#foreign.add(id);
  }

  /** At the end, when nothing was disturbed for long: everything asked for is there, and everything else is gone. */
  judgeEnd(): void {
    const { api, cloud } = this.#universe;
    for (const left of leftToDo(this.#universe)) this.accuse('liveness', left);
    for (const [judge, message] of notAsWished(this.#universe)) this.accuse(judge, message);
    this.#settings.judgeEnd();
    this.looks += api.all(MACHINES).length + api.all(MACHINE_SETS).length;
    const reported = api.all<KubeObject & { involvedObject?: { uid: string }; reason?: string }>(EVENTS);
    const known = new Set([
      ...api.all(MACHINES).map(({ metadata }) => metadata.uid),
      ...(this.#people()?.forced ?? []),
      ...reported
        .filter(({ reason = '' }) => ['SuspectedOrphan', 'InstanceAbandoned'].includes(reason))
        .map(({ involvedObject }) => involvedObject?.uid ?? ''),
    ]);
    const mayStay = (uid: string) =>
      api.store.has(uid) || this.#ends.isLeftToWorkflow(uid) || this.#people()?.forced.has(uid) === true;
    for (const left of leftBehind(cloud, mayStay)) this.accuse('nobody behind', left);
    for (const left of this.#ends.nodesLeft()) this.accuse('clean end', left);
    for (const { id, machineUid: uid } of cloud.living()) {
      this.looks += 1;
      if (uid !== undefined && !known.has(uid) && this.#ends.isAnybodyLeftToKnow(uid))
        this.accuse('orphan', `instance ${id} runs, and its Machine is gone`);
    }
  }

  #seeLaunchSent(uid: string): void {
    this.looks += 1;
    this.#seeAct('a call to launch is sent', uid, A_MOMENT_MS);
    const { name } = this.#universe.api.store.byUid(uid)?.metadata ?? {};
    const { toGoSince = Infinity, wasNeverWanted } = this.#wishes.of(uid);
    const sinceMs = this.#universe.agenda.now - toGoSince;
    if (sinceMs > SEEN_BEFORE_CALL_MS || wasNeverWanted) {
      const what = `a call to launch is sent for Machine ${name}`;
      this.accuse('no launch in vain', `${what}, ${sinceMs / 1000} s after it was asked to go`);
    }
  }

  #seeCloud(action: string, id: string | undefined): void {
    this.looks += 1;
    if (id !== undefined && this.#foreign.has(id))
      this.accuse('foreign', `${action} of instance ${id}, which is another's`);
    if (action === 'terminate') {
      this.#universe.story.tell('cloud', `ends instance ${id}`);
      const ended = this.#universe.cloud.living().find((each) => each.id === id);
      // The call may have been long on its way.
      this.#seeAct(`instance ${id} is ended`, ended?.machineUid ?? '', A_MOMENT_MS + ASSUMPTIONS.callEffectMs);
    }
    if (action === 'reboot') {
      this.#universe.story.tell('cloud', `is asked to reboot instance ${id}`);
      const rebooted = this.#universe.cloud.living().find((each) => each.id === id);
      this.#seeAct(`instance ${id} is rebooted`, rebooted?.machineUid ?? '', A_MOMENT_MS + ASSUMPTIONS.callEffectMs);
    }
    if (action !== 'launch') return;
    const people = this.#people();
    const byMachine = Map.groupBy(
      this.#universe.cloud.living(),
      ({ machineUid }) => machineUid && (people?.firstUidOf(machineUid) ?? machineUid),
    );
    for (const living of byMachine.values()) {
      const [first, second] = living;
      if (first?.machineUid === undefined) continue;
      const { name = '', machineUid: uid } = first;
      if (second !== undefined) {
        this.accuse('one instance', `${living.map((each) => each.id).join(' and ')} run for Machine ${name}`);
      }
      if (this.#launched.has(first.id)) continue;
      this.#launched.add(first.id);
      this.#universe.story.tell('cloud', `runs instance ${first.id} for Machine ${name}`);
      const isExcused = people?.forced.has(uid) === true || this.#unprotected.has(uid);
      if (this.#universe.api.store.has(uid) || isExcused) continue;
      this.accuse('no launch after the end', `instance ${first.id} was launched for Machine ${name}, which is gone`);
    }
  }

  #seeNewMachine({ metadata }: KubeObject): void {
    this.looks += 1;
    const people = this.#people();
    if (people === undefined) return;
    const goneAt = (name: string) => this.#ends.goneAt(name);
    const problems = problemsOfNew(metadata.uid, this.#universe, people, this.#places, goneAt);
    for (const [judge, message] of problems) this.accuse(judge, message);
  }

  /** @param sinceMs for how long it has to be held, at least */
  #seeAct(what: string, machineUid: string, sinceMs: number): void {
    const machine = this.#universe.api.store.byUid(machineUid);
    const people = this.#people();
    if (machine === undefined || people === undefined) return;
    const since = this.#universe.agenda.now - sinceMs;
    const cluster = machine.metadata.labels?.[CLUSTER_LABEL] ?? '';
    for (const holder of [machineUid, cluster]) {
      const values = people.paused.since(holder, since);
      const isHeld = values.length > 0 && values.every((paused) => paused);
      if (isHeld) this.accuse('a pause holds', `${what} for Machine ${machine.metadata.name}, which is paused`);
    }
  }

  /** A call to launch that was on its way may take effect after it: that is reported, and nobody can prevent it. */
  #seeUnprotectedEnd({ metadata: { uid, finalizers = [] } }: KubeObject): void {
    const strippedAt = this.#people()?.stripped.get(uid) ?? -Infinity;
    const isLate = this.#universe.agenda.now - strippedAt > AWAITED_MS;
    if (!finalizers.includes(FINALIZER) && !isLate) this.#unprotected.add(uid);
  }

  #seeClassEnd({ metadata: { name } }: KubeObject): void {
    this.looks += 1;
    const running = new Set(this.#universe.cloud.living().map(({ machineUid }) => machineUid));
    const user = this.#universe.api
      .all<MachineObject>(MACHINES)
      .find(({ metadata, spec }) => isOf(name, spec) && running.has(metadata.uid));
    if (user !== undefined)
      this.accuse('a class in use stays', `MachineClass ${name} went while Machine ${user.metadata.name} is of it`);
  }
}
