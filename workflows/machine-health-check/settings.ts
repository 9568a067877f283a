import { entitySettingsOf, type EntitySettings } from '../settings.ts';

/** The times that the workflow of a health check goes by. */
export interface HealthSettings extends EntitySettings {
  /** So long after the API server was away nothing is remediated: the controller manager's `--node-monitor-grace-period`, in which
   * it sees which Nodes answer. Seconds. @default 50 */
  readonly nodeMonitorGraceSeconds: number;
}

/** Of more settings those of a health check's workflow. */
export function healthSettingsOf(settings: HealthSettings): HealthSettings {
  const { nodeMonitorGraceSeconds } = settings;
  return { ...entitySettingsOf(settings), nodeMonitorGraceSeconds };
}
