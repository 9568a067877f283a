/**
 * How many signals a run of a workflow had got when it asked for a step; the step's answer has it again, so that it is on record. Where a
 * step takes longer than a workflow task may, and the next task is lost, a signal that came during the step comes before it in a replay.
 */
export interface Heard {
  readonly heard?: number;
}
