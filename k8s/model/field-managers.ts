/** Owner of the fields of a Machine that its workflow writes. */
export const MACHINE_FIELD_MANAGER = 'millwright-machine';

/** Owner of what a MachineSet writes: the Machines that it creates, and its own status. */
export const SET_FIELD_MANAGER = 'millwright-machine-set';
