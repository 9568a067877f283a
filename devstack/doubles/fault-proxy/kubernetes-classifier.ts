/** Requests to the Kubernetes API, by the form of their path. */

import { given } from '../../../providers/given.ts';
import { parseBody, pickText } from './proxied-request.ts';
import type { Classifier, ProxiedRequest } from './proxied-request.ts';
import type { ClassifiedRequest } from './request-point.ts';

const API_PATH = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.+?)\/?$/;

const JSON_PATCH = 'application/json-patch+json';

/** Parts of a path below a namespace that belong to the Namespace object itself. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

interface Target {
  readonly namespace: string;
  /** With its subresource. */
  readonly resource: string;
  readonly name: string;
}

/**
 * Verbs are the API's own: get, list, watch, create, update, patch, delete, deletecollection; and json-patch, for a patch of that
 * form: with one a finalizer goes, and how many other patches came before it differs from run to run. The object is
 * `namespace/name`, of a list the namespace, of a create the name in its body; Events, whose names are made up, count
 * for the object they are about. Discovery, health and version are not numbered.
 */
export function createKubernetesClassifier(): Classifier {
  return { classify: classifyKubernetes };
}

function classifyKubernetes(request: ProxiedRequest): ClassifiedRequest | undefined {
  const { pathname, searchParams } = new URL(request.url, 'http://kubernetes');
  const target = parsePath(pathname);
  if (target === undefined) return undefined;
  const watches = ['true', '1'].includes(searchParams.get('watch') ?? '');
  const follows = ['true', '1'].includes(searchParams.get('follow') ?? '');
  const verb = verbOf(request, target.name !== '', watches);
  if (verb === undefined) return undefined;
  return {
    verb,
    resource: target.resource,
    object: objectOf(request, target),
    ...given({ streams: watches || follows || undefined }),
  };
}

function parsePath(pathname: string): Target | undefined {
  const path = API_PATH.exec(pathname)?.[1];
  if (path === undefined) return undefined;
  const parts = path.split('/').map(decodeURIComponent);
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] ?? '');
  const [resource = '', name = '', ...subresource] = isNamespaced ? parts.slice(2) : parts;
  return {
    namespace: isNamespaced ? (parts[1] ?? '') : '',
    resource: [resource, ...subresource].join('/'),
    name,
  };
}

function verbOf({ method, headers }: ProxiedRequest, hasName: boolean, watches: boolean): string | undefined {
  switch (method) {
    case 'GET':
      if (watches) return 'watch';
      return hasName ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return headers['content-type']?.startsWith(JSON_PATCH) === true ? 'json-patch' : 'patch';
    case 'DELETE':
      return hasName ? 'delete' : 'deletecollection';
    default:
      return undefined;
  }
}

function objectOf(request: ProxiedRequest, { namespace, resource, name }: Target): string {
  const qualified = (objectName: string): string => [namespace, objectName].filter((part) => part !== '').join('/');
  if (resource === 'events' && name !== '') return qualified(name.replace(/\.[^.]*$/, ''));
  if (name !== '' || request.method !== 'POST') return qualified(name);
  const body = parseBody(request);
  if (resource === 'events') {
    return qualified(pickText(body, 'regarding', 'name') || pickText(body, 'involvedObject', 'name'));
  }
  const generated = pickText(body, 'metadata', 'generateName');
  return qualified(pickText(body, 'metadata', 'name') || (generated === '' ? '' : `${generated}*`));
}
