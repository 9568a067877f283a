import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import { asCount, asDetails, asFacts, asMoment, asText } from '../markdown.ts';
import type { Retry } from '../retry.ts';
import type { FoundClass } from './machine-class-activities.ts';

/** What a class waits for: a sentence, shown with the timer. */
export function whyClassWaits({ isDeleting }: FoundClass, refused: Retry | undefined): string {
  if (refused !== undefined) return `the next try: ${refused.message}`;
  return isDeleting ? 'what refers to it to go' : 'a slow look at everything';
}

/** What the Temporal UI shows of a class: Markdown that answers "who uses it, and can machines be launched from it". */
export function describeClass(ref: ObjectRef, seen: FoundClass, refused: Retry | undefined): string {
  const { machines, machineSets, isDeleting, isHeld, problem } = seen;
  const { name, namespace } = ref;
  return asDetails([
    `${asCount(machines.count, 'machine', 'machines')} and ${asCount(machineSets.count, 'set', 'sets')} refer to it`,
    asFacts({
      Launches: isDeleting
        ? 'nothing more is launched from it: it is being deleted'
        : problem === undefined
          ? 'machines can be launched from it'
          : `nothing can be launched from it: ${asText(problem)}`,
      Held: isHeld ? 'it stays while something refers to it' : 'no',
      'Last error': refused === undefined ? 'none' : asText(refused.message),
      'Next try': refused === undefined ? undefined : asMoment(refused.until),
    }),
    `**Where to look:** \`kubectl describe machineclass -n ${namespace} ${name}\``,
  ]);
}
