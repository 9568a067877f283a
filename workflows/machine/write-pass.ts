import { instanceIdOf } from '../../k8s/model/provider-id.ts';
import { asSummary } from '../summary.ts';
import { summarizeStatus } from './describe-life.ts';
import { isGone } from './instance-facts.ts';
import type { Pass, Sighting } from './pass.ts';
import { local } from './ports.ts';

/** Makes visible what a pass has come to, where that is news: one write, of the status or of the instance with it. */
export async function writePass(pass: Pass): Promise<void> {
  // A status that could not be read must not be written: what it holds of the instance would be lost.
  if (pass.seen.machine.malformed?.isStatusReadable === false) return;
  if (pass.sighting !== undefined) await recordInstance(pass, pass.sighting);
  else if (pass.isUnwritten) await writeStatus(pass);
}

/** Writes the status as it is by now. */
export async function writeStatus(pass: Pass): Promise<void> {
  const summary = asSummary(`write the status: ${summarizeStatus(pass.status)}`);
  const over = await local.writeMachineStatus.executeWithOptions({ summary }, [
    { ...pass.target, ...pass.toWrite, events: pass.events },
  ]);
  pass.written(over);
}

/** Writes what the cloud says of the instance into the Machine: spec, labels and status. */
async function recordInstance(pass: Pass, { instance }: Sighting): Promise<void> {
  const { memory, target, toWrite, events } = pass;
  const summary = asSummary(`record instance ${instance.id} (${instance.state}) in the Machine`);
  const { providerID } = pass.seen.machine;
  const isAnother = providerID !== undefined && instanceIdOf(providerID) !== instance.id;
  const replaces = isAnother ? { replaces: true as const } : {};
  const over = await local.recordInstance.executeWithOptions({ summary }, [
    { ...target, instance, ...replaces, ...toWrite, events },
  ]);
  if (!isGone(instance.state)) {
    memory.instance = { ...instance, addresses: [] };
    memory.addresses = { of: instance.id, told: instance.addresses };
  }
  // The attempt has come to its end: nothing of it is unknown any more.
  delete memory.attempt;
  pass.written(over);
}
