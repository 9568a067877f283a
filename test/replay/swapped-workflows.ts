import { bundleChanged, replaceOnce } from '../workflow/changed-workflows.ts';

/**
 * Bundles a copy of the workflows in which two steps have changed places.
 *
 * @param file where they are, from the root
 * @param first a line of that file, as it stands; it must occur once, and so must `second`
 */
export function bundleWithSwappedSteps(file: string, first: string, second: string): Promise<{ code: string }> {
  const placeholder = '/* first step */';
  return bundleChanged(file, (source) =>
    replaceOnce(replaceOnce(replaceOnce(source, first, placeholder), second, first), placeholder, second),
  );
}
