import { failureMessage } from '../activity-failures.ts';
import type { ObjectTarget } from '../object-target.ts';
import { isDue, missingAfter } from '../retry.ts';
import type { Survey } from './describe-set.ts';
import { issueNames } from './issue-names.ts';
import type { ChangeAnswer, SomeMachines } from './machine-set-activities.ts';
import type { Chosen } from './plan-replicas.ts';
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

/** Has Machines follow the settings of the template; those that are about to go, too. */
export const updateBehind: Step = async (target, memory, { plan, settings }) => {
  const chosen = plan.update ?? [];
  const answer = await changeSome(memory, { asked: 'update', chosen, settings }, ({ count, skip }) =>
    calls.updateMachines.executeWithOptions({ summary: `have ${count} machines follow the template` }, [
      { ...target, count, skip },
    ]),
  );
  return answer?.isDone === false;
};

/** Deletes what is too many. */
export const deleteSurplus: Step = async (target, memory, { plan, replicas, settings }) => {
  delete memory.heldBack;
  const answer = await changeSome(memory, { asked: 'delete', chosen: plan.remove, settings }, ({ count, skip }) =>
    calls.deleteMachines.executeWithOptions({ summary: `delete ${count} machines, to have ${replicas}` }, [
      { ...target, count, skip },
    ]),
  );
  if (answer?.heldBack === undefined) {
    delete memory.heldBackSince;
  } else {
    memory.heldBack = answer.heldBack;
    // It is another wait where some could go.
    memory.heldBackSince = answer.deleted > 0 ? Date.now() : (memory.heldBackSince ?? Date.now());
  }
  return answer?.isDone === false;
};

interface Changing {
  readonly asked: 'update' | 'delete';
  readonly chosen: readonly Chosen[];
  readonly settings: Survey['settings'];
}

/** Has some Machines changed: those whose turn it is. Undefined: it is no one's, or there was no answer. */
async function changeSome<Answer extends ChangeAnswer>(
  memory: MachineSetMemory,
  { asked, chosen, settings }: Changing,
  call: (some: SomeMachines) => Promise<Answer>,
): Promise<Answer | undefined> {
  const known = memory.refusals[asked];
  const turn = turnOf(chosen, known, Date.now());
  const { tried, waiting } = turn;
  if (tried.length === 0) {
    rememberRefusal(memory, asked, refusalAfter(known, turn, undefined, settings, Date.now()));
    return undefined;
  }
  try {
    const answer = await call({ count: tried.length, skip: waiting.map(({ uid }) => uid) });
    if (answer.refused !== undefined || known !== undefined) await fixTime();
    rememberRefusal(memory, asked, refusalAfter(known, turn, answer.refused, settings, Date.now()));
    return answer;
  } catch (error) {
    await fixTime();
    rememberRefusal(memory, asked, missingAfter(failureMessage(error), known, settings, Date.now()));
    return undefined;
  }
}

/** A creation that nobody waits for any more takes effect within so long, in milliseconds. */
const LATEST_EFFECT_MS = 15_000;

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
    memory.createsUntil = Date.now() + LATEST_EFFECT_MS;
    rememberRefusal(memory, 'create', missingAfter(failureMessage(error), known, settings, Date.now()));
    return false;
  }
};
