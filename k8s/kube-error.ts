/** Reason of a 404 that is no word on the object: its kind is not served right now, or a proxy on the way answered. */
export const NOT_SERVED = 'NotServed';

/** Reason of a request that nobody got. */
const NOT_SENT = 'NotSent';

/** What the API's Status object tells beside its words. */
export interface KubeErrorDetails {
  /** Of the object that refused, which need not be the one asked for. */
  readonly kind?: string;
  readonly name?: string;
  /** Words for programs, e.g. `DisruptionBudget`, each with a sentence. */
  readonly causes?: readonly { readonly reason: string; readonly message: string }[];
  /** When to ask again. */
  readonly retryAfterSeconds?: number;
}

/** A request to the Kubernetes API that failed: what was attempted, on what, and what came back. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /**
   * `reason` of the API's Status object, e.g. `NotFound`, `Conflict`, `Invalid`; `Unreachable` without an answer;
   * {@link NOT_SENT} where it was too late for it;
   * {@link NOT_SERVED} for a 404 that does not say that the object asked for is missing.
   */
  readonly reason: string;
  readonly details: KubeErrorDetails;

  constructor(
    status: number,
    reason: string,
    message: string,
    { details = {}, ...options }: ErrorOptions & { readonly details?: KubeErrorDetails } = {},
  ) {
    super(message, options);
    this.details = details;
    this.status = status;
    this.reason = reason;
  }
}

/** A request that was not sent, as its time was over. */
export function notSent(what: string): KubeError {
  return new KubeError(0, NOT_SENT, `${what}: not sent, as its time was over before its turn came`);
}

export function isNotSent(error: unknown): boolean {
  return error instanceof KubeError && error.status === 0 && error.reason === NOT_SENT;
}

/** The API server says that there is no such object: the one answer that proves it. */
export function isNotFound(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404 && error.reason === 'NotFound';
}

/** What is read, or done to, one object; undefined where there is no such object. */
export async function unlessGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A 404 that proves nothing about any object. */
export function isNotServed(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404 && error.reason === NOT_SERVED;
}

/** The object is not the one that was meant: another uid, or changed since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && error.reason !== 'AlreadyExists';
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof KubeError && error.reason === 'AlreadyExists';
}

/** No answer, or one that says nothing about what was asked for: it may work a moment later. */
export function isPassing(error: unknown): error is KubeError {
  if (!(error instanceof KubeError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 500 || isNotServed(error);
}

/** Answers by which the API server refuses a request for good, until somebody changes something: RBAC, webhooks, limits. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 413, 422]);

export function isRefusal(error: unknown): error is KubeError {
  return error instanceof KubeError && REFUSALS.has(error.status);
}

/** What was asked for cannot be: a `test` of a JSON patch that fails, or an object that a rule refuses. */
export function isInvalid(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 422;
}
