import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { MACHINE_DEPLOYMENTS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { Taint } from '../../../k8s/model/machine.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { NODES } from '../../../k8s/resources.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { Universe } from '../universe.ts';
import type { People } from './people.ts';

/** What templates say of Nodes, now this and now that. */
export const LABELS = ['example.com/tier', 'example.com/team'] as const;
export const NOTE = 'example.com/note';
export const POOL_TAINT = 'example.com/pool';
const VALUES = ['gold', 'tin', undefined] as const;
/** Of Nodes that come up: somebody takes it off. */
export const BOOTING: Taint = { key: 'example.com/booting', effect: 'NoSchedule' };
/** Evicts pods; on a Machine that is there it has no effect. */
export const EVICTS: Taint = { key: 'example.com/evicts', effect: 'NoExecute' };
/** What somebody writes to a Node: it is to stay. */
export const BY_HAND = 'example.com/by-hand';
export const SCALE_DOWN_DISABLED = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';

/** How long a Node takes to come up, on average, in milliseconds. */
const BOOTING_MS = 15_000;

/** What people change in place, and what they write to Nodes. */
export const SETTINGS_DEEDS = {
  'settle template': async (people: People): Promise<void> => {
    const { random } = people;
    const deployment = random.pick(people.universe.api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS));
    if (deployment === undefined) return;
    const of = () => random.pick(VALUES) ?? null;
    const value = random.pick(VALUES);
    const spec = {
      metadata: { labels: Object.fromEntries(LABELS.map((key) => [key, of()])), annotations: { [NOTE]: of() } },
      taints: value === undefined ? null : [{ key: POOL_TAINT, value, effect: 'PreferNoSchedule' }],
      startupTaints: random.chance(0.5) ? [BOOTING] : null,
      drain: { volumeDetachTimeout: random.pick(['1m', '2m', null]) },
    };
    const { name } = deployment.metadata;
    people.tell(`settles the template of ${name}: ${JSON.stringify(spec)}`);
    await people.patch(MACHINE_DEPLOYMENTS, name, { spec: { template: { spec } } });
  },
  'mark a Node': async (people: People): Promise<void> => {
    const { random } = people;
    const node = random.pick(nodesOf(people.universe));
    if (node === undefined) return;
    const { name, uid, resourceVersion } = node.metadata;
    const label = random.pick(LABELS) ?? LABELS[0];
    // A rollout writes "true" there. Not drawn: what was found by its seed is to be found again.
    const isDisabled = name.charCodeAt(name.length - 1) % 2 === 0 ? 'true' : 'false';
    const patch = random.pick([
      { metadata: { labels: { [BY_HAND]: 'kept' }, annotations: { [SCALE_DOWN_DISABLED]: isDisabled } } },
      { metadata: { annotations: { [BY_HAND]: 'kept' } } },
      { metadata: { labels: { [label]: random.pick(['gold', 'tin']) } } },
      {
        metadata: { resourceVersion },
        spec: { taints: [...(node.spec?.taints ?? []), { key: BY_HAND, effect: 'PreferNoSchedule' }] },
      },
    ]);
    if (patch === undefined) return;
    people.tell(`writes to Node ${name}: ${JSON.stringify(patch)}`);
    const had = wordsOf(people.universe.api.peek(NODES, undefined, name) ?? {});
    await people.others.mergePatch(NODES, undefined, name, patch);
    people.marked.set(uid, [...(people.marked.get(uid) ?? []), ...wordsOf(patch)]);
    // Of what was there already nobody can tell that it is wanted by somebody else as well.
    const unsure = wordsOf(patch).filter((word) => had.includes(word));
    people.unsure.set(uid, [...(people.unsure.get(uid) ?? []), ...unsure]);
  },
  'taint a Machine': async (people: People): Promise<void> => {
    const machine = people.random.pick(people.machines());
    if (machine === undefined) return;
    const { name } = machine.metadata;
    people.tell(`writes a taint that evicts pods to Machine ${name}`);
    await people.patch(MACHINES, name, { spec: { taints: [...(machine.spec.taints ?? []), EVICTS] } });
  },
  'delete deployment': async (people: People): Promise<void> => {
    const deployment = people.random.pick(people.universe.api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS));
    if (deployment === undefined) return;
    people.tell(`deletes MachineDeployment ${deployment.metadata.name}`);
    await people.others.delete(MACHINE_DEPLOYMENTS, NAMESPACE, deployment.metadata.name);
  },
} satisfies Record<string, (people: People) => Promise<void>>;

/** Whoever has Nodes come up takes the taint off each some time after it is there. */
export function bringUpNodes({ universe, random }: Pick<People, 'universe' | 'random'>): void {
  const { api, agenda } = universe;
  api.store.onChange(({ resource, object, previous }) => {
    if (resource !== NODES || !isBooting(object) || (previous !== undefined && isBooting(previous))) return;
    const { name } = object.metadata;
    agenda.after(random.around(BOOTING_MS), () => {
      const node: Node | undefined = api.peek(NODES, undefined, name);
      if (node === undefined) return;
      const taints = (node.spec?.taints ?? []).filter(({ key }) => key !== BOOTING.key);
      api.put({ ...node, spec: { ...node.spec, taints } } as never);
    });
  });
}

/** What a patch puts on a Node, one word each. */
function wordsOf(patch: object): string[] {
  const { metadata = {}, spec = {} } = patch as {
    metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
    spec?: { taints?: readonly Taint[] };
  };
  return [
    ...Object.entries(metadata.labels ?? {}).map(([key, value]) => `label ${key}=${value}`),
    ...Object.entries(metadata.annotations ?? {}).map(([key, value]) => `annotation ${key}=${value}`),
    ...(spec.taints ?? []).filter(({ key }) => key === BY_HAND).map(({ key }) => `taint ${key}=`),
  ];
}

function nodesOf({ api }: Universe): readonly (Node & KubeObject)[] {
  return api.all<Node & KubeObject>(NODES);
}

export function isBooting(node: KubeObject): boolean {
  return (node as unknown as Node).spec?.taints?.some(({ key }) => key === BOOTING.key) === true;
}
