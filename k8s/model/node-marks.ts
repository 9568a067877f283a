import { given } from '../../providers/given.ts';
import type { Taint } from './machine.ts';
import { MARKS_ANNOTATION, type Node } from './node.ts';

type Texts = Readonly<Record<string, string>>;

/** What we put on a Node, as we put it. It stands on the Node itself: written with the same request, and lost with it. */
export interface Marks {
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly taints: readonly Taint[];
  /**
   * What annotations of ours were written over: it comes back when they go. Not of labels: a kubelet may write this record, and by it would
   * have us write labels to its Node that it must not write.
   */
  readonly before: Texts;
}

/** What of a Node is as we put it, and what should be. */
export function readMarks({ metadata }: Pick<Node, 'metadata'>): Marks {
  const { labels, annotations, taints, before } = parse(metadata.annotations?.[MARKS_ANNOTATION]);
  return {
    labels: textsOf(labels),
    annotations: textsOf(annotations),
    taints: taintsOf(taints),
    before: textsOf(before),
  };
}

/** What somebody has spoiled counts as nothing: then all that is there stays. */
function parse(text = '{}'): Partial<Record<keyof Marks, unknown>> {
  try {
    return Object(JSON.parse(text)) as Partial<Record<keyof Marks, unknown>>;
  } catch {
    return {};
  }
}

function textsOf(value: unknown): Texts {
  const entries = Object.entries(Object(value) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function taintsOf(value: unknown): Taint[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: unknown) => {
    const { key, value: of, effect } = Object(one) as Readonly<Record<string, unknown>>;
    if (typeof key !== 'string' || typeof effect !== 'string') return [];
    return [{ key, effect, ...given({ value: typeof of === 'string' ? of : undefined }) }];
  });
}
