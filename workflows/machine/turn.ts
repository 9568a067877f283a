import { outOfTurnOf } from '../../k8s/model/control-plane.ts';
import { purposeOf } from '../../k8s/model/drain.ts';
import { given } from '../../providers/given.ts';
import { DONE, waitFor, type Answer } from './answer.ts';
import { findLateNode } from './control-plane-role.ts';
import { waitForKubernetes } from './deletion-waits.ts';
import { isDrainBegunFor } from './emptying.ts';
import { hasEnded } from './instance-facts.ts';
import { lookWhetherEnded } from './look-whether-ended.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';
import { notDue } from './step-retry.ts';

const STEP = 'TakeTurn';

/** Between two looks whether it is its turn, in milliseconds. */
const LOOK_MS = 10_000;

/**
 * Whether it has still the turn that it took is looked at again when the Machine changed: somebody may have aborted its deletion, and
 * begun it again.
 *
 * @param point what is to begin
 */
export async function takeTurn(pass: Pass, point: 'drain' | 'end'): Promise<Answer> {
  const { turn: slot } = pass.memory;
  const { machine } = pass.seen;
  const { generation } = machine;
  const outOfTurn = outOfTurnOf(machine);
  if (mayHaveEnded(pass) || hadTurn(pass, point)) return DONE;
  await findLateNode(pass);
  const { isControlPlane, nodeRef } = pass.status;
  if (isControlPlane !== true) return DONE;
  if (outOfTurn !== undefined) tellOutOfTurn(pass, outOfTurn);
  else {
    const wait = notDue(slot.retry, pass.nowMs) ?? slot.wait;
    if (wait?.until !== undefined && wait.until > pass.nowMs) return waitFor(wait);
    const node = nodeRef?.name;
    const isBegun = point === 'drain' && isUnderWay(pass) ? true : undefined;
    const answer = await local.takeTurn({ ...pass.target, ...given({ node, isBegun }) });
    if (answer.outcome === 'failed') return waitForKubernetes(pass, STEP, slot, answer.message);
    delete slot.retry;
    if (answer.outcome === 'refused') return refused(pass, answer.message);
  }
  delete slot.wait;
  slot[point] = generation;
  if (point === 'end') slot.endAt = pass.nowMs;
  return DONE;
}

/**
 * It had its turn for this, or for what comes after it, since the Machine changed. A turn to end is one for a moment: where the cloud puts
 * that off, others of the control plane may be lost meanwhile.
 */
function hadTurn({ memory: { turn: slot }, seen, nowMs }: Pass, point: 'drain' | 'end'): boolean {
  const { generation } = seen.machine;
  if (point === 'drain') return slot.drain === generation || slot.end === generation;
  return slot.end === generation && nowMs - (slot.endAt ?? -Infinity) < LOOK_MS;
}

/** The drain that it had its turn for. */
function isUnderWay(pass: Pass): boolean {
  const purpose = purposeOf(pass.seen.machine);
  return pass.memory.turn.drain !== undefined && purpose !== undefined && isDrainBegunFor(pass, purpose);
}

/** It has joined a control plane, its instance may run, and it has had no turn yet. */
export function awaitsTurn(pass: Pass): boolean {
  const { drain, end } = pass.memory.turn;
  return pass.status.isControlPlane === true && !mayHaveEnded(pass) && drain === undefined && end === undefined;
}

function mayHaveEnded({ memory, status }: Pass): boolean {
  return memory.isEndAskedFor === true || hasEnded(status);
}

/** Of an instance that ended by itself there is nothing to wait for. */
async function refused(pass: Pass, message: string): Promise<Answer> {
  const { memory, nowMs, seen } = pass;
  const isUp = seen.node?.ready === 'True';
  if (!isUp && (await lookWhetherEnded(pass, memory.turn)) !== undefined) return DONE;
  const wait = { step: STEP, reason: 'ControlPlaneInTheWay', message, until: nowMs + LOOK_MS } as const;
  memory.turn.wait = wait;
  return waitFor(wait);
}

function tellOutOfTurn(pass: Pass, by: string): void {
  if (!awaitsTurn(pass)) return;
  const message = `it goes although it may not be its turn in the control plane, as was asked for: ${by}`;
  pass.tellOnce({ type: 'Warning', reason: 'OutOfTurn', message });
}

/** A later deletion takes its turn anew. */
export function forgetTurn({ memory }: Pass): void {
  memory.turn = {};
}
