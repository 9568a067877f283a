/** The sources are ES modules in TypeScript; swc strips the types, `node --experimental-vm-modules` runs the rest. */
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
};
const sources = ['workflows', 'activities', 'providers', 'k8s', 'starters', 'workers', 'devstack'];

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      roots: [...sources.map((folder) => `<rootDir>/${folder}`), '<rootDir>/test/workflow', '<rootDir>/test/replay'],
      testMatch: ['**/*.test.ts'],
    },
    {
      ...shared,
      displayName: 'integration',
      roots: ['<rootDir>/test/integration'],
      testMatch: ['**/*.test.ts'],
      globalSetup: '<rootDir>/test/integration/start-stack.ts',
      globalTeardown: '<rootDir>/test/integration/stop-stack.ts',
    },
  ],
};
