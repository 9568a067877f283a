import { beforeAll, describe, expect, test } from '@jest/globals';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { readExample, refusalOf, type Manifest } from './raw-request.ts';
import { given } from '../../../providers/given.ts';

const { kube, kubeconfig } = getStack();
const NAMESPACE = 'api-refusals';
const CLUSTER = 'machine.openshift.io/cluster-api-cluster';
const SIZE = 'machine.openshift.io/cluster-api-autoscaler-node-group-';

/** The parts of a manifest that the cases spoil. */
interface Parts {
  replicas?: number;
  deletePolicy?: string;
  selector?: { matchLabels?: Record<string, string>; matchExpressions?: object[] };
  template: { metadata?: { labels: Record<string, string> }; spec: Pick<Parts, 'delete' | 'maintenance'> };
  metadata: { labels: Record<string, string> };
  taints: { effect: string }[];
  creationTimeoutSeconds?: number;
  lifecycleHooks?: object;
  drain?: object;
  deletionPolicy?: string;
  delete?: boolean;
  maintenance?: boolean;
  providerSpec?: { value?: { kind?: string } };
}

type Case = readonly [what: string, spoil: (spec: Parts, manifest: Manifest) => void, refusal: RegExp | undefined];

const labels = (manifest: Manifest) => (manifest.metadata.labels ??= {});
const matching = (expression: object) => (spec: Parts) => {
  spec.selector = { ...spec.selector, matchExpressions: [expression] };
};
const sizes = (min: string | undefined, max: string | undefined) => (_spec: Parts, manifest: Manifest) => {
  manifest.metadata.annotations = {
    ...given({ [`${SIZE}min-size`]: min, [`${SIZE}max-size`]: max }),
  };
};

/** A set with sizes, and with these names of its cluster, of its own and of its Machines. */
const named = (set: string, machines: string | undefined) => (spec: Parts, manifest: Manifest) => {
  sizes('1', '3')(spec, manifest);
  const name = 'machine.openshift.io/cluster-name';
  labels(manifest)[name] = set;
  if (machines !== undefined && spec.template.metadata) spec.template.metadata.labels[name] = machines;
};

const MACHINES: readonly Case[] = [
  ['as in the example', () => {}, undefined],
  [
    'without the cluster label',
    (_spec, m) => delete labels(m)[CLUSTER],
    /label is missing: write metadata\.labels\['machine\.openshift\.io\/cluster-api-cluster'\]/,
  ],
  ['with an empty cluster label', (_spec, m) => (labels(m)[CLUSTER] = ''), /label is missing/],
  ['without labels', (_spec, m) => delete m.metadata.labels, /label is missing/],
  ['without a providerSpec', (spec) => delete spec.providerSpec, /spec\.providerSpec: Required value/],
  ['without a value', (spec) => delete spec.providerSpec?.value, /spec\.providerSpec\.value: Required value/],
  [
    'without a kind',
    (spec) => delete spec.providerSpec?.value?.kind,
    /spec\.providerSpec\.value\.kind: Required value/,
  ],
  [
    'with a bad label key for the Node',
    (spec) => (spec.metadata.labels['a b'] = 'c'),
    /spec\.metadata\.labels: .*a key is not a label key: write name or prefix\.example\.com\/name/,
  ],
  [
    'with a bad label value for the Node',
    (spec) => (spec.metadata.labels['a'] = 'b c'),
    /spec\.metadata\.labels\.a: .*"b c"/,
  ],
  ['with a prefixed label for the Node', (spec) => (spec.metadata.labels['a.example.com/b_c'] = 'D-1'), undefined],
  [
    'with an unknown effect',
    (spec) => spec.taints.push({ ...spec.taints[0], effect: 'Never' }),
    /effect: Unsupported value: "Never": supported values: "NoSchedule"/,
  ],
  [
    'with a time-out of 0',
    (spec) => (spec.creationTimeoutSeconds = 0),
    /creationTimeoutSeconds in body should be greater than or equal to 1/,
  ],
  [
    'with a hook of too short a name',
    (spec) => (spec.lifecycleHooks = { preDrain: [{ name: 'a', owner: 'me, myself' }] }),
    /preDrain\[0\]\.name in body should be at least 3 chars long/,
  ],
  [
    'with a hook without an owner',
    (spec) => (spec.lifecycleHooks = { preDrain: [{ name: 'Guard' }] }),
    /preDrain\[0\]\.owner: Required value/,
  ],
  ['with a drain of its own', (spec) => (spec.drain = { timeout: '1h30m', onTimeout: 'Force' }), undefined],
  [
    'with a negative time-out of its drain',
    (spec) => (spec.drain = { timeout: '-5m' }),
    /drain\.timeout: .*it is no duration: .*e\.g\. 30m/,
  ],
  [
    'with words for a time-out of its drain',
    (spec) => (spec.drain = { timeout: 'abc' }),
    /it is no duration: .*e\.g\. 30m/,
  ],
  ['with a time for volumes that has no unit', (spec) => (spec.drain = { volumeDetachTimeout: '5' }), /e\.g\. 2m/],
  ['with a drain that may take no time', (spec) => (spec.drain = { timeout: '0s' }), /leave it out for no limit/],
  [
    'with an unknown word for the time-out of its drain',
    (spec) => (spec.drain = { timeout: '5m', onTimeout: 'Perhaps' }),
    /onTimeout: Unsupported value: "Perhaps"/,
  ],
  ['with Force and no time-out', (spec) => (spec.drain = { onTimeout: 'Force' }), /onTimeout Force takes a timeout/],
  ['with a policy for its deletion', (spec) => (spec.deletionPolicy = 'forced'), undefined],
  [
    'with an unknown policy for its deletion',
    (spec) => (spec.deletionPolicy = 'brutal'),
    /deletionPolicy: Unsupported value: "brutal": supported values: "graceful", "unsafe", "forced"/,
  ],
  [
    'with two hooks of one name',
    (spec) => (spec.lifecycleHooks = { preTerminate: [1, 2].map((n) => ({ name: 'Copy', owner: `owner ${n}` })) }),
    /preTerminate\[1\]: Duplicate value: \{"name":"Copy"\}/,
  ],
  [
    'with a misspelt field',
    (spec) => Object.assign(spec, { providerSpecs: {} }),
    /unknown field "spec\.providerSpecs"/,
  ],
];

const MACHINE_SETS: readonly Case[] = [
  ['as in the example', () => {}, undefined],
  ['without a selector', (spec) => delete spec.selector, /spec\.selector: Required value/],
  [
    'with an empty selector',
    (spec) => (spec.selector = {}),
    /an empty selector would take every Machine of the namespace: write matchLabels/,
  ],
  [
    'with a selector that the template lacks',
    (spec) => (spec.selector = { matchLabels: { a: 'b' } }),
    /matchLabels does not match spec\.template\.metadata\.labels.*write every label of matchLabels into the template/,
  ],
  [
    'without labels in the template',
    (spec) => delete spec.template.metadata,
    /matchLabels does not match spec\.template\.metadata\.labels/,
  ],
  [
    'without the cluster label in the template',
    (spec) => {
      delete spec.template.metadata?.labels[CLUSTER];
      delete spec.selector?.matchLabels?.[CLUSTER];
    },
    /template has no cluster label: write spec\.template\.metadata\.labels\['machine\.openshift\.io\/cluster-api-cluster'\]/,
  ],
  ['In a value it has', matching({ key: CLUSTER, operator: 'In', values: ['example', 'x'] }), undefined],
  ['NotIn, of a label it lacks', matching({ key: 'a', operator: 'NotIn', values: ['x'] }), undefined],
  ['Exists, of a label it has', matching({ key: CLUSTER, operator: 'Exists' }), undefined],
  ['DoesNotExist, of a label it lacks', matching({ key: 'a', operator: 'DoesNotExist' }), undefined],
  ['In values it lacks', matching({ key: CLUSTER, operator: 'In', values: ['x'] }), /matchExpressions does not match/],
  ['In, of a label it lacks', matching({ key: 'a', operator: 'In', values: ['x'] }), /matchExpressions does not match/],
  [
    'NotIn a value it has',
    matching({ key: CLUSTER, operator: 'NotIn', values: ['example'] }),
    /matchExpressions does not match/,
  ],
  ['Exists, of a label it lacks', matching({ key: 'a', operator: 'Exists' }), /matchExpressions does not match/],
  [
    'DoesNotExist, of a label it has',
    matching({ key: CLUSTER, operator: 'DoesNotExist' }),
    /matchExpressions does not match/,
  ],
  ['In nothing', matching({ key: CLUSTER, operator: 'In' }), /In and NotIn need values/],
  [
    'Exists with values',
    matching({ key: CLUSTER, operator: 'Exists', values: ['x'] }),
    /Exists and DoesNotExist take none/,
  ],
  [
    'with a template that is to be deleted',
    (spec) => (spec.template.spec.delete = false),
    /spec\.template\.spec\.delete: .*it is for one Machine: scale the MachineSet down/,
  ],
  [
    'with a template in maintenance',
    (spec) => (spec.template.spec.maintenance = true),
    /spec\.template\.spec\.maintenance: .*it is for one Machine/,
  ],
  ['with -1 replicas', (spec) => (spec.replicas = -1), /replicas in body should be greater than or equal to 0/],
  [
    'with an unknown delete policy',
    (spec) => (spec.deletePolicy = 'Best'),
    /deletePolicy: Unsupported value: "Best": supported values: "Random", "Newest", "Oldest"/,
  ],
  ['with sizes for cluster-autoscaler', sizes('1', '3'), undefined],
  ['with a largest size only', sizes(undefined, '3'), undefined],
  [
    'with a smallest size only',
    sizes('1', undefined),
    /max-size is missing: cluster-autoscaler needs it beside -min-size/,
  ],
  [
    'with a smallest size that is no number',
    sizes('one', '3'),
    /min-size is 'one': write a whole number, 0 or more, in quotes/,
  ],
  ['with a negative size', sizes('-1', '3'), /min-size is '-1'/],
  [
    'with a largest size that is no number',
    sizes('1', ''),
    /max-size is '': write a whole number, 0 or more, in quotes/,
  ],
  ['with a largest size of 0, at which cluster-autoscaler leaves it alone', sizes('0', '0'), undefined],
  ['with sizes and its name for cluster-autoscaler on its Machines, too', named('example', 'example'), undefined],
  [
    'with sizes and a name for cluster-autoscaler that its Machines do not have',
    named('example', undefined),
    /cluster-name is not the same in metadata\.labels and in spec\.template\.metadata\.labels/,
  ],
  ['with sizes and Machines of another name', named('example', 'other'), /cluster-name is not the same/],
  ['with a largest size below the smallest', sizes('10', '9'), /max-size is 9, less than -min-size, which is 10/],
];

beforeAll(async () => {
  await kube.apply(NAMESPACES, undefined, NAMESPACE, { metadata: { name: NAMESPACE } }, { fieldManager: 'test' });
  // A policy's status tells that it was read, not that every API server has taken it up.
  const bad = await readExample('machine', NAMESPACE);
  delete labels(bad)[CLUSTER];
  await until(
    'policies are in force',
    () => refusalOf(kubeconfig, bad),
    (refusal) => refusal !== undefined,
  );
});

describe.each([
  ['machine', MACHINES],
  ['machineset', MACHINE_SETS],
] as const)('a %s', (example, cases) => {
  test.each(cases)('%s', async (_what, spoil, refusal) => {
    const manifest = await readExample(example, NAMESPACE);
    spoil(manifest.spec as unknown as Parts, manifest);
    const answer = await refusalOf(kubeconfig, manifest);
    if (refusal === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatch(refusal);
  });
});
