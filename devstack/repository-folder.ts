import { dirname } from 'node:path';

/** The checkout this file is part of. */
export const repositoryFolder = dirname(import.meta.dirname);
