import type { Machine } from '../k8s/model/machine.ts';
import { ProviderError, type Credentials, type Instance, type Provider } from '../providers/provider.ts';
import { isGone } from '../workflows/machine/instance-facts.ts';
import type { MachineActivities, SurplusAnswer } from '../workflows/machine/machine-activities.ts';
import { namesInstance } from './claims.ts';
import { cloudOf } from './cloud-of.ts';
import type { ActivityDeps } from './deps.ts';
import { cloudFailureOf } from './failures.ts';
import { whileHeartbeating } from './heartbeat.ts';
import { tokenOf } from './launch.ts';
import { requireActive } from './machines.ts';
import { listMachines } from './read-machines.ts';

/** So many attempts of a Machine are known by their tokens, or as many as its record counts. */
const MOST_ATTEMPTS = 1000;

/** The end of instances that a Machine has too many of. */
export function createSurplusActivities(deps: ActivityDeps): Pick<MachineActivities, 'endSurplusInstance'> {
  return {
    async endSurplusInstance(request): Promise<SurplusAnswer> {
      const { machine, spec } = await requireActive(deps, request);
      const { id, keep, parameters } = request;
      const recorded = machine.status.instance?.id;
      if (recorded === id || (recorded !== undefined && recorded !== keep)) {
        return left(`the Machine has instance ${recorded} on record by now`);
      }
      try {
        const { provider, credentials } = cloudOf(deps, machine, spec, parameters);
        const ending = await whileHeartbeating((signal) => endIfOwn(machine, id, provider, credentials, signal));
        if (ending.outcome === 'ended')
          deps.log.warn({ object: machine.ref, instance: id }, 'one too many: terminated');
        return ending;
      } catch (error) {
        return { outcome: 'failed', failure: cloudFailureOf(error) };
      }
    },
  };

  async function endIfOwn(
    machine: Machine,
    id: string,
    provider: Provider,
    credentials: Credentials,
    signal: AbortSignal,
  ): Promise<SurplusAnswer> {
    const [instance] = await provider.describe(credentials, [id], signal);
    if (instance === undefined) return left('the cloud does not show it any more');
    if (isGone(instance.state)) return { outcome: 'ended' };
    const objection = objectionTo(machine, instance) ?? (await claimOn(machine, instance));
    if (objection !== undefined) return left(objection);
    try {
      await provider.terminate(credentials, id, signal);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.code !== 'NotFound') throw error;
    }
    return { outcome: 'ended' };
  }

  /** Who else names it, by a live list: a claim that was made a moment ago counts. */
  async function claimOn(machine: Machine, instance: Instance): Promise<string | undefined> {
    const machines = await listMachines(deps);
    const other = machines.find((m) => m.machine.ref.uid !== machine.ref.uid && namesInstance(m.machine, instance));
    if (other === undefined) return undefined;
    const { namespace, name } = other.machine.ref;
    return `the Machine ${namespace}/${name} names it`;
  }
}

/** Only what the Machine launched itself is its to end: the token tells, which nobody can give an instance afterwards. */
export function objectionTo({ ref, status }: Machine, { machineUid, token }: Instance): string | undefined {
  if (machineUid !== undefined && machineUid !== ref.uid) return `it is tagged with the uid ${machineUid}`;
  const attempts = Math.max(MOST_ATTEMPTS, status.launch?.attempt ?? 0);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (tokenOf(ref.uid, attempt) === token) return undefined;
  }
  return 'its client token is not one of this Machine, which so did not launch it';
}

function left(message: string): SurplusAnswer {
  return { outcome: 'left', message };
}
