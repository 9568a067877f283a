import type { RolloutType } from '../../k8s/model/machine-deployment.ts';
import { boundsOf, type Bounds } from './bounds.ts';
import { countTakeable } from './may-take.ts';
import { planRollout, type RolloutPlan } from './plan-rollout.ts';
import { given } from '../../providers/given.ts';
import { scaleDownOf, type ScaleDown } from './scale-down.ts';
import { scaleUpOf, type ScaleUp } from './scale-up.ts';
import { leastAvailable, leastOld, mostMachines, type Rollout, type RolloutSet, type Target } from './rollout.ts';

interface ModelMachine {
  readonly set: number;
  state: 'coming' | 'available' | 'sick';
  deleting: boolean;
  marked?: true;
}

/** A set whose workflow acts by what it saw some time ago. */
interface ModelSet {
  readonly template: number;
  revision: number;
  /** `most`: how many machines there might be in all when this was decided. */
  spec: Target & { readonly generation: number; readonly most: number };
  observed: { readonly generation: number; readonly most: number };
  /** The API server deletes none of its machines. */
  isRefused?: true;
  /** What its workflow saw when its pass began; absent: it does not look. */
  pass?: { readonly generation: number; readonly most: number; readonly create: number; readonly remove: boolean };
}

export interface Step {
  readonly what: (typeof STEPS)[number];
  readonly which: number;
  readonly amount: number;
}

/** `plan` and `write` are the deployment's, `look` and `act` a set's; the rest is done to them. */
export const STEPS = [
  'plan',
  'plan',
  'plan',
  'plan',
  'write',
  'write',
  'write',
  'write',
  'look',
  'look',
  'look',
  'look',
  'look',
  'act',
  'act',
  'act',
  'act',
  'come',
  'come',
  'sicken',
  'recover',
  'gone',
  'gone',
  'remove',
  'mark',
  'mark and scale',
  'change',
  'scale',
  'pause',
  'resume',
  'refuse',
  'allow',
  'canary',
  'canary',
  'promote',
] as const;

/** A deployment with its sets and machines, in which everybody acts in any order, by what he saw last, and may die in between. */
export class DeploymentModel {
  readonly violations: string[] = [];
  readonly #type: RolloutType;
  readonly #wish: { readonly maxSurge: number; readonly maxUnavailable: number };
  readonly #sets: ModelSet[] = [];
  #machines: ModelMachine[] = [];
  #replicas: number;
  #template = 1;
  #isHeld = false;
  #mostNew: number | undefined;
  #generation = 1;
  #scaleDown: ScaleDown | undefined;
  #scaleUp: ScaleUp | undefined;
  #replicasBefore: number | undefined;
  #planned: { readonly generation: number; readonly plan: RolloutPlan; readonly specs: readonly number[] } | undefined;

  constructor({
    replicas,
    type,
    ...wish
  }: {
    readonly replicas: number;
    readonly type: RolloutType;
    readonly maxSurge: number;
    readonly maxUnavailable: number;
  }) {
    this.#type = type;
    this.#replicas = replicas;
    this.#wish = wish;
  }

  get #bounds(): Bounds {
    return boundsOf({ replicas: this.#replicas, strategy: { type: this.#type, ...this.#wish } });
  }

  /** Only a rolling update goes by steps, and only where there are machines of another template. */
  get #mostNewNow(): number | undefined {
    const hasOld = this.#machines.some(({ set }) => this.#sets[set]?.template !== this.#template);
    return this.#type === 'RollingUpdate' && hasOld ? this.#mostNew : undefined;
  }

  do({ what, which, amount }: Step): void {
    switch (what) {
      case 'plan':
        return this.#plan();
      case 'write':
        return this.#write(amount);
      case 'look':
        return this.#look(which);
      case 'act':
        return this.#act(which);
      case 'come':
        return this.#machinesIn('coming')
          .slice(0, amount)
          .forEach((machine) => (machine.state = 'available'));
      case 'sicken':
        return this.#pick(this.#machinesIn('available'), which, (machine) => (machine.state = 'sick'));
      case 'recover':
        return this.#pick(this.#machinesIn('sick'), which, (machine) => (machine.state = 'available'));
      case 'gone': {
        const going = this.#machines.filter(({ deleting }) => deleting).slice(0, amount);
        this.#machines = this.#machines.filter((machine) => !going.includes(machine));
        return;
      }
      case 'remove':
        return this.#pick(this.#machines, which, (machine) => (machine.deleting = true));
      case 'mark':
        return this.#mark(which);
      case 'mark and scale':
        // As cluster-autoscaler: it drains a machine that is not alone, marks it, and lowers replicas.
        this.#mark(which);
        this.#replicas = Math.max(0, this.#replicas - 1);
        return this.#changed();
      case 'scale':
        this.#replicas = amount;
        return this.#changed();
      case 'pause':
      case 'resume':
        this.#isHeld = what === 'pause';
        return this.#changed();
      case 'refuse': {
        const set = this.#sets[this.#indexOf(which)];
        if (set !== undefined) set.isRefused = true;
        return;
      }
      case 'allow':
        for (const set of this.#sets) delete set.isRefused;
        return;
      case 'canary':
      case 'promote':
        this.#mostNew = what === 'canary' ? amount : undefined;
        return this.#changed();
      case 'change':
        this.#template = 1 + (which % 3);
        return this.#changed();
    }
  }

  /** Nothing is disturbed any more, until nothing changes; by a step that lets no more than so many new machines come, where one is given. */
  settle(mostNew?: number): void {
    this.#isHeld = false;
    for (const set of this.#sets) delete set.isRefused;
    this.#mostNew = mostNew;
    this.#changed();
    for (let round = 0; round < 200; round += 1) {
      for (const machine of this.#machines)
        if (mostNew !== undefined || this.#sets[machine.set]?.template === this.#template) machine.state = 'available';
      // Somebody deletes the old ones one by one where nobody else does.
      if (this.#type === 'OnDelete') {
        const old = this.#machines.find(({ set }) => this.#sets[set]?.template !== this.#template);
        if (old !== undefined) old.deleting = true;
      }
      this.#playRound();
    }
  }

  /** Nothing is disturbed for many rounds, and what is refused stays so: how many orders there are in the last of them. */
  ordersAtRest(): number {
    const orders = () => this.#sets.reduce((all, { spec }) => all + spec.generation, 0);
    let before = 0;
    for (let round = 0; round < 80; round += 1) {
      if (round === 60) before = orders();
      this.#playRound();
    }
    return orders() - before;
  }

  /** Everybody acts once, and what is being deleted ends. */
  #playRound(): void {
    this.#plan();
    this.#write(Infinity);
    for (const index of this.#sets.keys()) {
      this.#look(index);
      this.#act(index);
    }
    this.#machines = this.#machines.filter(({ deleting }) => !deleting);
  }

  /** What is not as it is wanted at a step. */
  unfinishedAtStep(mostNew: number): string[] {
    const current = this.#sets.findIndex(({ template }) => template === this.#template);
    const fresh = this.#machines.filter(({ set }) => set === current).length;
    return [
      ...(this.#machines.length === this.#replicas
        ? []
        : [`${this.#machines.length} machines, and not ${this.#replicas}`]),
      ...(fresh < Math.min(mostNew, this.#replicas) ? [`${fresh} machines of the template, and not ${mostNew}`] : []),
    ];
  }

  /** What is not as it is wanted. */
  unfinished(): string[] {
    const current = this.#sets.findIndex(({ template }) => template === this.#template);
    const old = this.#machines.filter(({ set }) => set !== current).length;
    const fresh = this.#machines.length - old;
    return [
      ...(old > 0 ? [`${old} machines of earlier templates are left`] : []),
      ...(fresh === this.#replicas ? [] : [`${fresh} machines of the template, and not ${this.#replicas}`]),
    ];
  }

  #rollout(): Rollout {
    return {
      replicas: this.#replicas,
      type: this.#type,
      bounds: this.#bounds,
      isHeld: this.#isHeld,
      ...given({ mostNew: this.#mostNewNow }),
      strays: 0,
      sets: this.#sets.map((set, index): RolloutSet => {
        const existing = this.#machines.filter((machine) => machine.set === index);
        const active = existing.filter(({ deleting }) => !deleting);
        const { generation, replicas, maxMachines } = set.spec;
        return {
          name: `set-${set.template}`,
          uid: `set-${set.template}`,
          isCurrent: set.template === this.#template,
          revision: set.revision,
          replicas,
          maxMachines,
          hasAnswered: set.observed.generation === generation,
          isDeleting: false,
          existing: existing.length,
          active: active.length,
          available: active.filter(({ state }) => state === 'available').length,
          ...given({ isRefused: (set.isRefused === true && active.length > replicas) || undefined }),
          first: {
            marked: active.filter(({ marked }) => marked).length,
            markedAvailable: active.filter(({ marked, state }) => marked && state === 'available').length,
            failed: active.filter(({ marked, state }) => !marked && state === 'sick').length,
            pending: active.filter(({ marked, state }) => !marked && state === 'coming').length,
          },
        };
      }),
    };
  }

  #plan(): void {
    const current = this.#sets.find(({ template }) => template === this.#template);
    const last = Math.max(0, ...this.#sets.map(({ revision }) => revision));
    if (current === undefined && !this.#isHeld) {
      const spec = { replicas: 0, maxMachines: 0, generation: 1, most: 0 };
      this.#sets.push({ template: this.#template, revision: last + 1, spec, observed: { generation: 0, most: 0 } });
    } else if (current !== undefined && current.revision < last) current.revision = last + 1;
    const rollout = this.#rollout();
    this.#scaleDown = scaleDownOf(rollout, this.#scaleDown);
    this.#scaleUp = scaleUpOf(rollout, this.#scaleUp, this.#replicasBefore);
    this.#replicasBefore = this.#replicas;
    const plan = planRollout({ ...rollout, ...given({ goals: this.#scaleDown?.goals, raised: this.#scaleUp?.goals }) });
    this.#planned = { generation: this.#generation, plan, specs: this.#sets.map(({ spec }) => spec.generation) };
  }

  /** Writes what was planned, or only some of it: then the process has died. */
  #write(most: number): void {
    const { generation, plan, specs } = this.#planned ?? { generation: 0, plan: new Map<string, Target>(), specs: [] };
    this.#planned = undefined;
    // It looks at the deployment right before.
    if (generation !== this.#generation) return;
    let left = most;
    for (const [index, set] of this.#sets.entries()) {
      const target = plan.get(`set-${set.template}`);
      if (target === undefined || left <= 0) continue;
      if (specs[index] !== set.spec.generation) return;
      if (target.replicas === set.spec.replicas && target.maxMachines === set.spec.maxMachines) continue;
      set.spec = { ...target, generation: set.spec.generation + 1, most: mostMachines(this.#rollout()) };
      left -= 1;
    }
  }

  #look(which: number): void {
    const index = this.#indexOf(which);
    const set = this.#sets[index];
    if (set === undefined || set.pass !== undefined) return;
    const { replicas, maxMachines, generation, most } = set.spec;
    const existing = this.#machines.filter((machine) => machine.set === index);
    const active = existing.filter(({ deleting }) => !deleting).length;
    const create = Math.max(0, Math.min(replicas - active, maxMachines - existing.length));
    set.pass = { generation, most, create, remove: active > replicas };
  }

  /** It creates what it decided on when it looked; what it deletes it decides on right before. */
  #act(which: number): void {
    const index = this.#indexOf(which);
    const set = this.#sets[index];
    if (set?.pass === undefined) return;
    const { generation, most, create, remove } = set.pass;
    for (let n = 0; n < create; n += 1) this.#machines.push({ set: index, state: 'coming', deleting: false });
    const bound = this.#most();
    if (create > 0 && this.#machines.length > bound) {
      this.violations.push(`${this.#machines.length} machines, and at most ${bound} may be`);
    }
    delete set.pass;
    if (remove && set.isRefused !== true) this.#delete(index, set.spec.replicas);
    set.observed = { generation, most };
  }

  /** The greatest bound that anybody may act by still. */
  #most(): number {
    return Math.max(...this.#sets.flatMap(({ spec, observed, pass }) => [spec.most, observed.most, pass?.most ?? 0]));
  }

  #delete(index: number, replicas: number): void {
    const active = this.#machines.filter(({ deleting }) => !deleting);
    const isAvailable = ({ state }: ModelMachine) => state === 'available';
    const mine = active.filter((machine) => machine.set === index);
    const worth = (machine: ModelMachine) => (machine.marked ? 0 : isAvailable(machine) ? 2 : 1);
    const chosen = [...mine].sort((a, b) => worth(a) - worth(b));
    const going = chosen.slice(0, Math.max(0, mine.length - replicas));
    const count = countTakeable(
      going.map((machine) => ({ isMarked: machine.marked === true, isAvailable: isAvailable(machine) })),
      {
        replicas: this.#replicas,
        bounds: this.#bounds,
        isHeld: this.#isHeld,
        active: active.length,
        available: active.filter(isAvailable).length,
        isOnlySet: mine.length === active.length,
        ...given({ old: this.#oldOf(index) }),
      },
    );
    const taken = going.slice(0, count);
    const left = active.filter(isAvailable).length - taken.filter(isAvailable).length;
    const least = leastAvailable({ replicas: this.#replicas, bounds: this.#bounds });
    const isPlain = (machine: ModelMachine) => isAvailable(machine) && !machine.marked;
    if (taken.some(isPlain) && left < least) this.violations.push(`${left} are available, and ${least} have to be`);
    const isOld = this.#sets[index]?.template !== this.#template;
    const most = mostMachines({ replicas: this.#replicas, bounds: this.#bounds });
    // Of one set, what is beyond replicas is too many; of several, what is beyond the surge.
    const kept = mine.length === active.length ? this.#replicas : most;
    if (this.#isHeld && isOld && taken.some(({ marked }) => !marked) && active.length - taken.length < kept) {
      this.violations.push(`an old machine was taken in a pause: ${active.length - taken.length} of ${kept} are left`);
    }
    const old = this.#oldOf(index);
    if (old !== undefined && taken.some(({ marked }) => !marked) && old.active - taken.length < old.least) {
      this.violations.push(`${old.active - taken.length} old machines are left in a step, and ${old.least} have to be`);
    }
    for (const machine of taken) machine.deleting = true;
  }

  /** How many machines there are beside those of the template, where the set is of another, and how many a step has to leave. */
  #oldOf(index: number): { readonly active: number; readonly least: number } | undefined {
    const mostNew = this.#mostNewNow;
    if (mostNew === undefined || this.#sets[index]?.template === this.#template) return undefined;
    const active = this.#machines.filter(({ deleting }) => !deleting);
    const ofNewest = active.filter(({ set }) => this.#sets[set]?.template === this.#template).length;
    return { active: active.length - ofNewest, least: leastOld({ replicas: this.#replicas, mostNew }, ofNewest) };
  }

  #mark(which: number): void {
    const active = this.#machines.filter(({ deleting }) => !deleting);
    this.#pick(active, which, (machine) => (machine.marked = true));
  }

  #changed(): void {
    this.#generation += 1;
  }

  #machinesIn(state: ModelMachine['state']): ModelMachine[] {
    return this.#machines.filter((machine) => machine.state === state && !machine.deleting);
  }

  #indexOf(which: number): number {
    return this.#sets.length === 0 ? 0 : which % this.#sets.length;
  }

  #pick<T>(all: readonly T[], which: number, act: (one: T) => void): void {
    const one = all[which % Math.max(1, all.length)];
    if (one !== undefined) act(one);
  }
}
