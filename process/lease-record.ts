import { microTime, type LeaseSpec } from '../k8s/lease.ts';

/** Where Leases are, unless said otherwise. */
export const DEFAULT_LEASE_NAMESPACE = 'kube-system';

/** Who asks, and whether a process on this host is alive. */
export interface Contender {
  readonly identity: string;
  readonly host: string;
  readonly isAlive: (pid: number) => boolean;
}

/**
 * The Lease as the contender may write it; undefined where somebody else holds it. Judged by this host's clock: where
 * the clocks differ two are active for a while, which is harmless here.
 */
export function claimLease(
  spec: LeaseSpec,
  contender: Contender,
  durationSeconds: number,
  now: number,
): LeaseSpec | undefined {
  const { holderIdentity = '', renewTime, leaseTransitions = 0 } = spec;
  const time = microTime(now);
  const isOurs = holderIdentity === contender.identity;
  const claimed: LeaseSpec = {
    holderIdentity: contender.identity,
    leaseDurationSeconds: durationSeconds,
    acquireTime: isOurs ? (spec.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: isOurs || holderIdentity === '' ? leaseTransitions : leaseTransitions + 1,
  };
  if (isOurs || holderIdentity === '') return claimed;
  const expiry = Date.parse(renewTime ?? '') + (spec.leaseDurationSeconds ?? durationSeconds) * 1000;
  const isHeld = expiry > now && !hasEnded(holderIdentity, contender);
  return isHeld ? undefined : claimed;
}

/** `<host>_<pid>_<random>` */
export function holderIdentity(host: string, pid: number, random: string): string {
  return `${host}_${pid}_${random}`;
}

/** True where the holder was a process of this host that is gone: there is nothing to wait for. */
function hasEnded(identity: string, { host, isAlive, identity: own }: Contender): boolean {
  const [holderHost, pid] = splitIdentity(identity);
  if (holderHost !== host) return false;
  return pid === splitIdentity(own)[1] || !isAlive(pid);
}

function splitIdentity(identity: string): [host: string, pid: number] {
  const parts = identity.split('_');
  return [parts.slice(0, -2).join('_'), Number(parts.at(-2))];
}
