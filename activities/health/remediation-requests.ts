import type { KubeClient } from '../../k8s/client.ts';
import type { StoredObject } from '../../k8s/dialects/kind.ts';
import { isAlreadyExists, isConflict, isNotFound, isNotServed, isRefusal, unlessGone } from '../../k8s/kube-error.ts';
import { REMEDIATION_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { requestKindOf, type RemediationTemplate } from '../../k8s/model/remediation-template.ts';
import type { Resource } from '../../k8s/resources.ts';
import { readAllowed } from '../read-machines.ts';
import { readNamed } from '../read-stored.ts';

/** How the API server serves objects of a kind; undefined: it does not. */
export type FindKind = (apiVersion: string, kind: string) => Promise<Resource | undefined>;

/** What is served once is served in this way for ever: it is asked for once. */
export function createFindKind(kube: Pick<KubeClient, 'find'>): FindKind {
  const known = new Map<string, Resource>();
  return async (apiVersion, kind) => {
    const key = `${apiVersion} ${kind}`;
    const found = known.get(key) ?? (await kube.find(apiVersion, kind));
    if (found !== undefined) known.set(key, found);
    return found;
  };
}

export interface RequestDeps {
  readonly kube: KubeClient;
  readonly findKind: FindKind;
}

/** A remediation template, and the part of it that every object is made of. */
interface ReadTemplate {
  readonly template: { readonly metadata?: Metadata } & Readonly<Record<string, unknown>>;
}

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Why no machine can be remediated by this template, as a sentence; undefined: it is there. */
export async function problemOfTemplate(
  deps: RequestDeps,
  namespace: string,
  template: RemediationTemplate,
): Promise<string | undefined> {
  const read = await readTemplate(deps, namespace, template);
  return 'problem' in read ? read.problem : undefined;
}

/** The object by which another program was asked to remediate a Machine; undefined: there is none. */
export async function findRequest(
  { kube, findKind }: RequestDeps,
  template: RemediationTemplate,
  { namespace, name, uid }: ObjectRef,
): Promise<StoredObject | undefined> {
  const resource = await findKind(template.apiVersion, requestKindOf(template));
  const stored = resource && (await unlessUnserved(unlessGone(kube.get<StoredObject>(resource, namespace, name))));
  return stored?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true ? stored : undefined;
}

/**
 * Makes that object of the template, once: it has the Machine's name, and belongs to it, so that it goes with it. Answers why it could
 * not, as a sentence; undefined: it is there.
 *
 * @param annotations to be on it beside those of the template
 */
export async function requestRemediation(
  deps: RequestDeps,
  template: RemediationTemplate,
  machine: ObjectRef,
  annotations: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { kube, findKind } = deps;
  const { namespace, name } = machine;
  const kind = requestKindOf(template);
  const read = await readTemplate(deps, namespace, template);
  if ('problem' in read) return read.problem;
  const resource = await findKind(template.apiVersion, kind);
  const unserved = `the API server has no ${kind} of ${template.apiVersion}`;
  if (resource === undefined) return unserved;
  try {
    const body = requestOf(read.template, template, machine, annotations);
    await kube.create(resource, namespace, body, { fieldManager: REMEDIATION_FIELD_MANAGER });
    return undefined;
  } catch (error) {
    if (isAlreadyExists(error)) {
      const own = await findRequest(deps, template, machine);
      if (own === undefined) return `there is a ${kind} ${name} which is not of this Machine`;
      return own.metadata.deletionTimestamp === undefined
        ? undefined
        : `the ${kind} ${name} of before is being deleted still`;
    }
    if (isNotServed(error)) return unserved;
    if (isNotFound(error) || !isRefusal(error)) throw error;
    return error.message;
  }
}

/** Deletes it: the Machine is healthy again. */
export async function withdrawRequest(
  deps: RequestDeps,
  template: RemediationTemplate,
  machine: ObjectRef,
): Promise<void> {
  const { kube, findKind } = deps;
  const stored = await findRequest(deps, template, machine);
  if (stored === undefined || stored.metadata.deletionTimestamp !== undefined) return;
  const resource = await findKind(template.apiVersion, requestKindOf(template));
  if (resource === undefined) return;
  const { uid, name } = stored.metadata;
  try {
    await kube.delete(resource, machine.namespace, name, { uid });
  } catch (error) {
    if (!isNotFound(error) && !isNotServed(error) && !isConflict(error)) throw error;
  }
}

/** Undefined: its definition was there once, and is gone. */
async function unlessUnserved<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotServed(error)) return undefined;
    throw error;
  }
}

async function readTemplate(
  { kube, findKind }: RequestDeps,
  namespace: string,
  { apiVersion, kind, name }: RemediationTemplate,
): Promise<ReadTemplate | { readonly problem: string }> {
  const resource = await findKind(apiVersion, kind);
  const unserved = { problem: `the API server has no ${kind} of ${apiVersion}` };
  if (resource === undefined) return unserved;
  const answer = await unlessUnserved(readAllowed((...asked) => readNamed(kube, ...asked), resource, namespace, name));
  if (answer === undefined) return unserved;
  const { object, refused } = answer;
  if (refused !== undefined) return { problem: refused };
  if (object === undefined) return { problem: `there is no ${kind} ${namespace}/${name}` };
  const template: unknown = (object as { spec?: { template?: unknown } }).spec?.template;
  if (typeof template !== 'object' || template === null) {
    return { problem: `${kind} ${namespace}/${name} has no spec.template` };
  }
  return { template: template as ReadTemplate['template'] };
}

/** Of what a template says of metadata, labels and annotations count; kind and group are those of the template itself. */
function requestOf(
  { metadata = {}, ...content }: ReadTemplate['template'],
  template: RemediationTemplate,
  { apiVersion, kind, namespace, name, uid }: ObjectRef,
  annotations: Readonly<Record<string, string>>,
): object {
  return {
    ...content,
    apiVersion: template.apiVersion,
    kind: requestKindOf(template),
    metadata: {
      namespace,
      name,
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations, ...annotations },
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
  };
}
