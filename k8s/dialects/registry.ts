import type { ObjectRef } from '../model/object-ref.ts';
import type { Dialect } from './dialect.ts';
import { openshift } from './openshift.ts';

const DIALECTS: readonly Dialect[] = [openshift];

/** The dialect of an object's API. */
export function dialectOf(ref: Pick<ObjectRef, 'apiVersion' | 'kind'>): Dialect {
  const dialect = DIALECTS.find((d) =>
    [d.machines, d.machineSets].some((r) => r.apiVersion === ref.apiVersion && r.kind === ref.kind),
  );
  if (dialect === undefined) throw new Error(`no dialect reads ${ref.kind} of ${ref.apiVersion}`);
  return dialect;
}

/** All APIs whose machines are driven. */
export function dialects(): readonly Dialect[] {
  return DIALECTS;
}
