import { setCurrentDetails } from '@temporalio/workflow';
import { given } from '../../providers/given.ts';
import { attempt, tellStatus, type Outcome } from '../attempt.ts';
import { liveEntity, type EntityInput, type Next, type Turn } from '../entity.ts';
import type { ObjectTarget } from '../object-target.ts';
import type { Retry } from '../retry.ts';
import { resyncAt } from '../resync.ts';
import { shortSteps } from '../short-steps.ts';
import { classReportOf } from './class-status.ts';
import { describeClass, whyClassWaits } from './describe-class.ts';
import type { FoundClass, MachineClassActivities } from './machine-class-activities.ts';
import { planClass } from './plan-class.ts';

/** Those that refer to a class come by the hundred: they are counted once in this time, in milliseconds. */
const REST_MS = 10_000;

const steps = shortSteps<MachineClassActivities>;
const { lookAtMachineClass } = steps('look at the MachineClass, and who refers to it');
const { holdMachineClass } = steps('hold the class: it is used', { maximumAttempts: 5 });
const { releaseMachineClass } = steps('let the class go: nothing refers to it', { maximumAttempts: 5 });
const { writeMachineClassStatus } = steps('write the status', { maximumAttempts: 5 });

/** What the class's workflow must not forget between two looks. */
export interface MachineClassMemory {
  /** What was refused of each. */
  refused: { finalizer?: Retry; status?: Retry };
  resyncAt?: number;
}

/** One MachineClass: stays while something refers to it, and says who does, and whether machines can be launched from it. */
export async function machineClass(input: EntityInput<MachineClassMemory>): Promise<void> {
  const { ref, clusterUid, memory = { refused: {} } } = input;
  await liveEntity(input, { memory, restMs: REST_MS, pass: (turn) => tend({ ref, clusterUid }, memory, turn) });
}

async function tend(target: ObjectTarget, memory: MachineClassMemory, turn: Turn): Promise<Next> {
  const seen = await lookAtMachineClass({ ...target, ...turn.heard });
  turn.hear(seen);
  if (!seen.found) return { end: undefined };
  const held = await keepFinalizer(target, memory, seen);
  if (held === 'changed') return 'again';
  const told = await tell(target, memory, seen);
  if (told === 'changed') return 'again';
  memory.refused = given({
    finalizer: held === 'done' ? undefined : held,
    status: told === 'done' ? undefined : told,
  });
  const { finalizer, status } = memory.refused;
  setCurrentDetails(describeClass(target.ref, seen, finalizer ?? status));
  const resync = resyncAt(memory, seen.settings, Date.now());
  const at = Math.min(resync, finalizer?.until ?? Infinity, status?.until ?? Infinity);
  return { at, why: whyClassWaits(seen, finalizer ?? status) };
}

function keepFinalizer(target: ObjectTarget, { refused }: MachineClassMemory, seen: FoundClass): Promise<Outcome> {
  const known = refused.finalizer;
  const { settings } = seen;
  if (planClass(seen) === 'release') {
    const act = () => releaseMachineClass(target);
    const words = 'nothing refers to the class any more, and it cannot be let go';
    return attempt({ target, known, settings, act, reason: 'FailedLetGo', words });
  }
  const act = planClass(seen) === 'hold' ? () => holdMachineClass(target) : undefined;
  const words = 'the class is used, and cannot be held: when it is deleted, it goes at once';
  return attempt({ target, known, settings, act, reason: 'FailedHold', words });
}

function tell(target: ObjectTarget, { refused }: MachineClassMemory, seen: FoundClass): Promise<Outcome> {
  // One that is let go has nothing more to say.
  const report = planClass(seen) === 'release' ? undefined : classReportOf(seen, Date.now());
  const act = report && (() => writeMachineClassStatus({ ...target, ...given({ seen: seen.seen }), ...report }));
  return tellStatus({ target, known: refused.status, settings: seen.settings, act });
}
