import { beforeAll, describe, expect, test } from '@jest/globals';
import type { StoredObject } from '../../../k8s/dialects/kind.ts';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { machineDeployment } from '../../../k8s/dialects/openshift/machine-deployment.ts';
import { MACHINE_DEPLOYMENTS } from '../../../k8s/dialects/openshift/resources.ts';
import type { MachineDeploymentStatus } from '../../../k8s/model/machine-deployment.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { NAMESPACES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { readExample, refusalOf, tableOf, type Manifest } from './raw-request.ts';

const { kube, kubeconfig } = getStack();
// Of its own in each run, so that a kept stack can be used again.
const NAMESPACE = `api-deployments-${Date.now()}`;

beforeAll(async () => {
  await kube.apply(NAMESPACES, undefined, NAMESPACE, { metadata: { name: NAMESPACE } }, { fieldManager: 'test' });
});

const LABELS = { pool: 'p', [CLUSTER_LABEL]: 'c' };
const template = (labels: object = LABELS, spec: object = {}) => ({
  metadata: { labels },
  spec: { providerSpec: { value: { kind: 'Any' } }, ...spec },
});
const aDeployment = (name: string, spec: object = {}, annotations: object = {}): Manifest => ({
  apiVersion: MACHINE_DEPLOYMENTS.apiVersion,
  kind: 'MachineDeployment',
  metadata: { name, namespace: NAMESPACE, annotations: { [PAUSED_ANNOTATION]: 'test', ...annotations } },
  spec: { selector: { matchLabels: { pool: 'p' } }, template: template(), ...spec },
});
const rolling = (maxSurge: unknown, maxUnavailable: unknown) => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});
const steps = (...all: object[]) => ({ strategy: { rollingUpdate: { steps: all } } });
const BOTH_ZERO = /maxSurge and maxUnavailable are both 0/;

const CASES: readonly (readonly [what: string, spec: object, refusal: RegExp | undefined])[] = [
  ['that says no more than it has to', {}, undefined],
  ['with numbers', rolling(3, 0), undefined],
  ['with shares', rolling('150%', '25%'), undefined],
  ['with both 0', rolling(0, 0), BOTH_ZERO],
  ['with both 0%', rolling('0%', '00%'), /both 0|neither a number nor a share/],
  ['with no surge, and none unavailable by default', { strategy: { rollingUpdate: { maxSurge: 0 } } }, BOTH_ZERO],
  ['with "150%" unavailable', rolling(1, '150%'), /neither a number nor a share of at most all/],
  ['with "abc" of surge', rolling('abc', 0), /neither a number nor a share/],
  ['with a negative surge', rolling(-1, 1), /neither a number nor a share/],
  ['with InPlaceUpdate', { strategy: { type: 'InPlaceUpdate' } }, /InPlaceUpdate comes with machine configs/],
  ['with a strategy that there is not', { strategy: { type: 'Fast' } }, /Unsupported value: "Fast"/],
  ['with Recreate', { strategy: { type: 'Recreate' } }, undefined],
  ['with OnDelete', { strategy: { type: 'OnDelete' } }, undefined],
  [
    'with Recreate and a surge',
    { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
    /it is for the type RollingUpdate only/,
  ],
  [
    'that stops at the second failure',
    { strategy: { rollingUpdate: { onFailure: 'Pause', failureThreshold: 2 } } },
    undefined,
  ],
  ['that replaces no machine', { strategy: { replace: 'Never' } }, undefined],
  ['that replaces some', { strategy: { replace: 'Maybe' } }, /Unsupported value: "Maybe"/],
  ['that goes back', { strategy: { rollingUpdate: { onFailure: 'Rollback' } } }, undefined],
  ['that does what there is not', { strategy: { rollingUpdate: { onFailure: 'Hope' } } }, /Unsupported value: "Hope"/],
  [
    'with steps of each kind',
    steps({ machines: 1 }, { machines: '10%' }, { pause: {} }, { pause: { for: '1h30m' } }, { approval: {} }),
    undefined,
  ],
  ['with a step that says nothing', steps({}), /a step says one thing/],
  ['with a step that says two things', steps({ machines: 1, approval: {} }), /a step says one thing/],
  [
    'with a step that there is not',
    steps({ wait: {} }),
    /unknown field "spec\.strategy\.rollingUpdate\.steps\[0\]\.wait"/,
  ],
  ['with an unknown field in a pause', steps({ pause: { fro: '1h' } }), /unknown field .*\.pause\.fro"/],
  ['with a step of no machines', steps({ machines: 0 }), /neither a number nor a share of at most all/],
  ['with a step of less than none', steps({ machines: -1 }), /neither a number nor a share of at most all/],
  ['with a step of 0%', steps({ machines: '0%' }), /neither a number nor a share of at most all/],
  ['with a step of more than all', steps({ machines: '101%' }), /neither a number nor a share of at most all/],
  ['with a pause of no time', steps({ pause: { for: '0s' } }), /it is no duration: .*more than 0/],
  ['with a pause of no duration', steps({ pause: { for: 'soon' } }), /it is no duration: .*e\.g\. 30m/],
  [
    'with steps, and of another type',
    { strategy: { type: 'OnDelete', rollingUpdate: { steps: [] } } },
    /for the type RollingUpdate only/,
  ],
  ['that stops at no failure', { strategy: { rollingUpdate: { failureThreshold: 0 } } }, /failureThreshold/],
  [
    'that is late before it is available',
    { minReadySeconds: 60, progressDeadlineSeconds: 60 },
    /more than minReadySeconds/,
  ],
  ['of an empty selector', { selector: {} }, /an empty selector would take every Machine/],
  [
    'whose selector does not match its template',
    { selector: { matchLabels: { pool: 'q' } } },
    /does not match spec\.template/,
  ],
  ['without a cluster label', { template: template({ pool: 'p' }) }, /the template has no cluster label/],
  ['of machines that are to go', { template: template(LABELS, { delete: true }) }, /it is for one Machine/],
  ['of less than none', { replicas: -1 }, /spec\.replicas/],
  ['with a field that nothing acts on', { rollbackTo: 3 }, /unknown field "spec\.rollbackTo"/],
];

describe('a MachineDeployment', () => {
  test('examples/machinedeployment.yaml is taken as it is, and can be read', async () => {
    const manifest = await readExample('machinedeployment', NAMESPACE);
    expect(await refusalOf(kubeconfig, manifest)).toBeUndefined();
    const body = { ...manifest, metadata: { ...manifest.metadata, annotations: { [PAUSED_ANNOTATION]: 'test' } } };
    const stored = await kube.create<StoredObject>(MACHINE_DEPLOYMENTS, NAMESPACE, body);
    expect(machineDeployment.read(stored).machineDeployment).not.toHaveProperty('malformed');
  });

  test.each(CASES)('%s', async (_what, spec, refusal) => {
    const answer = await refusalOf(kubeconfig, aDeployment('refused', spec));
    if (refusal === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatch(refusal);
  });

  test('has its defaults filled in', async () => {
    const { spec } = await kube.create<Manifest>(MACHINE_DEPLOYMENTS, NAMESPACE, aDeployment('defaults'));
    expect(spec).toMatchObject({
      replicas: 1,
      minReadySeconds: 0,
      paused: false,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 1200,
      strategy: { type: 'RollingUpdate' },
    });
  });

  test('cannot get another selector', async () => {
    await kube.create(MACHINE_DEPLOYMENTS, NAMESPACE, aDeployment('selects'));
    const labels = { ...LABELS, more: 'x' };
    const spec = { selector: { matchLabels: { pool: 'p', more: 'x' } }, template: { metadata: { labels } } };
    await expect(kube.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, 'selects', { spec })).rejects.toThrow(
      /it cannot be changed: make another MachineDeployment/,
    );
  });

  test('with a size for cluster-autoscaler that is no number', async () => {
    const key = 'machine.openshift.io/cluster-api-autoscaler-node-group-min-size';
    expect(await refusalOf(kubeconfig, aDeployment('sized', {}, { [key]: 'two' }))).toMatch(/min-size is 'two'/);
  });

  test('whose name leaves no room for those of its sets and machines', async () => {
    expect(await refusalOf(kubeconfig, aDeployment('x'.repeat(46)))).toMatch(/metadata\.name is too long/);
    expect(await refusalOf(kubeconfig, aDeployment('x'.repeat(45)))).toBeUndefined();
  });

  test('keeps the status that is written, and is listed with the columns of a Deployment', async () => {
    const { metadata } = await kube.create<StoredObject>(
      MACHINE_DEPLOYMENTS,
      NAMESPACE,
      aDeployment('listed', { replicas: 4 }),
    );
    const status: MachineDeploymentStatus = {
      replicas: 4,
      updatedReplicas: 1,
      readyReplicas: 3,
      availableReplicas: 2,
      unavailableReplicas: 2,
      revision: 7,
      observedGeneration: 1,
      labelSelector: 'pool=p',
      conditions: [
        {
          type: 'Available',
          status: 'True',
          reason: 'MinimumReplicasAvailable',
          message: 'Fine.',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    };
    const body = { metadata: { uid: metadata.uid }, status: machineDeployment.writeStatus(status) };
    const stored = await kube.apply<StoredObject>(MACHINE_DEPLOYMENTS, NAMESPACE, 'listed', body, {
      fieldManager: 'test',
      subresource: 'status',
    });
    expect(machineDeployment.read(stored).status).toEqual(status);
    const { columnDefinitions, rows } = await tableOf(kubeconfig, NAMESPACE, 'machinedeployments');
    expect(columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'Ready',
      'Desired',
      'Up-to-date',
      'Available',
      'Age',
    ]);
    expect(rows.find(({ cells: [name] }) => name === 'listed')?.cells.slice(1, 5)).toEqual([3, 4, 1, 2]);
  });

  test('is scaled by its scale subresource', async () => {
    await kube.create(MACHINE_DEPLOYMENTS, NAMESPACE, aDeployment('scaled'));
    await kube.mergePatch(
      MACHINE_DEPLOYMENTS,
      NAMESPACE,
      'scaled',
      { spec: { replicas: 5 } },
      { subresource: 'scale' },
    );
    expect(await kube.get<Manifest>(MACHINE_DEPLOYMENTS, NAMESPACE, 'scaled')).toMatchObject({ spec: { replicas: 5 } });
  });
});
