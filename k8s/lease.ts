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
    readonly managedFields?: readonly { readonly manager?: string; readonly time?: string }[];
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

/** Creates the Lease, or changes the one that was read; as it is then. Undefined: somebody else has written it meanwhile, and nothing is changed. */
export async function writeLease(
  kube: KubeClient,
  { namespace, name, lease, annotations, spec, fieldManager }: LeaseWrite,
): Promise<Lease | undefined> {
  const noted = given({ annotations });
  try {
    if (lease === undefined) {
      const { apiVersion, kind } = LEASES;
      const body = { apiVersion, kind, metadata: { name, namespace, ...noted }, spec };
      return await kube.create<Lease>(LEASES, namespace, body, { fieldManager });
    }
    const { uid, resourceVersion } = lease.metadata;
    const body = { metadata: { uid, resourceVersion, ...noted }, spec };
    return await kube.mergePatch<Lease>(LEASES, namespace, name, body, { fieldManager });
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return undefined;
    throw error;
  }
}

/** When the field manager wrote the Lease last, by the API server's clock: milliseconds since the epoch. Undefined: it is not known. */
export function writtenAt(lease: Lease | undefined, fieldManager: string): number | undefined {
  const times = (lease?.metadata.managedFields ?? []).flatMap(({ manager, time }) =>
    manager === fieldManager && time !== undefined ? [Date.parse(time)] : [],
  );
  return times.length === 0 ? undefined : Math.max(...times);
}

/** A time of a Lease, from milliseconds since the epoch. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
