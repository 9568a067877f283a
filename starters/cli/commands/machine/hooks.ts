import { conditionOf } from '../../../../k8s/model/condition.ts';
import type { LifecycleHook, Machine } from '../../../../k8s/model/machine.ts';
import { findObject } from '../../access/find-object.ts';
import { openKube } from '../../access/kube-access.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { ageOf } from '../../output/age.ts';
import { paint } from '../../output/paint.ts';
import { isStructure, printStructure } from '../../output/print-structure.ts';
import { renderTable } from '../../output/table.ts';
import { given } from '../../../../providers/given.ts';
import { describe } from './operation.ts';

/** A hook, and what it does just now. */
export interface HookState extends LifecycleHook {
  /** The deletion waits for it. */
  readonly holds: boolean;
  /** RFC 3339: since when. */
  readonly since?: string;
}

/** `millwright machine hooks NAME`. */
export async function showHooks(name: string, options: GlobalOptions): Promise<void> {
  const found = await findObject(openKube(options), 'machine', name);
  const hooks = hookStatesOf(found.read.machine);
  const { output } = options;
  if (isStructure(output)) printStructure({ hooks }, output);
  else if (hooks.length === 0) console.error(`${describe(found)} has no lifecycle hooks.`);
  else console.log(renderTable(hookRows(hooks, Date.now())));
}

/** The hooks of a Machine in the order of its deletion, and which of them it waits for. */
export function hookStatesOf({ hooks = [], status }: Machine): HookState[] {
  const { waiting, deletion } = status;
  const isHeld = waiting?.reason === 'HookPresent';
  // The point is noted when it is reached, and there is no way back from it but an abort, which takes the note away.
  const isDrained = deletion?.preTerminateHookStartTime !== undefined;
  const reached = isDrained ? 'preTerminate' : 'preDrain';
  const reachedAt = isDrained ? deletion.preTerminateHookStartTime : deletion?.preDrainHookStartTime;
  // A hook may come when the point was reached before, and held nothing.
  const held = conditionOf(status.conditions, isDrained ? 'Terminable' : 'Drainable');
  const since = held?.status === 'False' ? held.lastTransitionTime : reachedAt;
  return hooks.map((hook) => {
    const holds = isHeld && hook.point === reached;
    return { ...hook, holds, ...given({ since: holds ? (since ?? waiting.since) : undefined }) };
  });
}

/** Head and rows of the table of hooks. */
export function hookRows(hooks: readonly HookState[], now: number): string[][] {
  return [
    ['POINT', 'NAME', 'OWNER', 'HOLDS', 'SINCE'],
    ...hooks.map(({ point, name, owner, holds, since }) => [
      point,
      name,
      owner,
      holds ? paint('yellow', 'yes') : 'no',
      ageOf(since, now),
    ]),
  ];
}
