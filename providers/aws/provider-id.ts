/** What a Node of EC2 carries in `spec.providerID`. */

/** As the cloud provider of Kubernetes writes it. */
export function providerIDOf(zone: string, instanceId: string): string {
  return `aws:///${zone}/${instanceId}`;
}

/**
 * The instance's id: of `aws:///<zone>/<id>`, of `aws:///<region>/<id>` as the Machine Controller Manager writes it, or
 * the id itself.
 */
export function instanceIdOf(idOrProviderID: string): string {
  return idOrProviderID.split('/').at(-1) ?? '';
}

/** An id as EC2 gives them, of 8 digits or, since 2016, of 17. In a filter other texts may mean several: `*` means all. */
export function isInstanceId(id: string): boolean {
  return /^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$/.test(id);
}

/** Region of an availability, local or wavelength zone, e.g. of us-west-2-lax-1a; undefined: it is no zone's name. */
export function regionOfZone(zone: string): string | undefined {
  return /^([a-z]{2,}(?:-[a-z]+)+-\d+)(?:[a-z]$|-[a-z])/.exec(zone)?.[1];
}

/** A wavelength zone hands out carrier addresses where others hand out public ones. */
export function isWavelengthZone(zone: string): boolean {
  return /-wlz-\d+[a-z]?$/.test(zone);
}
