import { withCondition } from '../k8s/model/condition.ts';
import type { Machine, PreparedLaunch } from '../k8s/model/machine.ts';
import { deletingCondition, unansweredCondition } from '../workflows/machine/deletion-conditions.ts';
import type { LaunchInstance } from '../workflows/machine/launch-activities.ts';
import type { SeenStatus } from '../workflows/seen-status.ts';
import type { MachineDeps } from './deps.ts';
import { writeMachineStatus } from './write-machine-status.ts';
import { given } from '../providers/given.ts';

/** How often it is looked whether the Machine is to go while its launch is under way, in milliseconds. Most launches are answered before the first look. */
const LOOK_MS = 3000;

interface Unanswered<T> {
  readonly answer: T;
  /** What the next write of the status goes by, where it was told. */
  readonly seen?: SeenStatus | undefined;
}

/**
 * Runs a call to launch, for whose answer its workflow waits: nothing else would tell of a deletion meanwhile what that waits for, and a cloud that
 * hangs takes half a minute. Where it cannot be told now, it is tried again at the next look.
 */
export async function tellWhileUnanswered<T>(
  deps: MachineDeps,
  request: LaunchInstance,
  call: () => Promise<T>,
): Promise<Unanswered<T>> {
  const { clock, log } = deps;
  let told: SeenStatus | undefined;
  let isAnswered = false;
  let look = Promise.resolve();
  const lookLater = () =>
    clock.after(LOOK_MS, () => {
      look = tellOnce().catch((error: unknown) =>
        log.warn({ object: request.ref, error: String(error) }, 'what its deletion waits for is not told yet'),
      );
    });
  let callOff = lookLater();
  const tellOnce = async () => {
    try {
      told = await tellIfToGo(deps, request);
    } finally {
      if (told === undefined && !isAnswered) callOff = lookLater();
    }
  };
  try {
    const answer = await call();
    isAnswered = true;
    // The workflow writes next: that has to go by what is written here.
    await look;
    return { answer, seen: told };
  } finally {
    isAnswered = true;
    callOff();
  }
}

/** Undefined: it is not to go, or something else is the matter with it. */
async function tellIfToGo(deps: MachineDeps, { ref, launch }: LaunchInstance): Promise<SeenStatus | undefined> {
  const read = await deps.reader.read(ref);
  if (read === undefined || !isToTell(read.machine, launch)) return undefined;
  const { machine, seen } = read;
  const { generation: observedGeneration, status } = machine;
  const since = new Date(deps.clock.timeOfDay()).toISOString();
  const message =
    'its launch is under way, and the cloud has not answered yet: what comes of it is found out before the Machine goes';
  const waiting = { step: 'SettleLaunch', reason: 'LaunchOutcomeUnknown', message, since } as const;
  const said = [deletingCondition(machine), unansweredCondition(message)];
  const conditions = said.reduce((all, one) => withCondition(all, one, since), status.conditions);
  const told = { ...status, observedGeneration, conditions, waiting };
  return writeMachineStatus(deps, { ref, status: told, ...given({ seen }) });
}

function isToTell(
  { malformed, deletedAt, delete: isToGo, paused, hasFinalizer, status }: Machine,
  own: PreparedLaunch,
) {
  if (malformed !== undefined || paused || !hasFinalizer) return false;
  const { launch, instance } = status;
  const isOwn = launch?.attempt === own.attempt && launch.token === own.token && instance === undefined;
  return isOwn && (deletedAt !== undefined || isToGo === true);
}
