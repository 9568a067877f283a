import { APIS } from '../k8s/dialects/registry.ts';

/** An object as logs and metrics name it. */
export interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Kinds that have workflows, as they stand in the ids of these. */
const KINDS: ReadonlyMap<string, string> = new Map(
  APIS.apis.flatMap((api) => Object.values(api).map(({ resource: { kind } }) => [kind.toLowerCase(), kind])),
);

/** The object whose workflow has this id; undefined: it is the workflow of no object, e.g. the inventory. */
export function objectOfWorkflow(workflowId: string): NamedObject | undefined {
  const [lowerKind = '', namespace, name, uid] = workflowId.split('/');
  const kind = KINDS.get(lowerKind);
  if (kind === undefined || namespace === undefined || name === undefined || uid === undefined) return undefined;
  return { kind, namespace, name, uid };
}
