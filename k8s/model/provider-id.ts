/**
 * The id of the instance that a providerID names. A providerID is what a Node carries in `spec.providerID`:
 * `<cloud>://<where>/<id>`, e.g. `aws:///eu-central-1a/i-0abc`. Whatever the cloud, the id is its last segment.
 */
export function instanceIdOf(providerID: string | undefined): string | undefined {
  return providerID?.split('/').at(-1);
}
