import type { ListOptions } from '../../../k8s/client.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { isFields, type KubeObject } from './kube-object.ts';
import { badRequest } from './refusals.ts';

type Test = (labels: Readonly<Record<string, string>>) => boolean;

/** What `labelSelector=` of a request matches. */
export function labelTest(selector: string): (object: KubeObject) => boolean {
  // Commas also stand within the parentheses of a set.
  const tests = (selector.match(/[^,(]+(\([^)]*\))?/g) ?? []).map((part) => requirement(part.trim(), selector));
  return ({ metadata }) => tests.every((test) => test(metadata.labels ?? {}));
}

function requirement(part: string, selector: string): Test {
  const [, key = '', not, values] = /^(\S+) (not)?in \(([^)]*)\)$/.exec(part) ?? [];
  if (values !== undefined) {
    const wanted = new Set(values.split(',').map((value) => value.trim()));
    const isIn: Test = (labels) => labels[key] !== undefined && wanted.has(labels[key]);
    return not === undefined ? isIn : (labels) => !isIn(labels);
  }
  const [, name = '', operator, value = ''] = /^([\w./-]+)\s*(!=|==?)\s*([\w.-]*)$/.exec(part) ?? [];
  if (operator !== undefined) return (labels) => (labels[name] === value) === (operator !== '!=');
  const [, negation, own] = /^(!?)([\w./-]+)$/.exec(part) ?? [];
  if (own === undefined) throw badRequest(`unable to parse requirement: ${selector}`);
  return (labels) => (labels[own] !== undefined) === (negation === '');
}

/** Fields by which every kind can be selected, and those by which Events can. */
const EVERYWHERE = ['metadata.name', 'metadata.namespace'];
const OF_EVENTS = ['kind', 'namespace', 'name', 'uid', 'apiVersion'].map((name) => `involvedObject.${name}`);
const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  Event: [...OF_EVENTS, 'reason', 'reportingComponent', 'type'],
  Pod: ['spec.nodeName', 'status.phase'],
  Node: ['spec.unschedulable'],
  Secret: ['type'],
};

/** What `fieldSelector=` of a request matches. */
export function fieldTest(selector: string, kind: string): (object: KubeObject) => boolean {
  const tests = selector
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [, path = '', operator = '', value = ''] = /^([\w.]+)(!=|==?)(.*)$/.exec(part) ?? [];
      if (![...EVERYWHERE, ...(SELECTABLE[kind] ?? [])].includes(path)) {
        throw badRequest(`field label not supported: ${path}`);
      }
      return (object: KubeObject) => (textAt(object, path) === value) === (operator !== '!=');
    });
  return (object) => tests.every((test) => test(object));
}

function textAt(object: KubeObject, path: string): string {
  let found: unknown = object;
  for (const name of path.split('.')) found = isFields(found) ? found[name] : undefined;
  return typeof found === 'string' || typeof found === 'boolean' ? String(found) : '';
}

/** Which objects a list or a watch is about. */
export function matching({ namespaced, kind }: Resource, options: ListOptions): (object: KubeObject) => boolean {
  const { namespace, labelSelector = '', fieldSelector = '' } = options;
  const [hasLabels, hasFields] = [labelTest(labelSelector), fieldTest(fieldSelector, kind)];
  return (object) => {
    const isInside = !namespaced || namespace === undefined || object.metadata.namespace === namespace;
    return isInside && hasLabels(object) && hasFields(object);
  };
}
