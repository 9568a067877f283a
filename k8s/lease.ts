import type { KubeClient } from './client.ts';
import { isAlreadyExists, isConflict, unlessGone } from './kube-error.ts';
import { LEASES } from './resources.ts';
import { given } from '../providers/given.ts';

/** A coordination.k8s.io Lease, as it is stored. */
export interface Lease {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  /** Empty: nobody holds it. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds. */
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export interface LeaseWrite {
  readonly namespace: string;
  readonly name: string;
  /** As it was read; undefined: there was none. */
  readonly lease: Lease | undefined;
  /** Those that are written; others stay. @default none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The fields that are written; others stay. */
  readonly spec: LeaseSpec;
  readonly fieldManager: string;
}

/** Undefined where there is none of this name. */
export function readLease(kube: KubeClient, namespace: string, name: string): Promise<Lease | undefined> {
  return unlessGone(kube.get<Lease>(LEASES, namespace, name));
}

/** Creates the Lease, or changes the one that was read. False: somebody else has written it meanwhile, and nothing is changed. */
export async function writeLease(
  kube: KubeClient,
  { namespace, name, lease, annotations, spec, fieldManager }: LeaseWrite,
): Promise<boolean> {
  const noted = given({ annotations });
  try {
    if (lease === undefined) {
      const { apiVersion, kind } = LEASES;
      const body = { apiVersion, kind, metadata: { name, namespace, ...noted }, spec };
      await kube.create(LEASES, namespace, body, { fieldManager });
    } else {
      const { uid, resourceVersion } = lease.metadata;
      const body = { metadata: { uid, resourceVersion, ...noted }, spec };
      await kube.mergePatch(LEASES, namespace, name, body, { fieldManager });
    }
    return true;
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return false;
    throw error;
  }
}

/** A time of a Lease, from milliseconds since the epoch. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
