import type { MachineDeploymentKind, StoredObject } from '../../../../k8s/dialects/kind.ts';
import { mergePatchOf } from '../../../../k8s/merge-patch.ts';
import { CLI_FIELD_MANAGER } from '../../../../k8s/model/field-managers.ts';
import { writesSpecField, type ObjectMeta } from '../../../../k8s/object-meta.ts';
import { given } from '../../../../providers/given.ts';
import { attempt } from '../../cli-error.ts';
import type { Wanted } from './read-wanted.ts';
import type { FoundDeployment, RolloutParts } from './rollout-parts.ts';

/** What kubectl applied last, as it stood in the file; JSON. */
const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The object as it would be if somebody applied the file the way in which it was applied before. What the file leaves out goes where it
 * was applied before, and stays where others wrote it. The API server checks that, fills in what is left out, and stores nothing.
 */
export function tryChange(
  { access: { kube } }: RolloutParts,
  { kind: { resource }, stored, read }: FoundDeployment,
  { metadata: { labels, annotations }, spec }: Wanted,
): Promise<StoredObject> {
  const { namespace, name, uid } = read.meta.ref;
  const wanted = { metadata: { uid, ...given({ labels, annotations }) }, spec };
  const applier = applierOf(stored.metadata);
  return attempt(`try the change of MachineDeployment ${namespace}/${name}`, () =>
    applier === undefined
      ? kube.mergePatch(resource, namespace, name, applyPatch(stored, wanted), {
          fieldManager: CLI_FIELD_MANAGER,
          dryRun: true,
        })
      : kube.apply(resource, namespace, name, wanted, { fieldManager: applier, dryRun: true }),
  );
}

/** The object as it would be made of the file. The API server checks that, fills in what is left out, and stores nothing. */
export function tryCreation(
  { access: { kube, namespace } }: RolloutParts,
  { kind: { resource }, metadata: { name, labels, annotations }, spec }: Wanted<MachineDeploymentKind>,
): Promise<StoredObject> {
  const { apiVersion, kind } = resource;
  const wanted = { apiVersion, kind, metadata: { namespace, name, ...given({ labels, annotations }) }, spec };
  return attempt(`try the creation of MachineDeployment ${namespace}/${name}`, () =>
    kube.create(resource, namespace, wanted, { fieldManager: CLI_FIELD_MANAGER, dryRun: true }),
  );
}

/** Who applied its template by server-side apply; undefined: nobody did. */
function applierOf({ managedFields = [] }: ObjectMeta): string | undefined {
  return managedFields.find((each) => each.operation === 'Apply' && writesSpecField(each, 'template'))?.manager;
}

/** As `kubectl apply` has it without server-side apply: what was in the file last time and is not now goes, too. */
function applyPatch(stored: StoredObject, wanted: Fields): Fields {
  const last = JSON.parse(stored.metadata.annotations?.[LAST_APPLIED_ANNOTATION] ?? '{}') as Fields;
  const { metadata, spec } = last as { readonly metadata?: Fields; readonly spec?: unknown };
  const before = { metadata: { labels: metadata?.['labels'], annotations: metadata?.['annotations'] }, spec };
  const changed = join(only(mergePatchOf(before, wanted), true), only(mergePatchOf({ ...stored }, wanted), false));
  // Another object of this name is not to be tried.
  return join(changed, { metadata: { uid: stored.metadata.uid } });
}

/** What a merge patch removes, or all else. */
function only(patch: Fields, removals: boolean): Fields {
  return Object.fromEntries(
    Object.entries(patch).flatMap(([key, value]): [string, unknown][] => {
      if (isFields(value)) return [[key, only(value, removals)]];
      return (value === null) === removals ? [[key, value]] : [];
    }),
  );
}

function join(a: Fields, b: Fields): Fields {
  const joined: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const other = joined[key];
    joined[key] = isFields(other) && isFields(value) ? join(other, value) : value;
  }
  return joined;
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
