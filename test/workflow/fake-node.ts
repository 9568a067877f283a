import type { NodeSighting } from '../../workflows/machine/machine-activities.ts';

/** A Node in memory. */
export interface FakeNode {
  readonly name: string;
  readonly uid: string;
  readonly providerID: string;
  ready: 'True' | 'False' | 'Unknown';
  inSync: boolean;
}

/** What an activity tells a workflow of it. */
export function sightingOf({ name, uid, ready, inSync }: FakeNode): NodeSighting {
  return { name, uid, ready, readySince: '2026-01-01T00:00:00Z', readyMessage: 'kubelet is posting', inSync };
}
