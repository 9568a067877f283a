import type { KubeClient, KubeList, ListOptions } from '../../../k8s/client.ts';
import { notSent } from '../../../k8s/kube-error.ts';
import type { Resource } from '../../../k8s/resources.ts';
import type { PatchStep } from './json-patch.ts';
import { handedOut, isFields, type KubeObject } from './kube-object.ts';
import type { Registry } from './registry.ts';
import { refuseNamespace } from './object-rules.ts';
import { evict } from './eviction.ts';
import { PODS } from '../../../k8s/resources.ts';
import { alreadyExists, invalid, refusedPatch } from './refusals.ts';
import type { KubeRequest, Passage } from './request.ts';
import { scaleOf } from './scale.ts';
import { matching } from './selectors.ts';
import { applied, created, merged, patched, type Write } from './writes.ts';
import { given } from '../../../providers/given.ts';

/** Who writes where a client does not say it. */
const NO_NAME = 'unknown';

/** A client of an API server in memory. */
export function createWorldClient(server: Registry, passage: Passage): KubeClient {
  const send = <T>(request: KubeRequest, carryOut: () => unknown): Promise<T> =>
    passage<T>(request, async () => {
      server.kindOf(request.resource);
      return handedOut(carryOut()) as T;
    });

  return {
    serverTime: () => Date.parse(server.time),

    get: (resource, namespace, name) =>
      send(requestOf('get', resource, namespace, name), () => server.require(resource, namespace, name)),

    find: async (apiVersion, kind) => server.find(apiVersion, kind),

    list: <T>(resource: Resource, options: ListOptions = {}) =>
      send<KubeList<T>>({ ...requestOf('list', resource, options.namespace), ...selectorOf(options) }, () => {
        const items = server.store.all(resource).filter(matching(resource, options));
        const isCustom = server.kindOf(resource).isCustom;
        return { items: isCustom ? items : items.map(asListed), resourceVersion: String(server.store.version) };
      }),

    create: async (resource, namespace, body, { fieldManager, dryRun = false, isLate } = {}) => {
      const name = nameIn(body);
      if (isLate?.() === true) throw notSent(`creation of ${name}`);
      return send({ ...requestOf('create', resource, namespace, name), body }, () => {
        const kind = server.kindOf(resource);
        refuseNamespace(kind, metadataIn(body)['namespace'], namespace);
        const own = name ?? server.newName(prefixIn(resource, body));
        const birth = server.birth(resource, namespace, own);
        const object = created(kind, body, birth, writeOf(server, fieldManager));
        if (server.store.get(resource, namespace, own) !== undefined) throw alreadyExists(resource, own);
        return dryRun ? unstored(object) : server.commit(kind, undefined, object);
      });
    },

    apply: async (
      resource,
      namespace,
      name,
      body,
      { fieldManager, dryRun = false, force = true, subresource, isLate },
    ) => {
      if (isLate?.() === true) throw notSent(`apply of ${name}`);
      return send({ ...requestOf('apply', resource, namespace, name, subresource), body }, () => {
        const kind = server.kindOf(resource);
        // A subresource is of an object that is there.
        const existing =
          subresource === undefined
            ? server.store.get(resource, namespace, name)
            : server.require(resource, namespace, name);
        const birth = server.birth(resource, namespace, name);
        const next = applied(kind, existing, body, { ...writeOf(server, fieldManager, subresource), force, birth });
        return dryRun ? next : server.commit(kind, existing, next);
      });
    },

    mergePatch: (resource, namespace, name, body, { fieldManager, dryRun = false, subresource } = {}) =>
      send({ ...requestOf('mergePatch', resource, namespace, name, subresource), body }, () => {
        const kind = server.kindOf(resource);
        const existing = server.require(resource, namespace, name);
        const next = merged(kind, existing, body, writeOf(server, fieldManager, subresource));
        const stored = dryRun ? next : server.commit(kind, existing, next);
        return subresource === 'scale' ? scaleOf(stored) : stored;
      }),

    jsonPatch: (resource, namespace, name, body, { fieldManager } = {}) =>
      send({ ...requestOf('jsonPatch', resource, namespace, name), body }, () => {
        const kind = server.kindOf(resource);
        const existing = server.require(resource, namespace, name);
        return server.commit(kind, existing, patched(kind, existing, stepsIn(body), writeOf(server, fieldManager)));
      }),

    delete: (resource, namespace, name, options = {}) =>
      send({ ...requestOf('delete', resource, namespace, name), body: options }, () =>
        server.remove(server.kindOf(resource), server.require(resource, namespace, name), options),
      ),

    evict: async ({ namespace, name, uid }, isLate) => {
      if (isLate()) throw notSent(`eviction of ${name}`);
      const request = { ...requestOf('create', PODS, namespace, name, 'eviction'), body: { uid } };
      await send(request, () => evict(server, { namespace, name, uid }));
    },

    removePod: async ({ namespace, name, uid }, gracePeriodSeconds, isLate) => {
      if (isLate()) throw notSent(`deletion of ${name}`);
      const body = { uid, gracePeriodSeconds };
      await send({ ...requestOf('delete', PODS, namespace, name), body }, () =>
        server.remove(server.kindOf(PODS), server.require(PODS, namespace, name), body),
      );
    },
  };
}

function requestOf(
  verb: KubeRequest['verb'],
  resource: Resource,
  namespace: string | undefined,
  name?: string,
  subresource?: string,
): KubeRequest {
  return {
    verb,
    resource,
    ...given({ namespace, name, subresource }),
  };
}

function selectorOf({ labelSelector }: { readonly labelSelector?: string }): { readonly labelSelector?: string } {
  return given({ labelSelector });
}

function writeOf(server: Registry, manager = NO_NAME, subresource?: 'status' | 'scale'): Write {
  return { manager, time: server.time, ...given({ subresource }) };
}

/** The items of a list of a built-in kind do not say what they are. */
function asListed({ apiVersion: _version, kind: _kind, ...item }: KubeObject): object {
  return item;
}

/** What was not stored has no version. */
function unstored({ metadata: { resourceVersion: _none, ...metadata }, ...parts }: KubeObject): object {
  return { ...parts, metadata };
}

function metadataIn(body: object): Readonly<Record<string, unknown>> {
  const { metadata } = body as { readonly metadata?: unknown };
  return isFields(metadata) ? metadata : {};
}

function nameIn(body: object): string | undefined {
  const { name } = metadataIn(body);
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function prefixIn(resource: Resource, body: object): string {
  const { generateName } = metadataIn(body);
  if (typeof generateName === 'string') return generateName;
  throw invalid(resource, '', 'metadata.name: Required value: name or generateName is required');
}

function stepsIn(body: readonly object[]): readonly PatchStep[] {
  const known: ReadonlySet<unknown> = new Set(['add', 'remove', 'replace', 'test']);
  const steps = body as readonly PatchStep[];
  const stranger = steps.find(({ op }) => !known.has(op));
  if (stranger !== undefined) throw refusedPatch(`Unexpected kind: ${stranger.op}`);
  return steps;
}
