/** What the simulated cloud has on offer, and the refusals for what it has not. */

import { CloudError } from './cloud-error.ts';

/** Answer of `GET /catalog`. In the patterns `*` stands for one or more letters, digits, dots, dashes, underscores. */
export interface Catalog {
  readonly region: string;
  readonly zones: readonly string[];
  readonly instanceTypes: readonly string[];
  readonly images: readonly string[];
}

export function createCatalog(region: string): Catalog {
  return { region, zones: ['zone-a', 'zone-b', 'zone-c'], instanceTypes: ['sim.*'], images: ['image-*'] };
}

function matches(pattern: string, value: string): boolean {
  const source = pattern
    .split('*')
    .map((part) => part.replace(/[.\\+?^${}()|[\]]/g, String.raw`\$&`))
    .join('[A-Za-z0-9._-]+');
  return new RegExp(`^${source}$`).test(value);
}

/** What of a launch the catalog has a say in. */
export interface Wanted {
  readonly region?: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly image: string;
}

/** Throws a {@link CloudError} that names the first field that is not on offer. */
export function checkOffered(catalog: Catalog, wanted: Wanted): void {
  const checks = [
    { code: 'InvalidRegion', field: 'region', value: wanted.region ?? catalog.region, offered: [catalog.region] },
    { code: 'InvalidZone.NotFound', field: 'zone', value: wanted.zone, offered: catalog.zones },
    { code: 'InvalidInstanceType', field: 'instanceType', value: wanted.instanceType, offered: catalog.instanceTypes },
    { code: 'InvalidImageID.NotFound', field: 'image', value: wanted.image, offered: catalog.images },
  ];
  for (const { code, field, value, offered } of checks) {
    if (!offered.some((pattern) => matches(pattern, value))) {
      throw new CloudError(code, `${field} "${value}" does not exist; there is: ${offered.join(', ')}`, { field });
    }
  }
}
