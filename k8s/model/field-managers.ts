/** Owner of the fields of a Machine that its workflow writes. */
export const MACHINE_FIELD_MANAGER = 'millwright-machine';
