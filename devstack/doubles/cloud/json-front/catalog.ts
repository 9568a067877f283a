/** What the simulated cloud has on offer, and the refusals for what it has not. */

import { isOffered } from '../../../../providers/simulated/catalog.ts';
import type { Catalog } from '../../../../providers/simulated/catalog.ts';
import { CloudError } from '../cloud-error.ts';
import type { LaunchCall } from './requests.ts';

export function createCatalog(region: string): Catalog {
  return {
    region,
    zones: ['zone-a', 'zone-b', 'zone-c'],
    instanceTypes: ['sim.*'],
    images: ['image-*'],
    // As the hollow Nodes have them, whatever the type.
    instances: { cpus: 4, memoryMib: 16_384, diskGib: 100 },
  };
}

/** Throws a {@link CloudError} that names the first field that is not on offer. */
export function checkOffered(catalog: Catalog, call: LaunchCall): void {
  const checks = [
    { code: 'InvalidRegion', field: 'region', value: call.region ?? catalog.region, offered: [catalog.region] },
    { code: 'InvalidZone.NotFound', field: 'zone', value: call.zone, offered: catalog.zones },
    { code: 'InvalidInstanceType', field: 'instanceType', value: call.instanceType, offered: catalog.instanceTypes },
    { code: 'InvalidImageID.NotFound', field: 'image', value: call.image, offered: catalog.images },
  ];
  for (const { code, field, value, offered } of checks) {
    if (isOffered(offered, value)) continue;
    throw new CloudError(code, `${field} "${value}" does not exist; there is: ${offered.join(', ')}`, { field });
  }
}
