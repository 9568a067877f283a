/** The status of an object as a look has seen it: a write of what follows from that look is for no later one. */
export interface SeenStatus {
  /** The object's `resourceVersion`. */
  readonly version: string;
  /** Digest of the status. */
  readonly status: string;
}
