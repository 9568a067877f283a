import { failureMessage } from '../activity-failures.ts';
import type { ObjectTarget } from '../object-target.ts';
import { isDue, missingAfter } from '../retry.ts';
import type { Survey } from './describe-set.ts';
import { issueNames } from './issue-names.ts';
import { fixTime } from '../short-steps.ts';
import { calls, local } from './ports.ts';
import { refusalAfter, turnOf, type Refused, type Turn } from './refusals.ts';
import { rememberRefusal, type MachineSetMemory } from './set-memory.ts';

/**
 * The steps of a set that change Machines. What is refused, or cannot be done now, is remembered and waited out; it stops no
 * other step. Each answers whether something came of it that only a new look shows.
 */
type Step = (target: ObjectTarget, memory: MachineSetMemory, survey: Survey) => Promise<boolean>;

/** Takes in what the selector matches, and lets go of what it matches no more. */
export const adoptAndRelease: Step = async (target, memory, { plan, settings }) => {
  const adopting = turnOf(plan.adopt, memory.refusals.adopt, Date.now());
  const releasing = turnOf(plan.release, memory.refusals.release, Date.now());
  const [adopt, release] = [adopting.tried, releasing.tried];
  const count = adopt.length + release.length;
  try {
    const { notAdopted, notReleased } = count === 0 ? {} : await local.adoptAndRelease({ ...target, adopt, release });
    remember('adopt', adopting, notAdopted);
    remember('release', releasing, notReleased);
    return count > (notAdopted?.machines.length ?? 0) + (notReleased?.machines.length ?? 0);
  } catch (error) {
    const message = failureMessage(error);
    if (adopt.length > 0) remember('adopt', adopting, { machines: adopt, message });
    if (release.length > 0) remember('release', releasing, { machines: release, message });
    return false;
  }

  function remember(asked: 'adopt' | 'release', turn: Turn, refused: Refused | undefined): void {
    rememberRefusal(memory, asked, refusalAfter(memory.refusals[asked], turn, refused, settings, Date.now()));
  }
};

/** Deletes what is too many. */
export const deleteSurplus: Step = async (target, memory, { plan, replicas, settings }) => {
  const known = memory.refusals.delete;
  const turn = turnOf(plan.remove, known, Date.now());
  const { tried, waiting } = turn;
  delete memory.heldBack;
  if (tried.length === 0) {
    rememberRefusal(memory, 'delete', refusalAfter(known, turn, undefined, settings, Date.now()));
    return false;
  }
  try {
    const answer = await calls.deleteMachines.executeWithOptions(
      { summary: `delete ${tried.length} machines, to have ${replicas}` },
      [{ ...target, count: tried.length, skip: waiting.map(({ uid }) => uid) }],
    );
    if (answer.refused !== undefined || known !== undefined) await fixTime();
    rememberRefusal(memory, 'delete', refusalAfter(known, turn, answer.refused, settings, Date.now()));
    const { heldBack } = answer;
    if (heldBack !== undefined) memory.heldBack = heldBack;
    return !answer.isDone;
  } catch (error) {
    await fixTime();
    rememberRefusal(memory, 'delete', missingAfter(failureMessage(error), known, settings, Date.now()));
    return false;
  }
};

/** Creates what is missing. Names go into the history, with the call, before the first of them exists. */
export const createMissing: Step = async (target, memory, { plan, replicas, settings }) => {
  const known = memory.refusals.create;
  const { spare = [] } = plan;
  memory.issued = [...plan.unseen, ...spare];
  if (plan.create + plan.unseen.length === 0) {
    rememberRefusal(memory, 'create', undefined);
    return false;
  }
  if (!isDue(known, Date.now())) return false;
  const names = [...plan.unseen, ...issueNames(target.ref.name, plan.create)];
  memory.issued = [...names, ...spare];
  try {
    const answer = await calls.createMachines.executeWithOptions(
      { summary: `create ${names.length} machines, to have ${replicas}` },
      [{ ...target, names }],
    );
    const isRefused = answer.outcome === 'refused';
    // Every name exists by now, or was refused. Where some came to be wanted no more, an earlier try may have asked for them.
    if (isRefused || answer.created === names.length) memory.issued = spare;
    if (isRefused) await fixTime();
    const refusal = isRefused ? missingAfter(answer.message, known, settings, Date.now()) : undefined;
    rememberRefusal(memory, 'create', refusal);
    return !isRefused;
  } catch (error) {
    await fixTime();
    // Not answered: the names stay issued, and are asked for again.
    rememberRefusal(memory, 'create', missingAfter(failureMessage(error), known, settings, Date.now()));
    return false;
  }
};
