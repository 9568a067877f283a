/** The sources are ES modules in TypeScript; swc strips the types, `node --experimental-vm-modules` runs the rest. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }] },
  roots: ['<rootDir>/test', '<rootDir>/workflows', '<rootDir>/activities', '<rootDir>/providers', '<rootDir>/k8s', '<rootDir>/starters', '<rootDir>/workers', '<rootDir>/devstack'],
  testMatch: ['**/*.test.ts'],
};
