/** Whose a MachineSet's writes are, in `managedFields`. */
export const SET_FIELD_MANAGER = 'millwright-machine-set';
