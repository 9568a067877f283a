import type { KubeClient } from '../client.ts';
import type { ApiRegistry } from '../dialects/registry.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../resources.ts';
import { TakeOverUnfinishedError } from './install-errors.ts';

/** Owner of the fields that an installation writes; a CRD that lacks it is somebody else's. */
export const INSTALL_FIELD_MANAGER = 'millwright-install';

/**
 * On our CRDs from the moment a take-over makes them ours until every object is known to be paused, so that a take-over
 * that was cut off is finished by the next installation.
 */
export const TAKE_OVER_ANNOTATION = 'machine.millwright.dev/take-over';
export const TAKE_OVER_UNFINISHED = 'unfinished';
export const TAKE_OVER_DONE = 'done';

/** What is read of a CustomResourceDefinition. */
export interface CustomResourceDefinition {
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly managedFields?: readonly { readonly manager?: string; readonly subresource?: string }[];
  };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** The CRDs of the groups of these APIs, whoever's they are. */
export async function listCrdsOfGroups(kube: KubeClient, apis: ApiRegistry): Promise<CustomResourceDefinition[]> {
  const groups = new Set(apis.all().map(({ resource }) => resource.apiVersion.split('/')[0]));
  const { items } = await kube.list<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS);
  return items.filter(({ spec }) => groups.has(spec.group));
}

/** For messages. */
export function nameGroups(crds: readonly CustomResourceDefinition[]): string {
  return [...new Set(crds.map(({ spec }) => spec.group))].sort().join(' and ');
}

export function isOurs({ metadata }: CustomResourceDefinition): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === INSTALL_FIELD_MANAGER) ?? false;
}

export function isTakeOverUnfinished({ metadata }: CustomResourceDefinition): boolean {
  return metadata.annotations?.[TAKE_OVER_ANNOTATION] === TAKE_OVER_UNFINISHED;
}

/** Who wrote the CRD, for messages. The API server's own writes of status do not count. */
export function describeWriters({ metadata }: CustomResourceDefinition): string {
  const writers = new Set(
    metadata.managedFields?.flatMap(({ manager, subresource }) =>
      manager === undefined || subresource === 'status' ? [] : [manager],
    ),
  );
  return writers.size === 0 ? 'an unknown writer' : [...writers].join(', ');
}

/** Rejects with {@link TakeOverUnfinishedError} where a take-over was cut off. */
export async function refuseWhileTakingOver(kube: KubeClient, apis: ApiRegistry): Promise<void> {
  const unfinished = (await listCrdsOfGroups(kube, apis)).filter(isTakeOverUnfinished);
  if (unfinished.length === 0) return;
  throw new TakeOverUnfinishedError(
    `a take-over of ${nameGroups(unfinished)} began and did not end, so nothing is resumed: finish it first, with ` +
      '`millwright install --take-over`',
  );
}
