import type { Random } from '../time/random.ts';
import { ABORT_DEEDS } from './abort-deeds.ts';
import { CLOUD_DEEDS } from './cloud-deeds.ts';
import { CONTROL_PLANE_DEEDS } from './control-plane.ts';
import { DEPLOYMENT_DEEDS } from './deployment-deeds.ts';
import { DRAIN_DEEDS } from './drain-deeds.ts';
import { HEALTH_DEEDS } from './health-deeds.ts';
import { MACHINE_DEEDS } from './machine-deeds.ts';
import { NODE_DEEDS } from './node-deeds.ts';
import { OPERATOR_DEEDS } from './operator-deeds.ts';
import { ROLLOUT_DEEDS } from './rollout-deeds.ts';
import { SET_DEEDS } from './set-deeds.ts';
import { SETTINGS_DEEDS } from './settings-deeds.ts';
import { SHARED_DEEDS } from './shared-deeds.ts';
import { STALL_DEEDS } from './stall-deeds.ts';
import { STEP_DEEDS } from './step-deeds.ts';

/** What people can do. */
export const DEEDS = {
  ...MACHINE_DEEDS,
  ...SET_DEEDS,
  ...SHARED_DEEDS,
  ...CLOUD_DEEDS,
  ...OPERATOR_DEEDS,
  ...DRAIN_DEEDS,
  ...DEPLOYMENT_DEEDS,
  ...ABORT_DEEDS,
  ...NODE_DEEDS,
  ...CONTROL_PLANE_DEEDS,
  ...HEALTH_DEEDS,
  ...ROLLOUT_DEEDS,
  ...SETTINGS_DEEDS,
  ...STALL_DEEDS,
  ...STEP_DEEDS,
};
export type Deed = keyof typeof DEEDS;

export interface Habits {
  /** What people do, and how often beside the others. */
  readonly deeds: Readonly<Partial<Record<Deed, number>>>;
  /** Deeds a minute. */
  readonly perMinute: number;
  readonly mostReplicas: number;
}

/** What somebody does next; undefined: they have no habits. */
export function drawDeed(random: Random, { deeds }: Habits): Deed | undefined {
  const entries = Object.entries(deeds) as [Deed, number][];
  let at = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  return entries.find(([, weight]) => (at -= weight) < 0)?.[0];
}
