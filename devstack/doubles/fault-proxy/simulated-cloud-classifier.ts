/** Requests to the simulated cloud. */

import { parseBody, pick, pickText } from './proxied-request.ts';
import type { Classifier, ProxiedRequest } from './proxied-request.ts';
import type { ClassifiedRequest } from './request-point.ts';

export interface SimulatedCloudClassifierOptions {
  /**
   * The Machine, as `namespace/name`, of a uid or client token that no launch through this proxy has told yet.
   * undefined: the uid or token itself counts as the object. @default nothing is known
   */
  readonly machineOf?: (uidOrToken: string) => string | undefined;
}

/**
 * Verbs are launch, describe, terminate, tag and get; resources are `instances` and `catalog`. Describes are told apart by
 * what they ask by: `instances/by-id`, `…/by-machine`, `…/by-token`, `…/by-name`, `…/by-cluster`, `…/all`. The object is the
 * Machine, `namespace/name`; where one describe is about several they are joined by commas, and by cluster it is the cluster.
 * The switches, the health and the ledger are not numbered.
 */
export function createSimulatedCloudClassifier(options: SimulatedCloudClassifierOptions = {}): Classifier {
  /** Instance id, machine uid and token → the Machine. */
  const machines = new Map<string, string>();
  const machineOf = (key: string): string => machines.get(key) ?? options.machineOf?.(key) ?? key;

  const classifyDescribe = (request: ProxiedRequest): ClassifiedRequest => {
    const body = parseBody(request);
    const describe = (by: string, object: string): ClassifiedRequest => ({
      verb: 'describe',
      resource: `instances/${by}`,
      object,
    });
    const ids = pick(body, 'ids') ?? pick(body, 'filters', 'instanceIds');
    if (Array.isArray(ids)) return describe('by-id', ids.map(String).map(machineOf).toSorted().join(','));
    const machineUid = pickText(body, 'filters', 'machineUid');
    if (machineUid !== '') return describe('by-machine', machineOf(machineUid));
    const clientToken = pickText(body, 'filters', 'clientToken');
    if (clientToken !== '') return describe('by-token', machineOf(clientToken));
    const many = pick(body, 'filters', 'machineUids') ?? pick(body, 'filters', 'clientTokens');
    if (Array.isArray(many)) return describe('by-machine', many.map(String).map(machineOf).toSorted().join(','));
    const names = pick(body, 'filters', 'names');
    if (Array.isArray(names)) return describe('by-name', names.map(String).toSorted().join(','));
    const name = pickText(body, 'filters', 'name');
    if (name !== '') return describe('by-name', name);
    const cluster = pickText(body, 'filters', 'cluster');
    return cluster === '' ? describe('all', '') : describe('by-cluster', cluster);
  };

  const remember = (machine: string, ...keys: string[]): void => {
    for (const key of keys) if (key !== '') machines.set(key, machine);
  };

  return {
    classify: (request) => {
      const [collection, id, operation] = new URL(request.url, 'http://cloud').pathname.slice(1).split('/');
      if (request.method === 'GET') {
        return collection === 'catalog' ? { verb: 'get', resource: 'catalog', object: '' } : undefined;
      }
      if (collection !== 'instances' || request.method !== 'POST') return undefined;
      if (id === undefined) {
        const body = parseBody(request);
        const machine = ownerIn(body);
        remember(machine, pickText(body, 'tags', 'machineUid'), pickText(body, 'clientToken'));
        return { verb: 'launch', resource: 'instances', object: machine };
      }
      if (id === 'describe') return classifyDescribe(request);
      if (id === 'dry-run') return { verb: 'dryRun', resource: 'instances', object: ownerIn(parseBody(request)) };
      if (operation === undefined || !['terminate', 'reboot', 'tags'].includes(operation)) return undefined;
      const verb = operation === 'tags' ? 'tag' : operation;
      return { verb, resource: 'instances', object: machineOf(decodeURIComponent(id)) };
    },
    learn: (_request, answer) => {
      const body = parseBody(answer);
      const several = pick(body, 'instances');
      for (const instance of Array.isArray(several) ? several : [pick(body, 'instance')]) {
        const machine = ownerIn(instance);
        if (machine === '') continue;
        remember(machine, ...['id', 'machineUid', 'token'].map((key) => pickText(instance, key)));
      }
    },
  };
}

/** `namespace/name` out of the tags; empty where they name no Machine. */
function ownerIn(value: unknown): string {
  const [namespace, name] = [pickText(value, 'tags', 'namespace'), pickText(value, 'tags', 'name')];
  return name === '' ? '' : `${namespace}/${name}`;
}
