import { given } from '../../providers/given.ts';
import { knownOwn, toldAddresses } from './instance-facts.ts';
import type { CloudFailure } from './launch-record.ts';
import type { BalanceInstance } from './load-balancer-activities.ts';
import type { MachineMemory } from './memory.ts';
import type { Pass } from './pass.ts';
import type { MachineSettings } from './settings.ts';

/** The condition that tells whether the instance is behind its load balancers. */
export const LOAD_BALANCERS_ATTACHED = 'LoadBalancersAttached';

/** A call to attach takes effect at most so long after it was given up, in milliseconds. */
const LATEST_EFFECT_MS = 60_000;

/** Until when a call to attach may take effect whose answer nobody saw, in milliseconds since the epoch; 0: there is none. */
export function openCallUntil({ attachOpenUntil = 0 }: MachineMemory): number {
  return attachOpenUntil;
}

/** Notes such a call. */
export function noteOpenCall(memory: MachineMemory, until: number): void {
  memory.attachOpenUntil = Math.max(until, openCallUntil(memory));
}

/** What a launch was frozen with tells; an adopted instance's load balancers stand in the spec, which an activity reads. */
export function mayBeBalanced({ status: { launch } }: Pass): boolean {
  return launch === undefined || (launch.parameters.loadBalancers ?? []).length > 0;
}

/** What the load balancers are asked about this instance. */
export function balanceRequest(pass: Pass, id: string): BalanceInstance {
  return { ...pass.target, id, ...knownOwn(pass, id), ...given({ told: toldAddresses(pass, id) }) };
}

/**
 * Until when a call to attach may take effect that failed like this, in milliseconds since the epoch; undefined: it was answered,
 * or never left the worker.
 */
export function openAfterFailure({ code, cloudCode, notSent }: CloudFailure, nowMs: number): number | undefined {
  const isUnanswered = (code === 'DeadlineExceeded' || code === 'Unavailable') && cloudCode === undefined;
  return isUnanswered && notSent !== true ? nowMs + LATEST_EFFECT_MS : undefined;
}

/** The same where nobody knows what became of the activity: its worker may send the call until the activity's time is up. */
export function openAfterSilence({ callTimeoutSeconds }: MachineSettings, nowMs: number): number {
  return nowMs + callTimeoutSeconds * 1000 + LATEST_EFFECT_MS;
}
