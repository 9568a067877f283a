import { ONE_BY_ONE, SIDE_BY_SIDE } from './test/integration-lanes.js';

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
const [sideBySide, oneByOne] = [SIDE_BY_SIDE, ONE_BY_ONE].map((paths) => paths.map((path) => `<rootDir>/${path}`));
const integration = {
  ...shared,
  roots: ['<rootDir>/test/integration'],
  // By its ending jest imports it. It would require any other, which what awaits at its top level does not stand.
  globalSetup: '<rootDir>/test/integration/start-stack.mts',
  globalTeardown: '<rootDir>/test/integration/stop-stack.ts',
};
const besideOthers = { ...integration, testEnvironment: '<rootDir>/test/integration/patient-environment.js' };
const sources = ['workflows', 'activities', 'providers', 'k8s', 'starters', 'process', 'workers', 'devstack', 'tools'];

export default {
  testSequencer: '<rootDir>/test/integration-lanes.js',
  // Of each hook and test that names no other: on a busy machine a server may take ten seconds to end. Projects cannot set it.
  testTimeout: 60_000,
  // Of the tests of one file that say so: these wait, and hardly do anything.
  maxConcurrency: 8,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      roots: [
        ...sources.map((folder) => `<rootDir>/${folder}`),
        '<rootDir>/test/workflow',
        '<rootDir>/test/world',
        '<rootDir>/test/second-api',
        '<rootDir>/test/hello-kind',
        '<rootDir>/test/replay',
        '<rootDir>/test/simulation',
        '<rootDir>/test/bench',
        '<rootDir>/test/mutation',
      ],
      testMatch: ['**/*.test.ts'],
    },
    { ...besideOthers, displayName: 'integration-side-by-side', testMatch: sideBySide },
    { ...besideOthers, displayName: 'integration-one-by-one', testMatch: oneByOne },
    {
      ...integration,
      displayName: 'integration',
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...sideBySide, ...oneByOne],
    },
  ],
};
