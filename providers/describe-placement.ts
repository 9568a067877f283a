import type { LaunchParameters } from './provider.ts';

/** For messages: `m5.large in eu-west-1a`, or as much of it as the cloud has. */
export function describePlacement({ instanceType, zone }: Pick<LaunchParameters, 'instanceType' | 'zone'>): string {
  const what = instanceType ?? 'an instance';
  return zone === undefined ? what : `${what} in ${zone}`;
}
