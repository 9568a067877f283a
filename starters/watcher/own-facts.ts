import type { Kinds, Role } from '../../k8s/dialects/kind.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { Reading } from '../../k8s/model/reading.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Change, Wake } from './wake.ts';

/** What the watcher keeps of any object that has a workflow. */
export interface OwnFacts<R extends Role> {
  readonly role: R;
  readonly ref: ObjectRef;
  /** Name of the cluster that it belongs to; empty where it says none. */
  readonly clusterName: string;
  /** Changes with what concerns its own workflow. */
  readonly fingerprint: string;
}

export function ownFacts<R extends Role>(
  read: Reading,
  kind: Pick<Kinds[Role], 'own' | 'finalizer'> & { readonly role: R },
): OwnFacts<R> {
  const { meta, clusterName } = read;
  return { role: kind.role, ref: meta.ref, clusterName, fingerprint: fingerprintOf(read, kind) };
}

/** An object wakes its own workflow by what others write of it. */
export function routeItself({ before, after }: Change<OwnFacts<Role>>): Wake[] {
  const facts = after ?? before;
  if (facts === undefined || before?.fingerprint === after?.fingerprint) return [];
  return [{ target: facts.ref, because: 'object' }];
}
