import { defineSignal } from '@temporalio/workflow';

/** Something that concerns the object changed: look again. Carries nothing, so that any number of them is one look. */
export const changedSignal = defineSignal('changed');

/** The cloud's side of a machine differs from what is on record: look at the instance as well. */
export const inspectSignal = defineSignal('inspect');

/** The cloud shows more than one living instance of a machine: count them. */
export const recountSignal = defineSignal('recount');
