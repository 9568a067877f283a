import { describeDuration } from '../../../../k8s/model/duration.ts';
import type { MachineDeployment, RolloutStep } from '../../../../k8s/model/machine-deployment.ts';
import type { MachineDeploymentReading, MachineReading, MachineSetReading } from '../../../../k8s/model/reading.ts';
import { PAUSED_ANNOTATION } from '../../../../k8s/model/paused-annotation.ts';
import { settingsFor, textOfSettings } from '../../../../k8s/model/template-settings.ts';
import { given } from '../../../../providers/given.ts';
import { boundsOf } from '../../../../workflows/machine-deployment/bounds.ts';
import { leastAvailable, mostMachines } from '../../../../workflows/machine-deployment/rollout.ts';
import { countMachines } from '../../../../workflows/machine-deployment/steps.ts';

/** What becomes of a machine. */
export interface MachinePlan {
  readonly name: string;
  /** Absent: it has none. */
  readonly node?: string;
  /** Number of its template. */
  readonly revision: number;
  readonly what: 'replaced' | 'in place' | 'untouched';
}

/** What a change of a deployment comes to. */
export interface ChangePlan {
  readonly name: string;
  /** Those that are not being deleted. */
  readonly machines: readonly MachinePlan[];
  readonly replicas: { readonly before: number; readonly after: number };
  /** Why nothing is replaced for now, or who has to act; absent: the rollout begins by itself. */
  readonly hold?: string;
  /** Absent: no machine is replaced. */
  readonly bounds?: PlannedBounds;
  /** What it goes by before the rest is rolled, in words; absent: it has no steps. */
  readonly steps?: readonly string[];
  /** PodDisruptionBudgets that allow no eviction now from the Nodes of what is replaced: a sentence. */
  readonly budgets?: string;
}

/** How far a rollout goes. All but the types are numbers of machines. */
export interface PlannedBounds {
  /** How many there are now, those included that are being deleted. */
  readonly now: number;
  /** How many there may be, likewise. */
  readonly most: number;
  /** Beyond replicas. */
  readonly surge: number;
  /** How many have to be available where one is taken that is. */
  readonly leastAvailable: number;
  /** Of the old and the new machines, where the spec says one. */
  readonly instanceType: { readonly before?: string; readonly after?: string };
}

export interface PlannedChange {
  readonly before: MachineDeploymentReading;
  /** As the API server would store it. */
  readonly after: MachineDeploymentReading;
  /** Those of the deployment. */
  readonly sets: readonly MachineSetReading[];
  /** Those of its namespace. */
  readonly machines: readonly MachineReading[];
}

export function planChange({ before, after, sets, machines }: PlannedChange): ChangePlan {
  const { machineDeployment: wanted } = after;
  const { mayReplace } = wanted.strategy;
  const all = sets.flatMap((set) => {
    const mine = machines.filter(({ meta }) => meta.controller?.uid === set.meta.ref.uid);
    return mine.map((machine) => ({ set, machine }));
  });
  const active = all.filter(({ machine: { meta } }) => meta.deletedAt === undefined);
  const planned = active.map(({ set, machine: { meta, machine } }): MachinePlan => ({
    name: meta.ref.name,
    ...given({ node: machine.status.nodeRef?.name }),
    revision: set.machineSet.revision,
    what: planMachine(set, wanted),
  }));
  const ofOther = active.filter(({ set }) => isOther(set, wanted)).length;
  return {
    name: wanted.ref.name,
    machines: planned,
    replicas: { before: before.machineDeployment.replicas, after: wanted.replicas },
    ...given({ hold: ofOther === 0 ? undefined : holdOf(wanted, ofOther) }),
    ...(ofOther > 0 && mayReplace ? { bounds: boundsFor(before, after, all.length), ...stepsOf(after) } : {}),
  };
}

function isOther({ machineSet }: MachineSetReading, { templateHash }: MachineDeployment): boolean {
  return machineSet.templateHash !== templateHash;
}

/** Machines of another template are replaced; what a template says besides is written to those that are there. */
function planMachine(set: MachineSetReading, wanted: MachineDeployment): MachinePlan['what'] {
  const isOld = isOther(set, wanted);
  if (isOld && wanted.strategy.mayReplace) return 'replaced';
  const { settings } = set.machineSet.template;
  const next = settingsFor(settings, wanted.template.settings, !isOld);
  return textOfSettings(next) === textOfSettings(settings) ? 'untouched' : 'in place';
}

function holdOf({ strategy, isRolloutPaused, paused }: MachineDeployment, count: number): string | undefined {
  if (!strategy.mayReplace) {
    return `strategy.replace is Never: ${machinesOf(count)} would have to be replaced, and none is (ReplaceNotAllowed)`;
  }
  if (paused) return `the annotation ${PAUSED_ANNOTATION} is set: nothing is done until it is taken off`;
  if (isRolloutPaused) return 'spec.paused is true: nothing is replaced until it is false';
  return strategy.type === 'OnDelete'
    ? 'strategy.type is OnDelete: each is replaced when somebody deletes it'
    : undefined;
}

function boundsFor(
  before: MachineDeploymentReading,
  { machineDeployment: { replicas, strategy, template } }: MachineDeploymentReading,
  now: number,
): PlannedBounds {
  const bounds = boundsOf({ replicas, strategy });
  const instanceType = given({
    before: instanceTypeOf(before.machineDeployment.template),
    after: instanceTypeOf(template),
  });
  return {
    now,
    most: mostMachines({ replicas, bounds }),
    surge: bounds.maxSurge,
    leastAvailable: leastAvailable({ replicas, bounds }),
    instanceType,
  };
}

/** Most clouds have types; what a MachineClass says is not looked up. */
function instanceTypeOf({ spec }: MachineDeployment['template']): string | undefined {
  const { providerSpec } = spec as { readonly providerSpec?: { readonly value?: unknown } };
  const { instanceType } = Object(providerSpec?.value) as { readonly instanceType?: unknown };
  return typeof instanceType === 'string' ? instanceType : undefined;
}

/** The way back to the template that was rolled out whole last takes none. */
function stepsOf({ machineDeployment, status }: MachineDeploymentReading): Pick<ChangePlan, 'steps'> {
  const { strategy, templateHash, replicas } = machineDeployment;
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

function machinesOf(count: number, which = ''): string {
  return `${count} ${which}${count === 1 ? 'machine' : 'machines'}`;
}
