/** A request to the Kubernetes API that failed: what was attempted, on what, and what came back. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** `reason` of the API's Status object, e.g. `NotFound`, `Conflict`, `Invalid`; `Unreachable` without an answer. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.reason = reason;
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404;
}

/** The object is not the one that was meant: another uid, or changed since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && error.reason !== 'AlreadyExists';
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof KubeError && error.reason === 'AlreadyExists';
}

/** No answer, or one that says that it is the API server's trouble: it may work a moment later. */
export function isPassing(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** What was asked for cannot be: a `test` of a JSON patch that fails, or an object that a rule refuses. */
export function isInvalid(error: unknown): boolean {
  return error instanceof KubeError && error.status === 422;
}
