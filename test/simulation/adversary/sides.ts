import type { KubeRequest } from '../../world/kubernetes/request.ts';
import type { Fault } from './disturbances.ts';

/** What a call goes to; `core`: what a worker answers Temporal. */
export type Side = 'kube' | 'cloud' | 'temporal' | 'core';

/** What the call that makes this request is known by. */
export function nameOf({ verb, resource, subresource }: KubeRequest): string {
  return `kube ${verb} ${resource.plural}${subresource === undefined ? '' : `/${subresource}`}`;
}

export function sideOf(what: string): Side {
  const [side = ''] = what.split(' ');
  return side === 'kube' || side === 'cloud' || side === 'temporal' ? side : 'core';
}

/** Whether a call can meet a fault. */
export function canMeet(what: string, fault: Fault): boolean {
  // The worker tells the server until it answers: that it comes late is nothing else than that it is lost.
  if (sideOf(what) === 'core') return fault !== 'refused' && fault !== 'late effect' && fault !== 'sent twice';
  // What must not be done twice goes over a connection of its own, which is cut or not; a watch is a connection.
  return fault !== 'sent twice' || !(['cloud launch', 'cloud reboot'].includes(what) || what.startsWith('kube watch'));
}
