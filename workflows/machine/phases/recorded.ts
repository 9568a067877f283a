import { conditionOf } from '../../../k8s/model/condition.ts';
import type { MachineStatus, PreparedLaunch } from '../../../k8s/model/machine.ts';
import { DONE, type Answer } from '../answer.ts';
import type { MachineMemory } from '../memory.ts';
import type { Pass } from '../pass.ts';
import { local } from '../ports.ts';
import { isDisowned } from '../proved-instance.ts';
import { writeStatus } from '../write-pass.ts';

/**
 * A record that was lost is not a blank page. Where the stored status says less of launch, instance or failure than this
 * workflow knows (restored from an older backup, overwritten by a PUT), the pass goes by what is known.
 */
export function recallRecord(pass: Pass): void {
  const { memory } = pass;
  const { malformed, status } = pass.seen.machine;
  if (malformed?.isStatusReadable === false) return;
  if (memory.status === undefined || !saysLess(status, memory.status, memory)) {
    memory.status = status;
    return;
  }
  pass.recall(memory.status);
}

/** Neither a launch, nor the instance that came of it, nor a failure, nor a reboot is ever taken back; but what turned out to be another's may be. */
function saysLess(seen: MachineStatus, known: MachineStatus, memory: MachineMemory): boolean {
  const { instance } = known;
  return (
    isEarlier(seen.launch, known.launch) ||
    (instance !== undefined && instance.id !== seen.instance?.id && !isDisowned(memory, instance.id)) ||
    (known.error !== undefined && seen.error === undefined) ||
    lacksReboot(seen, known)
  );
}

/** It would be asked for again. */
function lacksReboot({ reboot: seen }: MachineStatus, { reboot: known }: MachineStatus): boolean {
  return (known?.times ?? []).some((time) => seen?.times.includes(time) !== true);
}

function isEarlier(one: PreparedLaunch | undefined, other: PreparedLaunch | undefined): boolean {
  const [attempt, known] = [one?.attempt ?? 0, other?.attempt ?? 0];
  return attempt < known || (attempt === known && (one?.callsGivenUp ?? 0) < (other?.callsGivenUp ?? 0));
}

/**
 * Puts back what somebody took from a Machine that has an instance, or may have: its status, spec.providerID, and our finalizer,
 * without which the next deletion would leave the instance behind. The rest of the pass goes by it, so it is written first.
 */
export async function recorded(pass: Pass): Promise<Answer> {
  const { memory, status } = pass;
  const { recorded: slot } = memory;
  const { machine } = pass.seen;
  const isLiving = machine.deletedAt === undefined;
  const isLaunched = status.instance !== undefined || status.launch !== undefined || memory.attempt !== undefined;
  // The API server takes no finalizer for an object that is being deleted.
  const lacksFinalizer = isLiving && isLaunched && !machine.hasFinalizer;
  const lacksProviderID = isLiving && status.instance !== undefined && machine.providerID === undefined;
  const instance = memory.instance?.id === status.instance?.id ? memory.instance : undefined;
  // Only the cloud can tell the providerID of an instance that this workflow never saw: the look follows, and the loss is told once.
  const awaitsLook = lacksProviderID && instance === undefined && !pass.hasFailed;
  // An instance that was found while the Machine was to go was never recorded: nobody took that.
  const wasRecorded = conditionOf(status.conditions, 'MachineCreation')?.status === 'True';
  const isNews = awaitsLook && wasRecorded && slot.isLossTold !== true;
  slot.isLossTold = awaitsLook;
  const lost = [
    ...(pass.isRecalled ? ['what its status says of its instance'] : []),
    ...(lacksFinalizer ? ['its finalizer'] : []),
    ...(isNews || (lacksProviderID && instance !== undefined) ? ['its providerID'] : []),
  ];
  if (lost.length === 0) return DONE;
  const message = `${lost.join(', ')}: removed by somebody, and put back`;
  pass.tell({ type: 'Warning', reason: 'RecordRestored', message });
  if ((lacksFinalizer || lacksProviderID) && instance !== undefined) {
    pass.providerID = instance.providerID;
    pass.written(await local.recordInstance({ ...pass.target, instance, ...pass.toWrite, events: pass.events }));
  } else {
    if (lacksFinalizer) await local.addFinalizer(pass.target);
    await writeStatus(pass);
  }
  // What the cloud says by now follows.
  if (isLiving && status.instance !== undefined && !pass.hasFailed) memory.inspect = true;
  return DONE;
}
