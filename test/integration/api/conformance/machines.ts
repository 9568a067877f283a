import { each, OTHER, TIME, type Parts } from './symbols.ts';

const CLUSTER = { 'machine.openshift.io/cluster-api-cluster': 'c' };
const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: TIME });
const conditions = [
  [condition('A', 'True')],
  [condition('A', 'False')],
  [condition('B', 'True')],
  [condition('B', 'True'), condition('A', 'True')],
  [condition('A', 'True'), condition('C', 'Unknown'), condition('B', 'True')],
  [],
];

const VALUE = { apiVersion: 'machine.millwright.dev/v1alpha1', kind: 'SimulatedMachineProviderConfig' };
const hook = (name: string) => ({ name, owner: 'somebody' });
const MACHINE_SPECS = [
  ...each('creationTimeoutSeconds', [60, 61, 60]),
  ...each('deletionPolicy', ['graceful', 'unsafe', 'forced']),
  ...each('delete', [true, true, false]),
  ...each('maintenance', [true, false]),
  ...each('metadata', [
    { labels: { l: '1' } },
    { labels: { l: '2', m: '1' } },
    { annotations: { l: '1' } },
    {},
    { labels: {} },
  ]),
  ...each('taints', [
    [{ key: 'a', effect: 'NoSchedule' }],
    [
      { key: 'b', effect: 'NoExecute', value: '1' },
      { key: 'a', effect: 'NoSchedule' },
    ],
    [],
  ]),
  ...each('lifecycleHooks', [
    { preDrain: [hook('one')] },
    { preDrain: [hook('two'), hook('one')] },
    { preTerminate: [hook('one')], preDrain: [] },
    {},
  ]),
  ...each('providerSpec', [
    { value: VALUE },
    { value: { ...VALUE, region: 'r', nested: { a: 1, b: [1, 2] } } },
    { value: { ...VALUE, nested: { a: 2 }, list: [{ name: 'n' }], none: {} } },
  ]),
];
export const MACHINE: Parts = {
  metadata: { labels: CLUSTER },
  least: { spec: { providerSpec: { value: VALUE } } },
  main: { spec: MACHINE_SPECS },
  status: [
    ...each('phase', ['Running', 'Failed', 'Running']),
    ...each('prepareDeletionPhase', ['started', 'aborting']),
    ...each('delete', [true, false]),
    ...each('conditions', conditions),
    ...conditions.map((all) => ({ phase: 'Running', conditions: all, lastUpdated: TIME })),
    ...each('nodeRef', [{ kind: 'Node', name: 'n' }, { kind: 'Node', name: 'n', uid: OTHER }, {}]),
    ...each('addresses', [
      [],
      [{ type: 'InternalIP', address: '10.0.0.1' }],
      [
        { type: 'InternalIP', address: '10.0.0.2' },
        { type: 'Hostname', address: 'h' },
      ],
    ]),
    ...each('providerStatus', [
      { instanceId: 'i' },
      { instanceId: 'i', conditions: [{ type: 'X', status: 'True' }] },
      { instanceState: 'running', free: { a: 1 }, list: [1] },
      { free: {} },
      {},
    ]),
    {},
  ],
  malformed: {
    spec: [
      ...each('creationTimeoutSeconds', ['sixty', 0, 1.5, null]),
      ...each('deletionPolicy', ['brutal', null]),
      ...each('delete', ['yes', null]),
      ...each('unheardOf', [1, { a: 1 }]),
      ...each('taints', [
        'none',
        [{ key: 'a' }],
        [{ key: 'a', effect: 'Never' }],
        [{ key: '-', effect: 'NoExecute' }],
        [1],
        [null],
      ]),
      ...each('lifecycleHooks', [
        [],
        { preDrain: [hook('one'), hook('one')] },
        { preDrain: [hook('o')] },
        { preDrain: [{ owner: 'somebody' }] },
      ]),
      ...each('metadata', [{ labels: { l: 1 } }, { labels: { l: '-' } }, { unheardOf: 1 }]),
      ...each('providerSpec', [{ value: {} }, { value: 'x' }, { value: VALUE, unheardOf: 1 }]),
      'none',
      null,
      [],
    ],
    status: [
      ...each('phase', ['Flying', 1, null]),
      ...each('unheardOf', [1]),
      ...each('conditions', [
        {},
        [{ type: 'A' }],
        [condition('A', 'Maybe')],
        [condition('A', 'True'), condition('A', 'False')],
        [{ status: 'True' }],
      ]),
      ...each('lastUpdated', ['yesterday', 1]),
      ...each('providerStatus', [{ instanceId: 1 }, { pastKnown: 'no' }, { launch: { attempt: 1 } }]),
      ...each('nodeRef', [{ name: 1 }, { unheardOf: 1 }, 'n']),
      'none',
      [],
    ],
  },
  fields: [],
};

const TEMPLATE = { metadata: { labels: CLUSTER }, spec: { providerSpec: { value: VALUE } } };
export const MACHINE_SET: Parts = {
  metadata: { labels: CLUSTER },
  least: { spec: { selector: { matchLabels: CLUSTER }, template: TEMPLATE } },
  main: {
    spec: [
      ...each('replicas', [1, 2, 3]),
      ...each('minReadySeconds', [0, 10]),
      ...each('deletePolicy', ['Random', 'Newest', 'Oldest']),
      ...each('template', [
        TEMPLATE,
        { ...TEMPLATE, metadata: { labels: { ...CLUSTER, t: '1' } } },
        { ...TEMPLATE, spec: { ...TEMPLATE.spec, creationTimeoutSeconds: 60 } },
      ]),
      {},
    ],
  },
  status: [
    ...each('replicas', [0, 1, 2]),
    ...each('conditions', conditions),
    { replicas: 1, readyReplicas: 0, labelSelector: 'a=b' },
    { observedGeneration: 1 },
    {},
  ],
  hasScale: true,
  malformed: {
    spec: [
      ...each('replicas', [-1, 'two', null]),
      ...each('deletePolicy', ['Best']),
      ...each('selector', [{ matchLabels: { a: 1 } }, { matchLabels: CLUSTER, unheardOf: 1 }]),
      ...each('template', [{}, { metadata: {} }]),
    ],
    status: [...each('replicas', [-1, 'two']), ...each('unheardOf', [1])],
  },
  fields: [],
};
