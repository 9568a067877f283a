import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { Outage } from '../machine-health-check/health-activities.ts';

/** The API server is away, or was. No time between the two: it answers, and what lasted until then is over. */
export const apiServerAwaySignal = defineSignal<[Outage]>('apiServerAway');

/** The API server's outages, the oldest first. */
export const outagesQuery = defineQuery<readonly Outage[]>('outages');
