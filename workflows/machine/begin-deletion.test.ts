import { expect, it } from '@jest/globals';
import type { MachineStatus } from '../../k8s/model/machine.ts';
import { aPass, NOW_MS } from '../../test/workflow/a-pass.ts';
import { beginDeletion } from './begin-deletion.ts';
import { isDrainDone } from './emptying.ts';
import { newEmptying, type DrainMemory, type MachineMemory } from './memory.ts';

const BEGUN_MS = NOW_MS - 500;
const BEGUN = { drainStartTime: new Date(BEGUN_MS).toISOString() };
const AGAIN = { drainStartTime: new Date(NOW_MS - 100).toISOString() };

const PAST = { preTerminateHookStartTime: AGAIN.drainStartTime };

const DRAINED: DrainMemory = {
  purpose: 'deletion',
  isDone: true,
  startedAt: BEGUN_MS,
  end: { reason: 'DrainSucceeded', message: 'the Node is drained' },
};
const TIMED_OUT: DrainMemory = { ...DRAINED, end: { reason: 'DrainTimedOut', message: '1 was left' } };
const SKIPPED: DrainMemory = { purpose: 'deletion', isDone: true, end: { reason: 'DrainSkipped', message: 'unsafe' } };
const PASSED_OVER: DrainMemory = { purpose: 'deletion', isDone: true, isCutShort: true };
const WITHOUT_NODE: DrainMemory = { purpose: 'deletion', isDone: true, startedAt: BEGUN_MS };

const TOLD = [
  { type: 'Drained', status: 'True', reason: 'DrainSucceeded', message: '', lastTransitionTime: BEGUN.drainStartTime },
] as const;
const UNDER_WAY = [{ ...TOLD[0], status: 'False', reason: 'Draining' }] as const;

interface Begun {
  readonly pods?: DrainMemory;
  readonly status?: Partial<MachineStatus>;
  readonly memory?: Partial<MachineMemory>;
}

const begun = ({ pods = DRAINED, status = {}, memory = {} }: Begun) => {
  const pass = aPass({ status, memory: { emptying: { ...newEmptying(), pods }, ...memory } });
  beginDeletion(pass);
  return pass;
};

it.each<[string, Begun]>([
  ['that the record tells nothing of', { status: { preparation: 'aborting' } }],
  ['whose time was over, likewise', { pods: TIMED_OUT, status: { preparation: 'aborting' } }],
  ['while another one is on record', { status: { deletion: AGAIN, conditions: UNDER_WAY } }],
  ['for want of a Node, where the deletion has not come past the drain', { pods: WITHOUT_NODE }],
  ['while one that has not begun is on record', { status: { conditions: UNDER_WAY } }],
])('a drain that ended is done anew: one %s', (_what, facts) => {
  const pass = begun(facts);
  expect(isDrainDone(pass)).toBe(false);
  // Deployments that were rolled since carry that time.
  expect(pass.status.deletion).toEqual(facts.status?.deletion);
  expect(pass.status.conditions).toEqual([]);
});

it.each<[string, Begun]>([
  ['that is on record', { status: { deletion: BEGUN } }],
  ['whose beginning somebody took from the record', { status: { conditions: TOLD } }],
  ['that was skipped', { pods: SKIPPED }],
  ['of a machine without a Node, past the drain', { pods: WITHOUT_NODE, status: { deletion: PAST } }],
  ['of a machine without a Node that was asked to end', { pods: WITHOUT_NODE, memory: { isEndAskedFor: true } }],
  ['that was passed over', { pods: PASSED_OVER }],
  ['of an instance that was asked to end', { memory: { isEndAskedFor: true } }],
])('a drain stays as it is: one %s', (_which, facts) => {
  expect(isDrainDone(begun(facts))).toBe(true);
});
