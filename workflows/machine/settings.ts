import type { HealthSettings } from '../machine-health-check/settings.ts';

/** The times a machine's workflow goes by, and those of all others. */
export interface MachineSettings extends HealthSettings {
  /** From the launch's first call until the Node must have joined; then the Machine is Failed. A Machine's own value
   * wins. Seconds. @default 1200 */
  readonly creationTimeoutSeconds: number;
  /** From the cloud's first word that it has no room until the Machine is Failed, where cluster-autoscaler sizes its set.
   * Seconds. @default 60 */
  readonly capacityFailureAfterSeconds: number;
  /** Time limit of one activity that calls the cloud to change something, as a launch; longer than the provider's request time-out. Seconds. @default 60 */
  readonly callTimeoutSeconds: number;
  /** Silence after which an activity's worker counts as dead. Seconds. @default 5 */
  readonly heartbeatSeconds: number;
  /** How long the cloud may take to show what it did: what a proof by look-ups has to span. Seconds. @default 300 */
  readonly consistencyWindowSeconds: number;
  /** A launch's first call is not repeated when it is older than this: its attempt is settled by look-ups. Well inside
   * the time a cloud remembers a token. Seconds. @default 3600 */
  readonly repeatLimitSeconds: number;
  /** An instance absent from three looks that span this is gone. Seconds. @default 300 */
  readonly goneWindowSeconds: number;
  /** From the Node's being Ready to the look that brings the instance's state and addresses up to date. Seconds.
   * @default 20 */
  readonly readyLookSeconds: number;
  /** First look after a termination was asked for; doubles up to 30 s. Seconds. @default 1 */
  readonly terminationLookSeconds: number;
}

export const DEFAULT_MACHINE_SETTINGS: MachineSettings = {
  creationTimeoutSeconds: 1200,
  capacityFailureAfterSeconds: 60,
  callTimeoutSeconds: 60,
  heartbeatSeconds: 5,
  consistencyWindowSeconds: 300,
  repeatLimitSeconds: 3600,
  goneWindowSeconds: 300,
  resyncSeconds: 21_600,
  readyLookSeconds: 20,
  terminationLookSeconds: 1,
  nodeMonitorGraceSeconds: 50,
  backoff: {
    soon: { first: 1, most: 60 },
    throttled: { first: 5, most: 300 },
    exhausted: { first: 60, most: 600 },
    denied: { first: 30, most: 600 },
    missing: { first: 5, most: 300 },
  },
};
