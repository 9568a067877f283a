/** What the simulated cloud has on offer, and whether a spec asks for more. */

import { Ajv } from 'ajv';
import { compiledLater } from '../compiled-later.ts';
import { invalidField, shortJson } from '../invalid-spec.ts';
import type { ProviderSpec } from './provider-spec.ts';

/** Answer of `GET /catalog`. In the patterns `*` stands for one or more letters, digits, dots, dashes, underscores. */
export interface Catalog {
  readonly region: string;
  readonly zones: readonly string[];
  readonly instanceTypes: readonly string[];
  readonly images: readonly string[];
  /** What an instance of each type has; absent: the cloud does not tell. */
  readonly instances?: { readonly cpus: number; readonly memoryMib: number; readonly diskGib: number };
}

const patterns = { type: 'array', items: { type: 'string' } };
const amount = { type: 'number', exclusiveMinimum: 0 };
const instances = {
  type: 'object',
  required: ['cpus', 'memoryMib', 'diskGib'],
  properties: { cpus: amount, memoryMib: amount, diskGib: amount },
};

export const isCatalog = compiledLater(() =>
  new Ajv().compile<Catalog>({
    type: 'object',
    required: ['region', 'zones', 'instanceTypes', 'images'],
    properties: { region: { type: 'string' }, zones: patterns, instanceTypes: patterns, images: patterns, instances },
  }),
);

export function isOffered(offered: readonly string[], value: string): boolean {
  return offered.some((pattern) => {
    const literals = pattern.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, String.raw`\$&`));
    return new RegExp(`^${literals.join('[A-Za-z0-9._-]+')}$`).test(value);
  });
}

/** @throws ProviderError InvalidArgument for the first field that asks for what does not exist */
export function checkSpecOffered(catalog: Catalog, spec: ProviderSpec): void {
  const wanted = [
    { name: 'region', value: spec.region, offered: [catalog.region] },
    { name: 'zone', value: spec.zone, offered: catalog.zones },
    { name: 'instanceType', value: spec.instanceType, offered: catalog.instanceTypes },
    { name: 'image', value: spec.image, offered: catalog.images },
  ];
  for (const { name, value, offered } of wanted) {
    if (isOffered(offered, value)) continue;
    const field = `providerSpec.value.${name}`;
    throw invalidField(field, `${field}: ${shortJson(value)} does not exist; there is: ${offered.join(', ')}`);
  }
}
