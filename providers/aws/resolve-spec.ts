/** From what a spec describes to ids: what a launch needs besides the spec itself. */

import { invalidField, shortJson } from '../invalid-spec.ts';
import type { Credentials } from '../provider.ts';
import type { Ec2Lookups, FoundImage, FoundSubnet } from './ec2-lookups.ts';
import { isEmpty } from './provider-spec.ts';
import type { ProviderSpec, ResourceReference, SpecFilter } from './provider-spec.ts';
import { idOf } from './resource-ids.ts';

export interface ResolvedSpec {
  readonly image: FoundImage;
  readonly subnet: FoundSubnet;
  /** Ids; none: the VPC's default group. */
  readonly securityGroups: readonly string[];
}

const VALUE = 'providerSpec.value';

/** @throws ProviderError InvalidArgument names the field that finds nothing or contradicts another */
export async function resolveSpec(
  lookups: Ec2Lookups,
  credentials: Credentials,
  spec: ProviderSpec,
): Promise<ResolvedSpec> {
  const [image, subnet] = await Promise.all([
    resolveImage(lookups, credentials, spec),
    resolveSubnet(lookups, credentials, spec),
  ]);
  const groups = (spec.securityGroups ?? []).map((group, index) =>
    resolveSecurityGroup(lookups, credentials, group, subnet, `${VALUE}.securityGroups[${index}]`),
  );
  return { image, subnet, securityGroups: [...new Set((await Promise.all(groups)).flat())] };
}

/** The zone that its instances will be in. */
export async function zoneOf(lookups: Ec2Lookups, credentials: Credentials, spec: ProviderSpec): Promise<string> {
  return spec.placement?.availabilityZone ?? (await resolveSubnet(lookups, credentials, spec)).zone;
}

/** An image that is given by its id is looked at only for the name of its root device. */
async function resolveImage(
  lookups: Ec2Lookups,
  credentials: Credentials,
  { ami, blockDevices = [] }: ProviderSpec,
): Promise<FoundImage> {
  const field = `${VALUE}.ami`;
  const id = idOf(ami, 'image', field);
  const rootIndex = blockDevices.findIndex(({ deviceName }) => deviceName === undefined);
  if (id !== undefined && rootIndex < 0) return { id };
  const image = await lookups.image({ credentials, field, ...soughtBy(id, ami.filters) });
  const { rootDeviceName } = image;
  if (rootIndex < 0) return { id: image.id };
  const device = `${VALUE}.blockDevices[${rootIndex}].deviceName`;
  if (rootDeviceName === undefined) throw invalidField(device, `${device}: image ${image.id} has no root device`);
  const twice = blockDevices.findIndex(({ deviceName }) => deviceName === rootDeviceName);
  if (twice >= 0) {
    const other = `${VALUE}.blockDevices[${twice}].deviceName`;
    throw invalidField(other, `${other}: ${rootDeviceName} is the root device, which blockDevices[${rootIndex}] means`);
  }
  return image;
}

async function resolveSubnet(
  lookups: Ec2Lookups,
  credentials: Credentials,
  { subnet: reference = {}, placement }: ProviderSpec,
): Promise<FoundSubnet> {
  const field = `${VALUE}.subnet`;
  const zone = placement?.availabilityZone;
  const inZone: SpecFilter[] = zone === undefined ? [] : [{ name: 'availability-zone', values: [zone] }];
  if (isEmpty(reference)) {
    if (zone === undefined)
      throw invalidField(field, `${field}: is required where placement names no availabilityZone`);
    const filters = [...inZone, { name: 'default-for-az', values: ['true'] }];
    return lookups.subnet({ credentials, field, filters });
  }
  const id = idOf(reference, 'subnet', field);
  const byFilters = [...(reference.filters ?? []), ...inZone];
  const subnet = await lookups.subnet({ credentials, field, ...soughtBy(id, byFilters) });
  if (zone === undefined || zone === subnet.zone) return subnet;
  const zoneField = `${VALUE}.placement.availabilityZone`;
  throw invalidField(zoneField, `${zoneField}: is ${shortJson(zone)}, and subnet ${subnet.id} is in ${subnet.zone}`);
}

async function resolveSecurityGroup(
  lookups: Ec2Lookups,
  credentials: Credentials,
  reference: ResourceReference,
  { vpc }: FoundSubnet,
  field: string,
): Promise<readonly string[]> {
  const id = idOf(reference, 'security-group', field);
  if (id !== undefined) return [id];
  const filters = [...(reference.filters ?? []), { name: 'vpc-id', values: [vpc] }];
  return lookups.securityGroups({ credentials, field, filters });
}

function soughtBy(
  id: string | undefined,
  filters: readonly SpecFilter[] | undefined,
): { readonly id: string } | { readonly filters: readonly SpecFilter[] } {
  return id === undefined ? { filters: filters ?? [] } : { id };
}
