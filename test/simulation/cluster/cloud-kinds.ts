import type { Clock } from '../../../providers/clock.ts';
import type { CloudModel } from './cloud.ts';
import { ec2Cloud, warmUpSdk } from './ec2.ts';
import { simulatedCloud } from './simulated-cloud.ts';

/** The simulated cloud with client tokens or without, or EC2, all of whose machines are behind load balancers or none. */
export type CloudKind = 'tokens' | 'lookup' | 'ec2' | 'balanced';

/** One for all runs of a process. */
let sdk: Promise<void> | undefined;

/** To be awaited before a run's time begins. */
export async function prepareCloud(kind: CloudKind): Promise<void> {
  if (isEc2(kind)) await (sdk ??= warmUpSdk());
}

export function createCloud(kind: CloudKind, clock: Clock): CloudModel {
  return isEc2(kind) ? ec2Cloud(clock, kind === 'balanced') : simulatedCloud(clock, kind === 'tokens');
}

function isEc2(kind: CloudKind): boolean {
  return kind === 'ec2' || kind === 'balanced';
}
