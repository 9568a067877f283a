import { given, unlessEmpty } from '../providers/given.ts';
import { KubeError, NOT_SERVED, type KubeErrorDetails } from './kube-error.ts';
import type { Resource } from './resources.ts';

/** What a request is about: `name` is missing where it is about a collection. */
export interface RequestTarget {
  readonly resource: Resource;
  readonly name?: string;
}

/** The API's Status object, as far as it is read. */
interface Status {
  readonly kind?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: {
    readonly name?: unknown;
    readonly group?: unknown;
    readonly kind?: unknown;
    readonly causes?: unknown;
    readonly retryAfterSeconds?: unknown;
  } | null;
}

interface Cause {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly field?: unknown;
}

/**
 * An answer that tells of a failure.
 * @param what for the message: method and path
 * @param text body of the answer
 */
export function readFailure(what: string, target: RequestTarget, status: number, text: string): KubeError {
  const answer = parseStatus(text);
  if (answer === undefined) {
    const reason = status === 404 ? NOT_SERVED : String(status);
    return new KubeError(status, reason, `${what}: ${status} ${text.slice(0, 200)}`.trim());
  }
  const reason = typeof answer.reason === 'string' ? answer.reason : String(status);
  const message = typeof answer.message === 'string' ? answer.message : '';
  if (status === 422 && isOfAnother(answer)) return new KubeError(409, 'Conflict', `${what}: ${message}`);
  const isWord = status !== 404 || isWordOnObject(answer, target);
  const details = readDetails(answer);
  return new KubeError(status, isWord ? reason : NOT_SERVED, `${what}: ${status} ${message}`.trim(), { details });
}

/** An answer with a code of success may tell of a failure all the same: the Eviction API gives such. */
export function readHiddenFailure(what: string, target: RequestTarget, text: string): KubeError | undefined {
  const { status, code } = (parseStatus(text) ?? {}) as { readonly status?: unknown; readonly code?: unknown };
  if (status !== 'Failure') return undefined;
  return readFailure(what, target, typeof code === 'number' ? code : 500, text);
}

function readDetails({ details }: Status): KubeErrorDetails {
  const { kind, name, retryAfterSeconds } = details ?? {};
  const causes = causesOf(details).map(({ reason, message }) => ({ reason: textOf(reason), message: textOf(message) }));
  return given({
    kind: typeof kind === 'string' ? kind : undefined,
    name: typeof name === 'string' ? name : undefined,
    causes: unlessEmpty(causes),
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function causesOf(details: Status['details']): readonly Cause[] {
  const causes = Array.isArray(details?.causes) ? (details.causes as readonly unknown[]) : [];
  return causes.filter((cause): cause is Cause => typeof cause === 'object' && cause !== null);
}

function parseStatus(text: string): Status | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a 404 is the API server's own about an object, and, where the request names one, about that one. A kind that is not
 * served (its definition was removed, or is not in force yet), a path that nobody serves and a proxy's page are 404 as well.
 */
function isWordOnObject({ kind, reason, details }: Status, { resource, name }: RequestTarget): boolean {
  if (kind !== 'Status' || reason !== 'NotFound' || typeof details?.name !== 'string' || details.name === '')
    return false;
  if (name === undefined) return true;
  const group = resource.apiVersion.includes('/') ? resource.apiVersion.split('/')[0] : '';
  return details.name === name && details.kind === resource.plural && (details.group ?? '') === group;
}

/** To a write that names another uid the API server says that nobody may change the uid: the object is not the one meant. */
function isOfAnother({ details }: Status): boolean {
  return causesOf(details).some(({ field }) => field === 'metadata.uid');
}
