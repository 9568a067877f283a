import type { Machine } from '../k8s/model/machine.ts';
import { ProviderError } from '../providers/provider-error.ts';
import type { Instance } from '../providers/provider.ts';
import { isGone } from '../workflows/machine/instance-facts.ts';
import type { SurplusAnswer } from '../workflows/machine/instance-activities.ts';
import type { MachineActivities } from '../workflows/machine/machine-activities.ts';
import { createAskOn } from './ask-on.ts';
import { hasTokenOf, namesInstance } from './belonging.ts';
import { cloudOf } from './cloud-of.ts';
import type { MachineDeps } from './deps.ts';
import { cloudFailureOf, isNoInstance } from './failures.ts';
import { active } from './machine-reader.ts';
import { placeKey, type Place } from './place.ts';

/** The end of instances that a Machine has too many of. */
export function createSurplusActivities(deps: MachineDeps): Pick<MachineActivities, 'endSurplusInstance'> {
  const askOn = createAskOn<SurplusAnswer>(deps.clock, deps.slowPlaces);

  return {
    async endSurplusInstance(request): Promise<SurplusAnswer> {
      const { machine, spec } = active(await deps.reader.live(request));
      const { id, keep, parameters } = request;
      const recorded = machine.status.instance?.id;
      if (recorded === id || (recorded !== undefined && recorded !== keep)) {
        return left(`the Machine has instance ${recorded} on record by now`);
      }
      try {
        const place = cloudOf(deps, machine, spec, parameters);
        const question = `${request.ref.uid} ${id}`;
        const { answer: ending } = await askOn(placeKey(place), question, () => endIfOwn(machine, id, place));
        if (ending.outcome === 'ended')
          deps.log.warn({ object: machine.ref, instance: id }, 'one too many: terminated');
        return ending;
      } catch (error) {
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },
  };

  async function endIfOwn(machine: Machine, id: string, { provider, credentials }: Place): Promise<SurplusAnswer> {
    const [instance] = await provider.describe(credentials, [id]);
    if (instance === undefined) {
      // One look that does not show it is no proof that it is gone.
      throw new ProviderError('Aborted', `instance ${id} was found a moment ago, and a look at it shows none`);
    }
    if (isGone(instance.state)) return { outcome: 'ended' };
    const objection = objectionTo(machine, instance) ?? (await claimOn(machine, instance));
    if (objection !== undefined) return left(objection);
    try {
      await provider.terminate(credentials, id);
    } catch (error) {
      if (!isNoInstance(error)) throw error;
    }
    return { outcome: 'ended' };
  }

  /** Who else names it, by a live list: a claim that was made a moment ago counts. */
  async function claimOn(machine: Machine, instance: Instance): Promise<string | undefined> {
    const machines = await deps.reader.all();
    const other = machines.find((m) => m.machine.ref.uid !== machine.ref.uid && namesInstance(m.machine, instance));
    if (other === undefined) return undefined;
    const { namespace, name } = other.machine.ref;
    return `the Machine ${namespace}/${name} names it`;
  }
}

/** Only what the Machine launched itself is its to end. */
function objectionTo(machine: Machine, instance: Instance): string | undefined {
  const { machineUid } = instance;
  if (machineUid !== undefined && machineUid !== machine.ref.uid) return `it is tagged with the uid ${machineUid}`;
  return hasTokenOf(machine, instance)
    ? undefined
    : 'its client token is none of this Machine, which did not launch it';
}

function left(message: string): SurplusAnswer {
  return { outcome: 'left', message };
}
