/** The group has CRDs that are somebody else's. Nothing was changed. */
export class ForeignApiError extends Error {
  override readonly name = 'ForeignApiError';
}

/** A controller that acts on the same objects runs, or may run. Nothing was changed. */
export class ControllerRunningError extends Error {
  override readonly name = 'ControllerRunningError';
}

/** A take-over began and did not end: nothing may be resumed yet. */
export class TakeOverUnfinishedError extends Error {
  override readonly name = 'TakeOverUnfinishedError';
}

/** The API server lacks something that an installation needs. Nothing was changed. */
export class UnsupportedClusterError extends Error {
  override readonly name = 'UnsupportedClusterError';
}

/** What was applied did not come into force in time. Installing again goes on from there. */
export class InstallTimeoutError extends Error {
  override readonly name = 'InstallTimeoutError';
}
