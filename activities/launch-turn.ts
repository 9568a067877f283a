/** Launches wait until the limits of their cloud have room for them. */

import { tokenOf } from '../k8s/launch-token.ts';
import type { Machine, MachineSpec, PreparedLaunch } from '../k8s/model/machine.ts';
import type { CloudFailure } from '../workflows/machine/launch-record.ts';
import { ownerOf } from './cloud-of.ts';
import type { ActivityDeps } from './deps.ts';
import { cloudFailureOf } from './failures.ts';
import { whileHeartbeating } from './heartbeat.ts';

/**
 * A launch whose turn is far off is not prepared yet: of many machines that come up at once, those go through all of it whose
 * turn is near, and the others ask the cloud for nothing. Answers when to come back.
 */
export async function lineUp(
  deps: ActivityDeps,
  machine: Machine,
  { providerSpec }: MachineSpec,
  attempt: number,
): Promise<CloudFailure | undefined> {
  try {
    const provider = deps.providers.providerFor(providerSpec);
    const owner = ownerOf(deps, machine.ref, machine.clusterName);
    const token = tokenOf(machine.ref.uid, attempt);
    await provider.launchTurns?.lineUp(provider.credentialsOf({ owner, providerSpec }), token);
    return undefined;
  } catch (error) {
    const failure = cloudFailureOf(error);
    // What else is wrong is told by whoever reads the spec next.
    return failure.notSent === true ? failure : undefined;
  }
}

/**
 * Waits until the limits of the cloud have room for the call: before all checks, so that these are fresh when it is sent. An
 * answer where there is none soon; nothing was asked of the cloud then, no look-up either.
 */
export async function takeLaunchTurn(
  { providers, clock }: ActivityDeps,
  { parameters, token }: PreparedLaunch,
): Promise<CloudFailure | undefined> {
  const turns = providers.byName(parameters.provider)?.launchTurns;
  try {
    await whileHeartbeating(clock, async () => turns?.take(parameters.credentials, token));
    return undefined;
  } catch (error) {
    return cloudFailureOf(error);
  }
}
