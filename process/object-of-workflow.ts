import { APIS, type ApiRegistry } from '../k8s/dialects/registry.ts';

/** An object as logs and metrics name it. */
export interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Kinds that have workflows, as they stand in the ids of these. */
function kindsOf(apis: ApiRegistry): ReadonlyMap<string, string> {
  return new Map(apis.all().map(({ resource: { kind } }) => [kind.toLowerCase(), kind]));
}

/** Of the product's. */
const KINDS = kindsOf(APIS);

/**
 * The object whose workflow has this id; undefined: it is the workflow of no object, e.g. the inventory.
 *
 * @param apis whose kinds have workflows. @default the product's
 */
export function objectOfWorkflow(workflowId: string, apis: ApiRegistry = APIS): NamedObject | undefined {
  const [lowerKind = '', namespace, name, uid] = workflowId.split('/');
  const kind = (apis === APIS ? KINDS : kindsOf(apis)).get(lowerKind);
  if (kind === undefined || namespace === undefined || name === undefined || uid === undefined) return undefined;
  return { kind, namespace, name, uid };
}
