import { BoundedMap } from '../providers/bounded-map.ts';
import { credentialsKey, type Credentials, type Provider } from '../providers/provider.ts';

/** Where instances are: a cloud, and whose credentials reach it there. */
export interface Place {
  readonly provider: Provider;
  readonly credentials: Credentials;
}

/** Places that are remembered; whoever writes Machines chooses their credentials. */
const MOST_PLACES = 1000;

/** The same text for the same place. */
export function placeKey({ provider, credentials }: Place): string {
  return `${provider.name} ${credentialsKey(credentials)}`;
}

/** What is made once for each place, when it is first asked for. */
export function onePerPlace<T>(make: (place: Place) => T): (place: Place) => T {
  const made = new BoundedMap<string, { readonly one: T }>(MOST_PLACES);
  return (place) => {
    const key = placeKey(place);
    const known = made.get(key) ?? { one: make(place) };
    made.set(key, known);
    return known.one;
  };
}
