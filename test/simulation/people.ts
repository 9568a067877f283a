import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import { MACHINES, MACHINE_SETS } from '../../k8s/dialects/openshift/resources.ts';
import { SECRETS } from '../../k8s/resources.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { aMachine, SIMULATED } from '../world/builders/a-machine.ts';
import { aMachineSet } from '../world/builders/a-machine-set.ts';
import { NAMESPACE } from '../world/builders/metadata.ts';
import type { Random } from './time/random.ts';
import type { Universe } from './universe.ts';

/** What machines begin with, which nobody but the cloud may see. */
export const SECRET_USER_DATA = 'join --token canary-of-the-simulation';
const USER_DATA = { name: 'user-data' };

/** What people do, and how often beside the others. */
export type Deed =
  | 'scale'
  | 'delete machine'
  | 'create machine'
  | 'pause'
  | 'edit'
  | 'strip'
  | 'restore'
  | 'terminate'
  | 'vanish'
  | 'force'
  | 'end workflow';

export interface Habits {
  readonly deeds: Readonly<Partial<Record<Deed, number>>>;
  /** Deeds a minute. */
  readonly perMinute: number;
  readonly mostReplicas: number;
}

/** Those who use the cluster, and those who break it. */
export class People {
  readonly #universe: Universe;
  readonly #habits: Habits;
  readonly #random: Random;
  /** uids of Machines whose object was taken away by force, or whose record was: what is left of them nobody can know. */
  readonly forced = new Set<string>();
  /** Most replicas that a set was asked for, of late: by uid, with the time of the change after which it is less. */
  readonly asked = new Map<string, { readonly replicas: number; readonly until: number }[]>();
  #machines = 0;
  #isOver = false;

  constructor(universe: Universe, habits: Habits, random: Random) {
    this.#universe = universe;
    this.#habits = habits;
    this.#random = random;
    const secret = { apiVersion: SECRETS.apiVersion, kind: SECRETS.kind, data: { userData: btoa(SECRET_USER_DATA) } };
    universe.api.put({ ...secret, metadata: { ...USER_DATA, namespace: NAMESPACE } });
    this.#plan();
  }

  /** They go home: what is paused is resumed. */
  async goHome(): Promise<void> {
    this.#isOver = true;
    for (const { metadata } of this.#machinesThere()) {
      if (metadata.annotations?.[PAUSED_ANNOTATION] === undefined) continue;
      await this.#patch(metadata.name, { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } });
    }
  }

  async createSet(name: string, replicas: number): Promise<void> {
    const template = { providerSpec: { value: { ...SIMULATED, userDataSecret: USER_DATA } } };
    const { status: _none, ...set } = aMachineSet({ name, replicas });
    set.spec.template = { ...set.spec.template, spec: template };
    const made = await this.#others.create<MachineSetObject>(MACHINE_SETS, NAMESPACE, fresh(set));
    this.#ask(made.metadata.uid, replicas);
    this.#tell(`creates MachineSet ${name} of ${replicas}`);
  }

  async createMachine(name = `single-${(this.#machines += 1)}`): Promise<void> {
    await this.#others.create(MACHINES, NAMESPACE, fresh(aMachine({ name, value: { userDataSecret: USER_DATA } })));
    this.#tell(`creates Machine ${name}`);
  }

  async deleteMachine(name: string): Promise<void> {
    this.#tell(`deletes Machine ${name}`);
    await this.#others.delete(MACHINES, NAMESPACE, name);
  }

  async scale(name: string, replicas: number): Promise<void> {
    this.#tell(`scales ${name} to ${replicas}`);
    const { metadata } = await this.#others.mergePatch<MachineSetObject>(MACHINE_SETS, NAMESPACE, name, {
      spec: { replicas },
    });
    this.#ask(metadata.uid, replicas);
  }

  /** Most that a set was asked for since then. */
  mostAsked(uid: string, since: number): number {
    const all = this.asked.get(uid) ?? [];
    return Math.max(0, ...all.filter(({ until }) => until >= since).map(({ replicas }) => replicas));
  }

  get #others() {
    return this.#universe.api.others;
  }

  #ask(uid: string, replicas: number): void {
    const { now } = this.#universe.agenda;
    const before = (this.asked.get(uid) ?? []).map((each) =>
      each.until === Infinity ? { ...each, until: now } : each,
    );
    this.asked.set(uid, [...before, { replicas, until: Infinity }]);
  }

  #plan(): void {
    const { perMinute } = this.#habits;
    if (perMinute === 0) return;
    this.#universe.agenda.after(this.#random.around(60_000 / perMinute), () => {
      if (this.#isOver) return;
      void this.#act();
      this.#plan();
    });
  }

  async #act(): Promise<void> {
    const deed = weighted(this.#random, this.#habits.deeds);
    try {
      if (deed !== undefined) await this.#do(deed);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
    }
  }

  async #do(deed: Deed): Promise<void> {
    const random = this.#random;
    const machine = random.pick(this.#machinesThere());
    const name = machine?.metadata.name ?? '';
    switch (deed) {
      case 'scale': {
        const set = random.pick(this.#universe.api.all<MachineSetObject>(MACHINE_SETS));
        if (set !== undefined) await this.scale(set.metadata.name, random.below(this.#habits.mostReplicas + 1));
        return;
      }
      case 'create machine':
        return this.createMachine();
      case 'end workflow': {
        const run = random.pick(this.#universe.temporal.running());
        if (run === undefined) return;
        this.#tell(`terminates workflow ${run.identity.workflowId}`);
        run.terminate();
        return;
      }
      default:
        if (machine !== undefined) await this.#doTo(deed, machine, name);
    }
  }

  async #doTo(deed: Deed, machine: MachineObject, name: string): Promise<void> {
    const random = this.#random;
    const { api, cloud } = this.#universe;
    const { uid } = machine.metadata;
    const live = cloud.cloud.engine.hypervisorView().filter(({ tags }) => tags['machineUid'] === uid);
    switch (deed) {
      case 'delete machine':
        return this.deleteMachine(name);
      case 'pause': {
        const isPaused = machine.metadata.annotations?.[PAUSED_ANNOTATION] !== undefined;
        this.#tell(`${isPaused ? 'resumes' : 'pauses'} Machine ${name}`);
        return this.#patch(name, { metadata: { annotations: { [PAUSED_ANNOTATION]: isPaused ? null : '' } } });
      }
      case 'edit':
        this.#tell(`edits Machine ${name}`);
        return this.#patch(name, {
          metadata: { labels: { edited: `at-${this.#universe.agenda.now}` } },
          spec: { providerSpec: { value: { tags: [{ name: 'n', value: String(random.below(100)) }] } } },
        });
      case 'strip': {
        if (machine.metadata.deletionTimestamp !== undefined) return undefined;
        this.#tell(`takes finalizer and providerID from Machine ${name}`);
        return this.#patch(name, { metadata: { finalizers: null }, spec: { providerID: null } });
      }
      case 'restore': {
        if (machine.metadata.deletionTimestamp !== undefined) return undefined;
        this.#tell(`restores Machine ${name} from a backup without its status`);
        const { status: _lost, ...rest } = machine;
        api.put({ ...rest, metadata: { ...rest.metadata, finalizers: rest.metadata.finalizers ?? [] } });
        return undefined;
      }
      case 'terminate':
        for (const { id } of live) {
          this.#tell(`terminates instance ${id} of Machine ${name} in the console`);
          cloud.cloud.engine.byHand('terminate', id);
        }
        return undefined;
      case 'vanish':
        for (const { id } of live) {
          this.#tell(`the cloud loses instance ${id} of Machine ${name}`);
          cloud.cloud.engine.byHand('vanish', id);
        }
        return undefined;
      case 'force':
        this.#tell(`takes Machine ${name} away by force`);
        this.forced.add(uid);
        api.drop(MACHINES, NAMESPACE, name);
        return undefined;
      default:
        throw new Error(`nobody knows how to ${deed}`);
    }
  }

  async #patch(name: string, patch: object): Promise<void> {
    await this.#others.mergePatch(MACHINES, NAMESPACE, name, patch);
  }

  #machinesThere(): MachineObject[] {
    return this.#universe.api.all<MachineObject>(MACHINES);
  }

  #tell(what: string): void {
    this.#universe.story.tell('people', what);
  }
}

/** As somebody writes it: without what the API server fills in. */
function fresh(object: MachineObject | Omit<MachineSetObject, 'status'>): object {
  const { name, namespace, labels } = object.metadata;
  return { ...object, metadata: { name, namespace, ...(labels && { labels }) } };
}

function weighted(random: Random, weights: Habits['deeds']): Deed | undefined {
  const entries = Object.entries(weights) as [Deed, number][];
  let at = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  return entries.find(([, weight]) => (at -= weight) < 0)?.[0];
}
