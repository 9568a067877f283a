import { each, TIME, type Parts } from './symbols.ts';

const ready = (status: string) => ({ type: 'Ready', status, lastTransitionTime: TIME });
/** So that no empty map of labels is applied. */
const METADATA = { labels: { own: '1' } };
const STATUS = [
  ...each('machines', [0, 1, 2]),
  ...each('conditions', [[ready('True')], [ready('False')], []]),
  { machines: 1, observedGeneration: 1, conditions: [ready('True')] },
  {},
];

const tag = (name: string, value: string) => ({ name, value });
export const CLUSTER: Parts = {
  metadata: METADATA,
  least: {},
  main: {
    spec: [
      ...each('paused', [true, false]),
      ...each('defaults', [
        { region: 'r' },
        { region: 's', tags: [tag('a', '1')] },
        { tags: [tag('b', '1'), tag('a', '2')] },
        { credentialsSecret: { name: 's' } },
        {},
      ]),
      {},
    ],
  },
  status: [...STATUS, ...each('readyMachines', [0, 1])],
  malformed: {
    spec: [
      ...each('paused', ['yes', null]),
      ...each('defaults', [{ region: '' }, { credentialsSecret: {} }, { tags: [tag('', '1')] }, { unheardOf: 1 }, []]),
      'none',
    ],
    status: [...each('readyMachines', [-1, 'two']), ...each('unheardOf', [1])],
  },
  fields: [],
};

export const MACHINE_CLASS: Parts = {
  metadata: METADATA,
  least: { provider: 'simulated', providerSpec: { a: 1 } },
  main: {
    provider: ['simulated', 'aws'],
    providerSpec: [{ a: 1 }, { a: 2, nested: { b: [1] } }, { nested: { c: 1 } }, {}],
    credentialsSecretRef: [{ name: 's' }, { name: 't' }],
    nodeTemplate: [
      ...each('capacity', [{ cpu: '1' }, { cpu: 2, memory: '1Gi' }, {}]),
      { region: 'r', zone: 'z' },
      { instanceType: 't' },
      {},
    ],
  },
  status: [...STATUS, ...each('machineSets', [0, 1])],
  fields: [],
};
