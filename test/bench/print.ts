import type { BlockedMeasured } from './measure-blocked.ts';
import type { DeleteMeasured } from './measure-delete.ts';
import type { DownMeasured } from './measure-down.ts';
import { TIMEOUT_MS, type HealMeasured } from './measure-heal.ts';
import type { RollMeasured } from './measure-roll.ts';
import type { StormMeasured } from './measure-storm.ts';
import type { IdleMeasured } from './measure-idle.ts';
import type { Spread, UpMeasured } from './measure-up.ts';
import type { ProcessUsage } from './process-usage.ts';

/** Evictions sent for each pod, where no budget holds any. */
const MOST_EVICTIONS = 1.1;
/** How much longer machines may take to come up while others are stuck in their drains. */
const MOST_SLOWED = 1.2;

export function printUp(up: UpMeasured): void {
  const { perMachine } = up;
  print(`up: ${up.seconds.toFixed(2)} s, ${up.machinesPerSecond} machines a second`, {
    'first and last launch': `answered after ${up.launchedAfterSeconds.first.toFixed(2)} s and ${up.launchedAfterSeconds.last.toFixed(2)} s`,
    'create → first cloud call': times(up.createToCallMs),
    'create → Running': times(up.createToRunningMs),
    'a machine': `${perMachine.historyEvents} history events, ${perMachine.workflowTasks} workflow tasks, ${perMachine.kubernetesWrites} writes, ${perMachine.nodeCpuMs} ms of CPU of worker and watcher`,
    'Kubernetes writes': counts(up.writes),
    'cloud calls': counts(up.calls),
    'throttled calls': counts(up.throttled),
    'describes a machine until all is at rest': String(up.describesUntilAtRest),
  });
  printProcesses(up.processes);
}

export function printDown(down: DownMeasured): void {
  const { perMachine } = down;
  print(`down: ${down.seconds.toFixed(2)} s, ${down.machinesPerSecond} machines a second`, {
    'a machine': `${perMachine.historyEvents} history events, ${perMachine.workflowTasks} workflow tasks, ${perMachine.kubernetesWrites} writes, ${perMachine.nodeCpuMs} ms of CPU of worker and watcher`,
    'Kubernetes writes': counts(down.writes),
    'cloud calls': counts(down.calls),
    'throttled calls': counts(down.throttled),
  });
  printProcesses(down.processes);
}

/** Answers whether pods were asked to go once, but for some. */
export function printDelete(deleted: DeleteMeasured): boolean {
  const { perMachine, drainedSeconds, byHandSeconds, ratio } = deleted;
  print(`delete: ${deleted.seconds.toFixed(2)} s, ${deleted.machinesDrainedPerSecond} machines drained a second`, {
    drained: `${deleted.pods} pods after ${drainedSeconds.toFixed(2)} s; with kubectl drain, all at once, ${byHandSeconds.toFixed(2)} s: ${ratio} ×`,
    'evictions sent for each pod': String(deleted.evictionsPerPod),
    'a machine': `${perMachine.historyEvents} history events, ${perMachine.workflowTasks} workflow tasks, ${perMachine.nodeCpuMs} ms of CPU of worker and watcher`,
    'Kubernetes writes': counts(deleted.writes),
  });
  printProcesses(deleted.processes);
  return deleted.evictionsPerPod <= MOST_EVICTIONS;
}

/** Answers whether others are hardly slower for them. */
export function printBlocked({ blocked, beforeSeconds, meanwhileSeconds, ratio }: BlockedMeasured): boolean {
  print(`blocked: ${blocked} machines whose pods may not leave`, {
    'another set is Running': `after ${beforeSeconds} s before, after ${meanwhileSeconds} s meanwhile: ${ratio} ×`,
  });
  return ratio <= MOST_SLOWED;
}

/** Answers whether those were replaced whose Nodes turned, each once, and no more at a time than may be. */
export function printHeal(healed: HealMeasured): boolean {
  const { machines, failing, healthy, perNode, perChange, mostAtOnce, mayBeAtOnce, launched } = healed;
  print(`heal: ${failing} of ${machines} machines`, {
    'while all were healthy for a minute': `${healthy.workflowTasks} workflow tasks of the check; ${cpuOf(healthy.processes)} s of CPU of worker and watcher`,
    'instances are asked to end': `after the Node was not Ready for ${TIMEOUT_MS / 1000} s: ${times(healed.dueToTerminateMs)}`,
    'all machines are Ready again': `after ${healed.healedSeconds.toFixed(2)} s`,
    'at the same time': `at most ${mostAtOnce} were missed, of ${mayBeAtOnce} that may be; ${launched} instances were launched`,
    'the check, for each Node that turns': `${perChange.passes} passes, ${perChange.historyEvents} history events`,
    'the check, for each Node that is healed': `${perNode.passes} passes, ${perNode.workflowTasks} workflow tasks, ${perNode.historyEvents} history events`,
    'cloud calls': counts(healed.calls),
  });
  printProcesses(healed.processes);
  return launched === failing && mostAtOnce <= mayBeAtOnce;
}

/** Answers whether those were replaced that were gone, and no others. */
export function printStorm(storm: StormMeasured): boolean {
  const { machines, silent, terminated, replaced, replacedAtEnd, launched, healthy } = storm;
  print(`storm: ${silent} of ${machines} Nodes seemed to be gone, ${terminated} instances were`, {
    'replaced while they were silent': `${replaced.terminated} whose instances were gone, ${replaced.others} others`,
    'replaced in the end': `${replacedAtEnd.terminated} whose instances were gone, ${replacedAtEnd.others} others`,
    'instances launched': String(launched),
    'healthy in the end': `${healthy} of ${machines}`,
    'the check said': storm.told,
  });
  const isRight = (seen: StormMeasured['replaced']): boolean => seen.terminated === terminated && seen.others === 0;
  return isRight(replaced) && isRight(replacedAtEnd) && launched === terminated && healthy === machines;
}

/** Answers whether the bounds were kept. */
export function printRoll(rolled: RollMeasured): boolean {
  const { machines, surge, perMachine, perStep } = rolled;
  print(`roll: ${rolled.seconds.toFixed(2)} s, ${rolled.machinesPerMinute} machines a minute`, {
    'the cloud and the drains alone': `${rolled.ownSeconds.toFixed(2)} s: ${rolled.waves} waves of ${surge}, each of ${perStep.up.toFixed(2)} s up and ${perStep.down.toFixed(2)} s down`,
    overhead: `${rolled.overheadSeconds.toFixed(2)} s, ${rolled.ratio} ×`,
    'at the same time': `at most ${rolled.mostMachines} of ${machines + surge} machines, at least ${rolled.leastReady} of ${machines} Ready`,
    'instances launched': String(rolled.launched),
    'the rollout': `${rolled.workflowTasks} workflow tasks, ${rolled.historyEvents} history events`,
    'a machine': `${perMachine.kubernetesWrites} writes, ${perMachine.nodeCpuMs} ms of CPU of worker and watcher`,
    'Kubernetes writes': counts(rolled.writes),
    'cloud calls': counts(rolled.calls),
  });
  printProcesses(rolled.processes);
  return rolled.mostMachines <= machines + surge && rolled.leastReady >= machines && rolled.launched === machines;
}

function cpuOf(processes: Readonly<Record<string, ProcessUsage>>): string {
  const ours = Object.entries(processes).filter(([name]) => /worker|watcher/.test(name));
  return ours.reduce((sum, [, { cpuSeconds }]) => sum + cpuSeconds, 0).toFixed(2);
}

/** Answers whether nothing was done for machines that nothing happened to. */
export function printIdle(idle: IdleMeasured): boolean {
  const isIdle = idle.workflowTasksOfMachinesAndSets === 0 && Object.keys(idle.writes).length === 0;
  // One that began before the watch may end in it.
  const isCheap = idle.workflowTasksOfInventory <= 2 * (idle.inventories + 1);
  print(`idle: ${idle.machines} machines for ${idle.minutes} min`, {
    'workflow tasks of machines and sets': String(idle.workflowTasksOfMachinesAndSets),
    'workflow tasks of the inventory': `${idle.workflowTasksOfInventory}, in ${idle.inventories} rounds`,
    'Kubernetes writes': counts(idle.writes),
    'so that': isIdle && isCheap ? 'idle machines cost nothing' : 'idle machines were not idle',
  });
  printProcesses(idle.processes);
  return isIdle && isCheap;
}

function print(title: string, facts: Readonly<Record<string, string>>): void {
  console.log(`\n${title}`);
  for (const [name, value] of Object.entries(facts)) console.log(`  ${name}: ${value}`);
}

function printProcesses(processes: Readonly<Record<string, ProcessUsage & { readonly rssMb?: number }>>): void {
  for (const [name, { cpuSeconds, peakRssMb, rssMb }] of Object.entries(processes)) {
    const now = rssMb === undefined ? '' : `, ${rssMb} MB now`;
    console.log(`  ${name.padEnd(24)} ${cpuSeconds.toFixed(2).padStart(7)} s of CPU, ${peakRssMb} MB at most${now}`);
  }
}

function times({ p50, p99 }: Spread): string {
  return `p50 ${p50} ms, p99 ${p99} ms`;
}

function counts(of: Readonly<Record<string, number>>): string {
  const named = Object.entries(of).map(([name, count]) => `${count} ${name}`);
  return named.length === 0 ? 'none' : named.join(', ');
}
