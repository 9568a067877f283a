import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';

/**
 * What is not done to an object that is paused, and until when.
 *
 * @param held what is not done, e.g. `nothing is created or deleted`
 * @param pausedBy who is paused instead of it, e.g. its Cluster. @default it is itself, by the annotation
 */
export function describePause(held: string, pausedBy?: string): string {
  return pausedBy === undefined
    ? `annotation ${PAUSED_ANNOTATION} is set: ${held} until it is removed`
    : `${pausedBy} is paused: ${held} until it is not any more`;
}

/** The same, of one that a take-over has paused. */
export function describeTakeOver(held: string): string {
  return `\`millwright install --take-over\` has set the annotation ${PAUSED_ANNOTATION}: ${held} until \`millwright resume\` takes it off`;
}
