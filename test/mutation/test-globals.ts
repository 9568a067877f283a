import { ModuleMocker } from 'jest-mock';

/** What tests import from `@jest/globals`, of the same packages, without Jest around them. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from 'jest-circus';
export { expect } from 'expect';

export const jest = new ModuleMocker(globalThis);
