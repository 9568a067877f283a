import { ApplicationFailure } from '@temporalio/common';
import { surveyOf } from '../../activities/machine-sets.ts';
import type { ObjectEvent } from '../../workflows/event-activities.ts';
import type {
  AdoptAndRelease,
  AdoptAnswer,
  CreateAnswer,
  CreateMachines,
  DeleteAnswer,
  DeleteMachines,
  MachineSetActivities,
  ReplicaSurvey,
  SurveyReplicas,
  WriteMachineSetStatus,
} from '../../workflows/machine-set/machine-set-activities.ts';
import type { MachineSet, MachineSetStatus, Replica } from '../../k8s/model/machine-set.ts';
import { planReplicas } from '../../workflows/machine-set/plan-replicas.ts';
import { DEFAULT_MACHINE_SETTINGS } from '../../workflows/machine/settings.ts';
import { asStored } from './as-stored.ts';

/** What a call to create comes to: `lost`: all were created, and the answer did not arrive. */
export type CreateFate = 'created' | 'lost' | { readonly message: string };

const LABELS = { set: 'workers' };

/** A MachineSet and the Machines of its namespace, in memory: everything the set's workflow can reach. */
export class MachineSetWorld implements MachineSetActivities {
  set: MachineSet | undefined;
  machines: Replica[] = [];
  status: Partial<MachineSetStatus> = {};
  readonly events: ObjectEvent[] = [];
  readonly creations: { readonly at: number; readonly names: readonly string[] }[] = [];
  readonly surveys: { readonly issued: readonly string[] }[] = [];
  fateOf: (call: number) => CreateFate = () => 'created';
  /** How many Machines a call to delete gets done. */
  deletionsAtOnce = Infinity;
  /** The most Machines that were ever there and not being deleted. */
  mostActive = 0;
  private readonly now: () => Promise<number>;

  constructor(name: string, now: () => Promise<number>, set: Partial<MachineSet> = {}) {
    this.now = now;
    this.set = {
      ref: {
        apiVersion: 'machine.openshift.io/v1beta1',
        kind: 'MachineSet',
        namespace: 'default',
        name,
        uid: `uid-of-${name}`,
      },
      generation: 1,
      paused: false,
      replicas: 3,
      minReadySeconds: 0,
      deletePolicy: 'Random',
      selector: { matchLabels: LABELS },
      template: { labels: LABELS, annotations: {}, spec: {} },
      ...set,
    };
  }

  get active(): readonly Replica[] {
    return this.machines.filter((m) => !m.deleting);
  }

  change(changes: Partial<MachineSet>): void {
    if (this.set === undefined) throw new Error('the set is gone');
    this.set = { ...this.set, generation: this.set.generation + 1, ...changes };
  }

  add(name: string, changes: Partial<Replica> = {}): void {
    const createdAt = '2026-01-01T00:00:00Z';
    const known = {
      resourceVersion: '1',
      deleting: false,
      hasNode: false,
      markedForDeletion: false,
      holdsPlace: false,
    };
    this.machines.push({ name, uid: `uid-of-${name}`, labels: LABELS, createdAt, ...known, ...changes });
    this.mostActive = Math.max(this.mostActive, this.active.length);
  }

  update(name: string, changes: Partial<Replica>): void {
    this.machines = this.machines.map((m) => (m.name === name ? { ...m, ...changes } : m));
  }

  async surveyReplicas({ issued }: SurveyReplicas): Promise<ReplicaSurvey> {
    this.surveys.push({ issued });
    const { set } = this;
    if (set === undefined) return { found: false };
    const plan = planReplicas(set, this.machines, issued, await this.now());
    return surveyOf(set, plan, this.status, DEFAULT_MACHINE_SETTINGS);
  }

  async createMachines({ names }: CreateMachines): Promise<CreateAnswer> {
    const { set } = this;
    this.creations.push({ at: await this.now(), names });
    if (set === undefined || set.paused) return { outcome: 'done', created: 0 };
    const fate = this.fateOf(this.creations.length);
    if (typeof fate === 'object') return { outcome: 'refused', ...fate };
    const { unseen } = planReplicas(set, this.machines, names, await this.now());
    for (const name of unseen) {
      if (!this.machines.some((m) => m.name === name)) this.add(name, { controller: set.ref.uid });
    }
    if (fate === 'lost') throw ApplicationFailure.nonRetryable('the worker died', 'Lost');
    return { outcome: 'done', created: unseen.length };
  }

  async deleteMachines({ skip }: DeleteMachines): Promise<DeleteAnswer> {
    const { set } = this;
    if (set === undefined || set.paused) return { deleted: 0, isDone: true };
    const { remove } = planReplicas(set, this.machines, [], await this.now());
    const left = remove.filter(({ uid }) => !skip.includes(uid));
    const victims = left.slice(0, this.deletionsAtOnce);
    for (const { name } of victims) this.update(name, { deleting: true });
    return { deleted: victims.length, isDone: victims.length === left.length };
  }

  async adoptAndRelease({ adopt, release }: AdoptAndRelease): Promise<AdoptAnswer> {
    const uid = this.set?.ref.uid ?? '';
    for (const { name } of adopt) this.update(name, { controller: uid });
    for (const { name } of release) {
      this.machines = this.machines.map((m) => {
        if (m.name !== name) return m;
        const { controller: _controller, ...rest } = m;
        return rest;
      });
    }
    return {};
  }

  async writeMachineSetStatus({ status, events }: WriteMachineSetStatus): Promise<void> {
    this.status = asStored(status);
    this.events.push(...events);
  }
}
