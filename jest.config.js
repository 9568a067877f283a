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
/**
 * Integration tests that mostly wait, and that do not mind a busy machine or others on the same servers: a few of them run
 * at the same time. None of them may change how the simulated cloud treats others (outages, tokens), nor need the
 * inventory; and one kill matrix is enough, since each keeps two cores busy. All others run one after another, since they
 * measure times and writes, change what is there only once (the definitions of our kinds, the inventory), or keep the machine
 * busy by themselves.
 */
const sideBySide = [
  'api/install',
  'aws/kill-on-ec2',
  'aws/secrets',
  'bench/bench',
  'hostile/bad-input',
  'lifecycle/machine-deletion',
  'lifecycle/machine-set',
  'lifecycle/machine-set-autoscaler',
  'lifecycle/machine-set-refusals',
  'lifecycle/machine-trouble',
  'outages/outages',
  'watcher/two-watchers',
].map((name) => `<rootDir>/test/integration/${name}.test.ts`);
const integration = {
  ...shared,
  roots: ['<rootDir>/test/integration'],
  globalSetup: '<rootDir>/test/integration/start-stack.ts',
  globalTeardown: '<rootDir>/test/integration/stop-stack.ts',
};
const sources = ['workflows', 'activities', 'providers', 'k8s', 'starters', 'process', 'workers', 'devstack', 'tools'];

export default {
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
        '<rootDir>/test/mutation',
      ],
      testMatch: ['**/*.test.ts'],
    },
    { ...integration, displayName: 'integration-side-by-side', testMatch: sideBySide },
    {
      ...integration,
      displayName: 'integration',
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...sideBySide],
    },
  ],
};
