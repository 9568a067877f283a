import { MACHINES } from '../../../../k8s/dialects/openshift/resources.ts';
import type { Resource } from '../../../../k8s/resources.ts';
import { isFields } from '../../../world/kubernetes/kube-object.ts';
import type { Random } from '../../../simulation/time/random.ts';
import { KEEPER, NAMESPACE, OTHER, SET, STALE, UID, VERSION, NAME, type Parts } from './symbols.ts';

export function oneOf<T>(random: Random, items: readonly T[]): T {
  const [first] = items;
  if (first === undefined) throw new Error('nothing to choose from');
  return random.pick(items) ?? first;
}

/** Some of the parts: of a map several of the values that may stand there, laid over each other. */
export function partsOf(random: Random, parts: Parts['main']): Record<string, unknown> {
  const chosen: Record<string, unknown> = {};
  for (const [part, values] of Object.entries(parts)) {
    if (random.chance(0.4)) continue;
    const value = oneOf(random, values);
    const more = random.chance(0.4) ? oneOf(random, values) : undefined;
    chosen[part] = typeof value === 'object' && typeof more === 'object' ? { ...value, ...more } : value;
  }
  return chosen;
}

/** Parts of a body, one over the other. */
export function laid(...layers: readonly (Parts['least'] | undefined)[]): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [part, value] of layers.flatMap((layer) => Object.entries(layer ?? {}))) {
    const below = whole[part];
    whole[part] = isFields(below) && isFields(value) ? { ...below, ...value } : value;
  }
  return whole;
}

interface Metadata {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly [field: string]: unknown;
}

const keeper = { apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE, uid: KEEPER };
const set = { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', name: `${NAME}a`, uid: SET };
const LABELS = [{ x: '1' }, { x: '2' }, { x: '1', y: '1' }, { y: '2' }, {}];
const ANNOTATIONS = [{ n: '1' }, { n: '2', m: '1' }, { m: '1' }, {}];
const FINALIZERS = [['e.com/a'], ['e.com/a', 'e.com/b'], ['e.com/b', 'e.com/a'], ['e.com/c'], ['e.com/b'], []];
const OWNERS = [[keeper], [{ ...keeper, blockOwnerDeletion: true }], []];
const OWNERS_OF_MACHINES = [
  [keeper],
  [{ ...keeper, controller: true }],
  [set],
  [{ ...set, controller: true, blockOwnerDeletion: true }],
  [set, keeper],
  [keeper, set],
  [
    { ...keeper, controller: true },
    { ...set, controller: true },
  ],
  [],
];

export function metadataOf(random: Random, verb: 'create' | 'apply' | 'merge', resource: Resource): Metadata {
  const owners = resource === MACHINES ? OWNERS_OF_MACHINES : OWNERS;
  const isMerge = verb === 'merge';
  /** With what only this verb sends: a merge patch removes, and what is empty is not applied. */
  const of = <T>(values: readonly T[], ...removed: readonly T[]): readonly T[] =>
    isMerge ? [...values, ...removed] : values.filter((value) => verb === 'create' || !isEmpty(value));
  const odd = [
    ...ODD,
    ...(resource.namespaced ? [{ namespace: 'another' }] : []),
    ...(isMerge ? [{ deletionTimestamp: '2020-01-01T00:00:00Z' }] : []),
  ];
  const rarely = verb === 'create' ? 0.02 : 0.1;
  return {
    ...some(random, 0.5, 'labels', of<Metadata['labels']>(LABELS, { x: null }, { x: null, y: '1' })),
    ...some(random, 0.3, 'annotations', of<unknown>(ANNOTATIONS, { n: null }, null)),
    ...some(random, 0.3, 'finalizers', of<unknown>(FINALIZERS, [], null)),
    ...some(random, 0.15, 'ownerReferences', of<unknown>(owners, null)),
    ...some(random, rarely, 'uid', [UID, UID, OTHER]),
    ...some(random, rarely, 'resourceVersion', [VERSION, VERSION, STALE, '1']),
    ...(random.chance(0.02) ? oneOf(random, odd) : {}),
  };
}

function some(random: Random, probability: number, field: string, values: readonly unknown[]): object {
  return random.chance(probability) ? { [field]: oneOf(random, values) } : {};
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** What is not for a client to say. */
const ODD: readonly object[] = [{ creationTimestamp: '2020-01-01T00:00:00Z' }, { name: `${NAME}another` }];

/** A JSON patch of a few steps. */
export function stepsOf(random: Random, { malformed }: Parts): object[] {
  // One that is in no list yet.
  const finalizer = () => `e.com/${random.below(1_000_000)}`;
  const steps = [
    { op: 'test', path: '/metadata/finalizers/0', value: 'e.com/a' },
    { op: 'test', path: '/metadata/finalizers/1', value: 'e.com/b' },
    { op: 'remove', path: '/metadata/finalizers/0' },
    { op: 'remove', path: '/metadata/finalizers/0' },
    { op: 'remove', path: '/metadata/finalizers/1' },
    { op: 'remove', path: '/metadata/finalizers' },
    { op: 'add', path: '/metadata/finalizers/-', value: finalizer() },
    { op: 'add', path: '/metadata/finalizers/0', value: finalizer() },
    { op: 'replace', path: '/metadata/finalizers/0', value: finalizer() },
    { op: 'add', path: '/metadata/finalizers', value: ['e.com/a'] },
    { op: 'test', path: '/metadata/uid', value: oneOf(random, [UID, UID, OTHER]) },
    { op: 'test', path: '/metadata/resourceVersion', value: oneOf(random, [VERSION, VERSION, STALE]) },
    { op: 'replace', path: '/metadata/resourceVersion', value: oneOf(random, [VERSION, STALE, '1']) },
    { op: 'add', path: '/metadata/labels/x', value: '1' },
    { op: 'remove', path: '/metadata/labels/x' },
    { op: 'replace', path: '/metadata/labels/x', value: '2' },
    { op: 'test', path: '/metadata/labels/x', value: '1' },
    { op: 'add', path: '/metadata/annotations', value: { 'a/b': '1' } },
    { op: 'replace', path: '/metadata/annotations/a~1b', value: '2' },
    { op: 'test', path: '/metadata/none/deeper', value: '1' },
    { op: 'test', path: '/metadata/none', value: null },
    { op: 'frob', path: '/metadata/labels/x' },
    { op: 'remove', path: '/status' },
    ...(malformed !== undefined ? [{ op: 'add', path: '/spec/none', value: 1 }] : []),
  ];
  return Array.from({ length: 1 + random.below(3) }, () => oneOf(random, steps));
}
