import { describeDuration } from '../../../../k8s/model/duration.ts';
import type { MachineDeployment, RolloutStep } from '../../../../k8s/model/machine-deployment.ts';
import type { MachineDeploymentReading, MachineSetReading } from '../../../../k8s/model/reading.ts';
import { PAUSED_ANNOTATION } from '../../../../k8s/model/paused-annotation.ts';
import { settingsFor } from '../../../../k8s/model/template-settings.ts';
import { given } from '../../../../providers/given.ts';
import { leastAvailable, mostMachines, sum, type Rollout } from '../../../../workflows/machine-deployment/rollout.ts';
import { countMachines } from '../../../../workflows/machine-deployment/steps.ts';
import type { Found } from '../../access/find-object.ts';
import { instanceTypeOf, type ClassSights } from './instance-types.ts';
import { planAdoption, type Adopting, type Surroundings } from './plan-adoption.ts';

/** What becomes of a machine. */
export interface MachinePlan {
  readonly name: string;
  /** Absent: it has none. */
  readonly node?: string;
  /** Number of its template. */
  readonly revision: number;
  readonly what: 'replaced' | 'in place' | 'untouched';
}

/** What a change of a deployment comes to, or its creation. */
export interface ChangePlan {
  readonly name: string;
  /** That it is new: a sentence, which says whether another one may be meant. Absent: it is there. */
  readonly missing?: string;
  /** Those that are there and are not being deleted. */
  readonly machines: readonly MachinePlan[];
  /** How many machines are made until it is done, in the places of those that are replaced, and beyond. */
  readonly created: number;
  /** Of these, where the template says one, or the MachineClass that it names. Absent, too, where they may be of an earlier template. */
  readonly instanceType?: string;
  /** What is wrong with that class: a sentence. Absent: nothing. */
  readonly classProblem?: string;
  /** Of one that is new, before: what the sets have that it adopts. */
  readonly replicas: { readonly before: number; readonly after: number };
  /** Absent: it adopts no set. */
  readonly adoption?: PlannedAdoption;
  /** Machines that it selects and that none of its sets has: they count among those that there may be. Absent: none. */
  readonly strays?: number;
  /** Why nothing is replaced or made for now, or who has to act; absent: the rollout begins by itself. */
  readonly hold?: string;
  /** Absent: no machine is replaced. */
  readonly bounds?: PlannedBounds;
  /** What it goes by before the rest is rolled, in words; absent: it has no steps. */
  readonly steps?: readonly string[];
  /** PodDisruptionBudgets that allow no eviction now from the Nodes of what is replaced: a sentence. */
  readonly budgets?: string;
}

/** MachineSets that nobody has and that become the deployment's. */
export interface PlannedAdoption {
  readonly sets: readonly {
    readonly name: string;
    readonly revision: number;
    /** Machines of another one are replaced. */
    readonly template: 'same' | 'another';
  }[];
  /** `spec.paused` becomes true before: somebody has to say that machines of another template may be replaced. */
  readonly startsPaused: boolean;
}

/** How far a rollout goes. All but the types are numbers of machines. */
export interface PlannedBounds {
  /** How many there are now, those included that are being deleted. */
  readonly now: number;
  /** How many there may be, likewise. */
  readonly most: number;
  /** Beyond replicas. */
  readonly surge: number;
  readonly type: Rollout['type'];
  /** How many have to be available where one is taken that is. Absent: none is taken by that. */
  readonly leastAvailable?: number;
  /** Of the old and the new machines, where it is known. Where the old ones are of several, one that is not the new one. */
  readonly instanceType: { readonly before?: string; readonly after?: string };
}

export interface PlannedChange extends Omit<Surroundings, 'machines'> {
  /** Absent: there is none yet. */
  readonly before?: MachineDeploymentReading;
  /** As the API server would store it. */
  readonly after: MachineDeploymentReading;
  /** Those of its namespace. */
  readonly machines: readonly Found<'machine'>[];
  /** Those that the templates refer to. */
  readonly classes: ClassSights;
}

export function planChange({ before, after, machines, classes, ...beside }: PlannedChange): ChangePlan {
  const adopting = planAdoption(after, { ...beside, machines: machines.map(({ read }) => read) });
  const { deployment: wanted, rollout } = adopting;
  const { mayReplace } = wanted.strategy;
  const sets = numbered(beside.sets, rollout);
  const active = sets.flatMap((mine) => activeOf(mine.set, machines).map((machine) => ({ ...mine, machine })));
  const planned = active.map(({ set, revision, machine }): MachinePlan => {
    const { meta, machine: seen } = machine.read;
    const what = planMachine(set, machine, adopting);
    return { name: meta.ref.name, ...given({ node: seen.status.nodeRef?.name }), revision, what };
  });
  const ofOther = active.filter(({ set }) => isReplaced(set, rollout));
  const adoption = adoptionOf(sets, adopting);
  const instanceType = instanceTypeOf(wanted.template, classes);
  const typesOfOther = ofOther.map(({ set }) => instanceTypeOf(set.machineSet.template, classes));
  return {
    name: wanted.ref.name,
    machines: planned,
    created: Math.max(0, wanted.replicas - planned.filter(({ what }) => what !== 'replaced').length),
    ...given({ instanceType: isOfItsTemplate(adopting, ofOther.length) ? instanceType : undefined }),
    ...given({ classProblem: classes.get(wanted.template.machineClass ?? '')?.problem }),
    replicas: {
      before:
        before?.machineDeployment.replicas ?? sum(adoptedOf(sets, adopting), ({ set }) => set.machineSet.replicas),
      after: wanted.replicas,
    },
    ...given({ adoption, strays: rollout.strays || undefined, hold: holdOf(adopting, ofOther.length) }),
    ...(ofOther.length > 0 && mayReplace
      ? { bounds: boundsFor(rollout, { types: typesOfOther, ...given({ instanceType }) }), ...stepsOf(wanted, after) }
      : {}),
  };
}

/** What is made is of the newest template. A rollout that stands still makes more of what there is. */
function isOfItsTemplate(
  { deployment: { strategy, isRolloutPaused }, rollout: { sets } }: Adopting,
  ofOther: number,
): boolean {
  const isOfOthers = isRolloutPaused && sets.length > 0 && !sets.some(({ isCurrent }) => isCurrent);
  return !isOfOthers && (strategy.mayReplace || ofOther === 0);
}

/** A set of the deployment, and the number of its template. */
interface Numbered {
  readonly set: MachineSetReading;
  readonly revision: number;
}

/** Those of the rollout, the oldest template first. One that is adopted may have no number yet. */
function numbered(sets: readonly MachineSetReading[], rollout: Rollout): Numbered[] {
  const mine = sets.flatMap((set): Numbered[] => {
    const seen = rollout.sets.find(({ uid }) => uid === set.meta.ref.uid);
    return seen === undefined ? [] : [{ set, revision: set.machineSet.revision || seen.revision }];
  });
  return mine.sort((a, b) => a.revision - b.revision);
}

/** The machines of a set that are not being deleted. */
function activeOf(set: MachineSetReading, machines: readonly Found<'machine'>[]): readonly Found<'machine'>[] {
  return machines.filter(
    ({ read: { meta } }) => meta.controller?.uid === set.meta.ref.uid && meta.deletedAt === undefined,
  );
}

function adoptedOf(sets: readonly Numbered[], { adopted }: Adopting): readonly Numbered[] {
  return sets.filter(({ set }) => adopted.has(set.meta.ref.uid));
}

function adoptionOf(sets: readonly Numbered[], adopting: Adopting): PlannedAdoption | undefined {
  const { deployment, startsPaused } = adopting;
  const adopted = adoptedOf(sets, adopting).map(({ set, revision }) => ({
    name: set.meta.ref.name,
    revision,
    template: isOther(set, deployment) ? ('another' as const) : ('same' as const),
  }));
  return adopted.length === 0 ? undefined : { sets: adopted, startsPaused };
}

function isOther({ machineSet }: MachineSetReading, { templateHash }: MachineDeployment): boolean {
  return machineSet.templateHash !== templateHash;
}

/** It is not the set of the template: another one may have the same. */
function isReplaced({ meta }: MachineSetReading, { sets }: Rollout): boolean {
  return !sets.some(({ uid, isCurrent }) => isCurrent && uid === meta.ref.uid);
}

/** Machines of another template are replaced; what a template says besides is written to those that are there. */
function planMachine(
  set: MachineSetReading,
  { kind, stored }: Found<'machine'>,
  { deployment: wanted, rollout }: Adopting,
): MachinePlan['what'] {
  if (isReplaced(set, rollout) && wanted.strategy.mayReplace) return 'replaced';
  const next = settingsFor(set.machineSet.template.settings, wanted.template.settings, !isOther(set, wanted));
  const { spec = {} } = kind.writeSettings?.(stored, next, undefined) ?? {};
  return Object.keys(spec).length === 0 ? 'untouched' : 'in place';
}

/** @param ofOther how many machines are of another template */
function holdOf(
  { deployment: { strategy, isRolloutPaused, paused }, rollout }: Adopting,
  ofOther: number,
): string | undefined {
  if (ofOther > 0 && !strategy.mayReplace) {
    return `strategy.replace is Never: ${machinesOf(ofOther)} would have to be replaced, and none is (ReplaceNotAllowed)`;
  }
  if (paused) return `the annotation ${PAUSED_ANNOTATION} is set: nothing is done until it is taken off`;
  if (isRolloutPaused && rollout.sets.length === 0) return 'spec.paused is true: no machine is made until it is false';
  if (ofOther === 0) return undefined;
  if (isRolloutPaused) return 'spec.paused is true: nothing is replaced until it is false';
  return strategy.type === 'OnDelete'
    ? 'strategy.type is OnDelete: each is replaced when somebody deletes it'
    : undefined;
}

/** @param types of the machines that are replaced */
function boundsFor(
  rollout: Rollout,
  { types, instanceType: after }: { readonly types: readonly (string | undefined)[]; readonly instanceType?: string },
): PlannedBounds {
  const before = types.find((type) => type !== undefined && type !== after) ?? types.find((type) => type === after);
  return {
    now: sum(rollout.sets, ({ existing }) => existing) + rollout.strays,
    most: mostMachines(rollout),
    surge: rollout.bounds.maxSurge,
    type: rollout.type,
    ...given({ leastAvailable: rollout.type === 'RollingUpdate' ? leastAvailable(rollout) : undefined }),
    instanceType: given({ before, after }),
  };
}

/** The way back to the template that was rolled out whole last takes none. */
function stepsOf(
  { strategy, templateHash, replicas }: MachineDeployment,
  { status }: MachineDeploymentReading,
): Pick<ChangePlan, 'steps'> {
  if (strategy.steps.length === 0 || status.completeTemplateHash === templateHash) return {};
  return { steps: strategy.steps.map((step) => describeStep(step, replicas)) };
}

function describeStep(step: RolloutStep, replicas: number): string {
  switch (step.kind) {
    case 'machines': {
      const share = typeof step.machines === 'string' ? ` (${step.machines})` : '';
      return `${machinesOf(countMachines(step.machines, replicas), 'new ')}${share}`;
    }
    case 'approval':
      return 'an approval';
    case 'pause':
      return step.forMs === undefined ? 'a pause until it is resumed' : `a pause of ${describeDuration(step.forMs)}`;
  }
}

export function machinesOf(count: number, which = ''): string {
  return `${count} ${which}${count === 1 ? 'machine' : 'machines'}`;
}
