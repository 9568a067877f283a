import type { Resource } from '../../../k8s/resources.ts';
import { CliError } from '../cli-error.ts';

interface Named<K> {
  readonly name: string;
  /** Those that are meant. */
  readonly kinds: readonly K[];
}

/**
 * Takes apart how an object is named: by its name, or where several kinds have that, as kubectl does, by KIND/NAME or KIND.GROUP/NAME.
 *
 * @param kinds of the role that is asked for
 */
export function kindsNamed<K extends { readonly resource: Resource }>(argument: string, kinds: readonly K[]): Named<K> {
  const slash = argument.indexOf('/');
  if (slash < 0) return { name: argument, kinds };
  const type = argument.slice(0, slash).toLowerCase();
  const meant = kinds.filter(({ resource }) => typesOf(resource).includes(type));
  if (meant.length > 0) return { name: argument.slice(slash + 1), kinds: meant };
  const known = kinds.map(({ resource }) => typeOf(resource)).join(', ');
  throw new CliError(
    `could not read ${argument}: ${type} is none of the kinds that are meant here, which are ${known}`,
  );
}

/** As `kubectl get -o name` prints it: no other object of the namespace is named so. */
export function nameInFull({ resource }: { readonly resource: Resource }, name: string): string {
  return `${typeOf(resource)}/${name}`;
}

function typesOf(resource: Resource): string[] {
  const words = [resource.kind.toLowerCase(), resource.plural];
  return words.flatMap((word) => [word, `${word}.${groupOf(resource)}`]);
}

function typeOf(resource: Resource): string {
  return `${resource.kind.toLowerCase()}.${groupOf(resource)}`;
}

function groupOf({ apiVersion }: Resource): string {
  return apiVersion.split('/')[0] ?? apiVersion;
}
