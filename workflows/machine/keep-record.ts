import type { MachineStatus, PreparedLaunch } from '../../k8s/model/machine.ts';
import type { Life } from './life.ts';
import { local } from './ports.ts';
import { writeStatus } from './write-status.ts';

/**
 * A record that was lost is not a blank page. Where the stored status says less of launch, instance or failure than this
 * workflow knows (restored from an older backup, overwritten by a PUT), the pass goes by what is known.
 */
export function recallRecord(life: Life): void {
  const { memory } = life;
  const { malformed, status } = life.seen.machine;
  if (malformed?.isStatusReadable === false) return;
  if (memory.status === undefined || !saysLess(status, memory.status)) {
    memory.status = status;
    return;
  }
  life.recall(memory.status);
}

/** Neither a launch, nor the instance that came of it, nor a failure is ever taken back. */
function saysLess(seen: MachineStatus, known: MachineStatus): boolean {
  return (
    isEarlier(seen.launch, known.launch) ||
    (known.instance !== undefined && known.instance.id !== seen.instance?.id) ||
    (known.error !== undefined && seen.error === undefined)
  );
}

function isEarlier(one: PreparedLaunch | undefined, other: PreparedLaunch | undefined): boolean {
  const [attempt, known] = [one?.attempt ?? 0, other?.attempt ?? 0];
  return attempt < known || (attempt === known && (one?.callsGivenUp ?? 0) < (other?.callsGivenUp ?? 0));
}

/**
 * Puts back at once what somebody took from a Machine that has an instance, or may have: its status, our finalizer,
 * without which the next deletion would leave the instance behind, and spec.providerID.
 */
export async function putBack(life: Life): Promise<void> {
  const { memory, status } = life;
  const { machine } = life.seen;
  const isLiving = machine.deletedAt === undefined;
  const isLaunched = status.instance !== undefined || status.launch !== undefined || memory.launch !== undefined;
  // The API server takes no finalizer for an object that is being deleted.
  const lacksFinalizer = isLiving && isLaunched && !machine.hasFinalizer;
  const lacksProviderID = isLiving && status.instance !== undefined && machine.providerID === undefined;
  const instance = memory.instance?.id === status.instance?.id ? memory.instance : undefined;
  const mayLook = !life.hasFailed && !memory.inspect;
  const lost = [
    ...(life.isRecalled ? ['what its status says of the launch'] : []),
    ...(lacksFinalizer ? ['its finalizer'] : []),
    ...(lacksProviderID && (instance !== undefined || mayLook) ? ['spec.providerID'] : []),
  ];
  if (lost.length === 0) return;
  const message = `${lost.join(', ')}: removed by somebody, and put back`;
  life.event = { type: 'Warning', reason: 'RecordRestored', message };
  if ((lacksFinalizer || lacksProviderID) && instance !== undefined) {
    life.providerID = instance.providerID;
    const { event } = life;
    await local.recordInstance({ ...life.target, instance, status: life.status, event });
    life.written();
  } else {
    if (lacksFinalizer) await local.addFinalizer(life.target);
    await writeStatus(life);
  }
  // What the cloud says by now follows; only it can tell the providerID of an instance that this workflow never saw.
  if (isLiving && status.instance !== undefined && !life.hasFailed) memory.inspect = true;
}
