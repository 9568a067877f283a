import type { Resource } from '../../../k8s/resources.ts';
import { unanswered } from './refusals.ts';

/** A request as it comes in. */
export interface KubeRequest {
  readonly verb: 'get' | 'list' | 'create' | 'apply' | 'mergePatch' | 'jsonPatch' | 'delete' | 'watch';
  readonly resource: Resource;
  readonly namespace?: string;
  /** Missing where it is about a collection; of a create, the name of the object that is to be. */
  readonly name?: string;
  readonly subresource?: string;
  /** Of a deletion, what it names as its preconditions and its ways. */
  readonly body?: unknown;
  readonly labelSelector?: string;
}

/**
 * What every request goes through: it may wait before or after it is carried out, change the world in between, carry it out
 * twice or not at all, and throw what the client is to see.
 */
export type Passage = <T>(request: KubeRequest, carryOut: () => Promise<T>) => Promise<T>;

export const straight = <T>(_request: unknown, carryOut: () => Promise<T>): Promise<T> => carryOut();

/** Which requests are meant; what is left out is any. */
export interface Meant {
  readonly verb?: KubeRequest['verb'];
  readonly resource?: Resource;
  readonly name?: string;
  readonly subresource?: string;
  /** Only this one of them, counted from 1. */
  readonly nth?: number;
}

export function isWrite({ verb }: KubeRequest): boolean {
  return !['get', 'list', 'watch'].includes(verb);
}

/** Acts right before each of these requests is carried out; what it throws is the answer. */
export function before(meant: Meant, act: (request: KubeRequest) => void | Promise<void>): Passage {
  const isMeant = matcher(meant);
  return async (request, carryOut) => {
    if (isMeant(request)) await act(request);
    return carryOut();
  };
}

/** Carries out these requests and loses their answers. */
export function answerLost(meant: Meant): Passage {
  const isMeant = matcher(meant);
  return async (request, carryOut) => {
    const isLost = isMeant(request);
    const answer = await carryOut();
    if (isLost) throw unanswered(describeRequest(request));
    return answer;
  };
}

export function describeRequest({ verb, resource, namespace, name, subresource }: KubeRequest): string {
  const object = [namespace, name].filter((part) => part !== undefined).join('/');
  return [verb, subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`, object]
    .filter((part) => part !== '')
    .join(' ');
}

function matcher({ nth, ...wanted }: Meant): (request: KubeRequest) => boolean {
  let seen = 0;
  return (request) => {
    const isMeant =
      (wanted.verb ?? request.verb) === request.verb &&
      (wanted.resource ?? request.resource).kind === request.resource.kind &&
      (wanted.name ?? request.name) === request.name &&
      (wanted.subresource ?? request.subresource) === request.subresource;
    if (isMeant) seen += 1;
    return isMeant && (nth === undefined || seen === nth);
  };
}
