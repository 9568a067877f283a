import { expect, test } from '@jest/globals';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS } from '../../../k8s/dialects/openshift/resources.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { providerSpecOf } from './manifests.ts';
import type { OwnNamespace } from './own-namespace.ts';
import { useNamespace } from './use-namespace.ts';

const { kube } = getStack();
const NAMESPACE = 'lifecycle-settle';
const POOL = { key: 'example.com/pool', value: 'gpu', effect: 'PreferNoSchedule' } as const;
const BOOTING = { key: 'example.com/booting', effect: 'NoSchedule' } as const;
let own: OwnNamespace;
useNamespace(NAMESPACE, (opened) => (own = opened));

const change = (spec: object) => kube.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, 'pool', { spec });
const settle = (spec: object) => change({ template: { spec } });
const nodeOf = ({ status }: MachineObject) => kube.get<Node>(NODES, undefined, status?.nodeRef?.name ?? '');
const nodes = async () => Promise.all((await own.machines()).map(nodeOf));
const available = (count: number) =>
  until(
    `${count} are available`,
    () => kube.get<MachineDeploymentObject>(MACHINE_DEPLOYMENTS, NAMESPACE, 'pool'),
    ({ status, metadata }) =>
      status?.observedGeneration === metadata.generation && (status?.availableReplicas ?? 0) === count,
    { timeoutMs: 60_000 },
  );
const untilNodes = (what: string, isIt: (node: Node) => boolean) =>
  until(what, nodes, (all) => all.every(isIt), { timeoutMs: 60_000 });
const untaint = async ({ metadata, spec }: Node) => {
  const taints = (spec?.taints ?? []).filter(({ key }) => key !== BOOTING.key);
  const { name, resourceVersion } = metadata;
  await kube.mergePatch(NODES, undefined, name, { metadata: { resourceVersion }, spec: { taints } });
};
const hasTaint = ({ spec }: Node, key: string) => spec?.taints?.some((taint) => taint.key === key) === true;

test('machines are available when the taints of their beginning are off their Nodes, and say so until then', async () => {
  const labels = { [CLUSTER_LABEL]: NAMESPACE, pool: 'pool' };
  const { apiVersion, kind } = MACHINE_DEPLOYMENTS;
  await kube.create(MACHINE_DEPLOYMENTS, NAMESPACE, {
    apiVersion,
    kind,
    metadata: { name: 'pool', namespace: NAMESPACE },
    spec: {
      replicas: 2,
      selector: { matchLabels: { pool: 'pool' } },
      template: { metadata: { labels }, spec: { providerSpec: providerSpecOf(), startupTaints: [BOOTING] } },
    },
  });
  const waiting = await until(
    'both wait for the taint to go',
    () => own.machines(),
    (machines) => machines.length === 2 && machines.every(({ status }) => status?.waiting?.reason === 'StartupTaints'),
    { timeoutMs: 60_000 },
  );
  expect(waiting[0]?.status?.waiting?.message).toContain('example.com/booting:NoSchedule');
  await available(0);
  for (const node of await nodes()) await untaint(node);
  await available(2);
  expect((await own.machines()).map(({ status }) => status?.waiting)).toEqual([undefined, undefined]);
}, 150_000);

test('what the template says of Nodes reaches them, replaces no machine, and goes with the template; what others put there stays', async () => {
  const before = (await own.machines()).map(({ metadata }) => metadata.uid).sort();
  const [first] = await nodes();
  if (first === undefined) throw new Error('there is a Node');
  const theirs = { labels: { theirs: 'kept' } };
  await kube.mergePatch(NODES, undefined, first.metadata.name, { metadata: theirs });
  await settle({ metadata: { labels: { tier: 'gold' }, annotations: { note: 'a' } }, taints: [POOL] });
  await untilNodes('all have it', (node) => node.metadata.labels?.['tier'] === 'gold' && hasTaint(node, POOL.key));
  await settle({ metadata: null, taints: null });
  await untilNodes('none has it', (node) => node.metadata.labels?.['tier'] === undefined && !hasTaint(node, POOL.key));
  const after = await nodes();
  expect(after.map(({ metadata }) => metadata.annotations?.['note'])).toEqual([undefined, undefined]);
  expect(after.find(({ metadata }) => metadata.name === first.metadata.name)?.metadata.labels).toMatchObject(
    theirs.labels,
  );
  expect(after.some((node) => hasTaint(node, BOOTING.key))).toBe(false);
  expect((await own.machines()).map(({ metadata }) => metadata.uid).sort()).toEqual(before);
}, 150_000);

test('while it rolls, old Nodes say so, and none is scaled down; not any more when it is over', async () => {
  const down = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
  const outdated = 'machine.openshift.io/outdated-revision';
  await settle({ startupTaints: [BOOTING] });
  await change({ template: { metadata: { annotations: { version: '2' } } } });
  const rolling = await until(
    'the new one waits for its taint to go',
    nodes,
    (all) =>
      all.length === 3 &&
      all.some((node) => hasTaint(node, BOOTING.key)) &&
      all.filter((node) => hasTaint(node, outdated)).length === 2,
    { timeoutMs: 60_000 },
  );
  expect(rolling.every(({ metadata }) => metadata.annotations?.[down] === 'true')).toBe(true);
  const over = { isIt: false };
  const starting = (async () => {
    while (!over.isIt) {
      for (const node of await nodes().catch(() => []))
        if (hasTaint(node, BOOTING.key)) await untaint(node).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  await until(
    'all are new',
    () => own.machines(),
    (machines) => machines.length === 2 && machines.every(({ metadata }) => metadata.annotations?.['version'] === '2'),
    { timeoutMs: 60_000 },
  );
  await available(2);
  over.isIt = true;
  await starting;
  await untilNodes(
    'no mark is left',
    (node) => node.metadata.annotations?.[down] === undefined && !hasTaint(node, outdated),
  );
}, 150_000);
