/** Where in the life of an object a request stands: the number by which a fault finds it again in another run. */
import { given } from '../../../providers/given.ts';

/** `get`, `list`, `create`, `patch`, `launch`, …: what a request wants, in the words of the API behind the proxy. */
export interface ClassifiedRequest {
  readonly verb: string;
  /** With its subresource, e.g. `machines/status`. */
  readonly resource: string;
  /** What it is about, e.g. `default/web-1`; of a list: the namespace. Empty: nothing in particular. */
  readonly object: string;
  /** The answer comes bit by bit and has to be passed on like that (a watch). @default false */
  readonly streams?: boolean;
}

export interface RequestPoint {
  readonly verb: string;
  readonly resource: string;
  readonly object: string;
  /** How many requests with this verb, resource and object there were, this one included: from 1. */
  readonly ordinal: number;
}

/** What is given has to fit; `{}` fits every point. */
export type PointSelector = Partial<RequestPoint>;

/** e.g. `PATCH machines/status #2`: the same for each object. */
export function pointName({ verb, resource, ordinal }: Omit<RequestPoint, 'object'>): string {
  return `${verb.toUpperCase()} ${resource} #${ordinal}`;
}

/** e.g. `PATCH machines/status #2 of default/web-1`. */
export function describePoint(point: RequestPoint): string {
  return point.object === '' ? pointName(point) : `${pointName(point)} of ${point.object}`;
}

/** Reads what {@link pointName} or {@link describePoint} wrote. */
export function parsePoint(text: string): PointSelector {
  const match = /^(\S+) (\S+) #(\d+)(?: of (.+))?$/.exec(text);
  const [, verb, resource, ordinal, object] = match ?? [];
  if (verb === undefined || resource === undefined) {
    throw new Error(`"${text}" is no point; one is written like "PATCH machines/status #2 of default/web-1"`);
  }
  return {
    verb: verb.toLowerCase(),
    resource,
    ordinal: Number(ordinal),
    ...given({ object }),
  };
}

export function pointFits(selector: PointSelector, point: RequestPoint): boolean {
  const { verb, resource, object, ordinal } = selector;
  return (
    // An action without a word of ours keeps AWS's, with its capitals.
    (verb === undefined || verb.toLowerCase() === point.verb.toLowerCase()) &&
    (resource === undefined || resource === point.resource) &&
    (object === undefined || object === point.object) &&
    (ordinal === undefined || ordinal === point.ordinal)
  );
}

/** Gives out ordinals; goes on counting whoever sends the requests. */
export class PointCounter {
  readonly #seen = new Map<string, number>();

  next({ verb, resource, object }: ClassifiedRequest): RequestPoint {
    const key = JSON.stringify([verb, resource, object]);
    const ordinal = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, ordinal);
    return { verb, resource, object, ordinal };
  }
}
