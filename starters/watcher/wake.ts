import type { ObjectRef } from '../../k8s/model/object-ref.ts';

/** The workflow of an object, to wake. */
export interface Wake {
  readonly target: ObjectRef;
  /**
   * What changed: the object itself, which may be gone; one of its machines; one that goes, of a set that misses one; its Node, the pods on
   * that, its class, its Cluster; how many there are of what it counts; what a check of health goes by; what a rollout goes by.
   */
  readonly because:
    | 'object'
    | 'gone'
    | 'machine'
    | 'place'
    | 'rollout'
    | 'node'
    | 'pods'
    | 'class'
    | 'cluster'
    | 'count'
    | 'health';
}

/** Each of these once. */
export function wakeEach(targets: readonly ObjectRef[], because: Wake['because']): Wake[] {
  const once = new Map(targets.map((ref) => [ref.uid, ref]));
  return [...once.values()].map((target) => ({ target, because }));
}

/**
 * Whom a change wakes; nothing else wakes anybody. `before` is missing where the object is new, `after` where it is gone.
 * An object that was deleted and made again under its name is two changes. The index knows `after` already.
 */
export interface Change<Facts> {
  readonly before?: Facts | undefined;
  readonly after?: Facts | undefined;
}
