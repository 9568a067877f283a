/** Holds an EC2 client's calls to the limits of its account. */

import type { EC2Client } from '@aws-sdk/client-ec2';
import type { Credentials, LaunchTurns } from '../provider.ts';
import type { LimitedCall, RateLimits } from '../rate-limited.ts';
import { given } from '../given.ts';
import { isThrottling } from './aws-call.ts';
import { limitedName } from './documented-limits.ts';

/** Longest wait of a launch for its turn, before what it goes by is checked, in milliseconds. It holds no workflow task. */
const LAUNCH_PATIENCE_MS = 5_000;
/** The same of any other call: those who wait for the answer may hold a workflow task, and do so for 2 s in all. */
const PATIENCE_MS = 1_000;

/** Who a client calls for. */
export interface Caller {
  /** The same text for the same keys, and no secret. */
  readonly credentials: string;
  readonly region: string;
}

/** @param callerOf whose calls go with these credentials */
export function createLaunchTurns(
  limits: RateLimits,
  callerOf: (credentials: Credentials) => Promise<Caller>,
): LaunchTurns {
  return {
    async lineUp(credentials, token) {
      limits.lineUp(limitedLaunch(await callerOf(credentials), token));
    },
    async take(credentials, token) {
      await limits.turn(limitedLaunch(await callerOf(credentials), token));
    },
  };
}

/** A launch as the limits see it; by its token a repeat keeps its place. */
function limitedLaunch(caller: Caller, token: string): LimitedCall & { readonly key: string } {
  return { ...caller, action: 'RunInstances', key: token, patienceMs: LAUNCH_PATIENCE_MS };
}

/** From now on every call of this client waits for its turn; its answers tell which account it is of. */
export function limitCalls(ec2: EC2Client, limits: RateLimits, caller: Caller): void {
  ec2.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const call = limitedCall(caller, commandName.replace(/Command$/, ''), args.input);
        const result = await limits.run(call, () => next(args), isThrottling);
        const account = accountIn(result.output);
        if (account !== undefined) limits.noteAccount(caller.credentials, account);
        return result;
      },
    // Before anything is done for the call: nothing of it goes stale while it waits.
    { step: 'initialize', name: 'holdToLimits' },
  );
}

function limitedCall(caller: Caller, action: string, input: object): LimitedCall {
  if ('ClientToken' in input && typeof input.ClientToken === 'string' && action === 'RunInstances') {
    // It took its turn before; here nothing that was checked since may go stale.
    return { ...limitedLaunch(caller, input.ClientToken), patienceMs: PATIENCE_MS };
  }
  const isNarrowed = ['Filters', 'MaxResults', 'NextToken'].some((name) => Reflect.get(input, name) !== undefined);
  const named: unknown = action.startsWith('Describe') ? undefined : Reflect.get(input, 'InstanceIds');
  return {
    ...caller,
    action: limitedName(action, isNarrowed),
    ...given({ key: Array.isArray(named) ? named.join(' ') : undefined }),
    patienceMs: PATIENCE_MS,
  };
}

/** Owner of the instances in an answer. Nothing else counts: images and shared subnets are of other accounts. */
function accountIn(output: object): string | undefined {
  const reservations: unknown = 'Reservations' in output ? output.Reservations : [output];
  const [first]: readonly unknown[] = Array.isArray(reservations) ? reservations : [];
  if (typeof first !== 'object' || first === null || !('Instances' in first) || !('OwnerId' in first)) return undefined;
  return typeof first.OwnerId === 'string' && first.OwnerId !== '' ? first.OwnerId : undefined;
}
