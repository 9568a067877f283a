/** The providers of a worker, and which of them a Machine means. */

import { invalidField, shortJson } from './invalid-spec.ts';
import type { Provider } from './provider.ts';

export interface ProviderRegistry {
  readonly all: readonly Provider[];
  /**
   * The provider that serves this `spec.providerSpec.value`, by its `kind`.
   * @throws ProviderError InvalidArgument with the field `providerSpec.value.kind` (or `providerSpec.value`)
   */
  providerFor(providerSpec: unknown): Provider;
  /** The provider whose name is the scheme of this `spec.providerID`; undefined: none here is. */
  providerForProviderID(providerID: string): Provider | undefined;
  /** The provider of this name, as it stands in a Machine's status; undefined: it is not registered here. */
  byName(name: string): Provider | undefined;
}

/** @throws Error where two providers claim one name or one kind */
export function createProviderRegistry(providers: readonly Provider[]): ProviderRegistry {
  const byName = new Map<string, Provider>();
  const byKind = new Map<string, Provider>();
  for (const provider of providers) {
    claim(byName, provider.name, provider, 'name');
    for (const kind of provider.providerSpecKinds) claim(byKind, kind, provider, 'kind');
  }
  return {
    all: [...providers],
    providerFor: (providerSpec) => {
      if (typeof providerSpec !== 'object' || providerSpec === null || Array.isArray(providerSpec)) {
        const field = 'providerSpec.value';
        throw invalidField(field, `${field}: must be an object with a kind, is ${shortJson(providerSpec)}`);
      }
      const kind: unknown = 'kind' in providerSpec ? providerSpec.kind : undefined;
      const provider = typeof kind === 'string' ? byKind.get(kind) : undefined;
      if (provider !== undefined) return provider;
      const found = kind === undefined ? 'is missing' : `${shortJson(kind)} is of no provider of this worker`;
      const known = [...byKind.keys()].join(', ');
      throw invalidField('providerSpec.value.kind', `providerSpec.value.kind: ${found}; there is: ${known}`);
    },
    providerForProviderID: (providerID) => byName.get(/^([a-z][a-z0-9+.-]*):\/\//.exec(providerID)?.[1] ?? ''),
    byName: (name) => byName.get(name),
  };
}

function claim(index: Map<string, Provider>, key: string, provider: Provider, what: string): void {
  const other = index.get(key);
  if (other !== undefined)
    throw new Error(`two providers, ${other.name} and ${provider.name}, claim the ${what} ${key}`);
  index.set(key, provider);
}
