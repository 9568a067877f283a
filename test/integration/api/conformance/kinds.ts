import { EVENTS, LEASES, NODES, SECRETS, type Resource } from '../../../../k8s/resources.ts';
import { CLUSTERS, MACHINES, MACHINE_CLASSES, MACHINE_SETS } from '../../../../k8s/dialects/openshift/resources.ts';
import { CLUSTER, MACHINE_CLASS } from './clusters.ts';
import { MACHINE, MACHINE_SET } from './machines.ts';
import { each, NAMESPACE, OTHER, TIME, type Parts } from './symbols.ts';

// Without the taint an admission plugin adds it, and without the condition a controller takes it off again.
const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const NOT_YET = {
  type: 'Ready',
  status: 'False',
  lastHeartbeatTime: TIME,
  lastTransitionTime: TIME,
  reason: 'No',
  message: 'no',
};
const NODE: Parts = {
  metadata: {},
  least: {},
  always: { spec: { providerID: 'parity:///z/i', taints: [NOT_READY] }, status: { conditions: [NOT_YET] } },
  main: {
    spec: [
      ...each('taints', [
        [NOT_READY],
        [NOT_READY, { key: 'a', effect: 'NoSchedule' }],
        [{ key: 'b', value: '1', effect: 'NoExecute' }, NOT_READY],
      ]),
      {},
    ],
  },
  status: [
    { conditions: [NOT_YET, { ...NOT_YET, type: 'Other' }] },
    { conditions: [NOT_YET], addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    {
      conditions: [NOT_YET],
      addresses: [
        { type: 'Hostname', address: 'h' },
        { type: 'InternalIP', address: '10.0.0.1' },
      ],
    },
  ],
  fields: ['spec.unschedulable=true', 'spec.unschedulable!=true'],
};

const text = (value: string) => Buffer.from(value).toString('base64');
const SECRET: Parts = {
  metadata: {},
  least: {},
  main: {
    data: [{ a: text('1') }, { a: text('2'), b: text('1') }, { b: text('1') }, {}],
  },
  fields: ['type=Opaque', 'type!=Opaque'],
};
const LEASE: Parts = {
  metadata: {},
  least: { spec: {} },
  main: {
    spec: [
      ...each('holderIdentity', ['one', 'two', 'one']),
      ...each('leaseDurationSeconds', [10, 20]),
      ...each('renewTime', ['2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:01.000000Z']),
      { holderIdentity: 'one', leaseTransitions: 1, acquireTime: '2026-01-01T00:00:00.000000Z' },
      {},
    ],
  },
  verbs: ['create', 'get', 'list', 'mergePatch', 'mergePatch', 'mergePatch', 'delete', 'watch'],
  fields: [],
};
const EVENT: Parts = {
  metadata: {},
  least: { involvedObject: { kind: 'Machine', namespace: NAMESPACE, name: 'm', uid: OTHER } },
  main: {
    reason: ['One', 'Two'],
    message: ['a', 'b'],
    type: ['Normal', 'Warning'],
    count: [1, 2],
    source: [{ component: 'millwright' }],
    reportingComponent: ['millwright'],
    firstTimestamp: [TIME],
  },
  verbs: ['create', 'create', 'get', 'list', 'list', 'delete', 'watch'],
  fields: [
    `involvedObject.uid=${OTHER}`,
    'involvedObject.kind=Node',
    'reason=One',
    'type!=Normal',
    'message=a',
    'reportingComponent=millwright',
  ],
};

export const KINDS: ReadonlyMap<Resource, Parts> = new Map([
  [MACHINES, MACHINE],
  [MACHINE_SETS, MACHINE_SET],
  [CLUSTERS, CLUSTER],
  [MACHINE_CLASSES, MACHINE_CLASS],
  [NODES, NODE],
  [SECRETS, SECRET],
  [LEASES, LEASE],
  [EVENTS, EVENT],
]);
