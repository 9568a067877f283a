import { isFields, type Fields } from '../../../world/kubernetes/kube-object.ts';
import { GENERATED, KEEPER, NAMESPACE } from './symbols.ts';
import { given } from '../../../../providers/given.ts';

// Fields that the real one fills in with defaults of a core kind. No product code reads them.
const DEFAULTED: readonly (readonly [field: string, value: string])[] = [
  ['daemonEndpoints', '{"kubeletEndpoint":{"Port":0}}'],
  ['eventTime', 'null'],
  ['firstTimestamp', 'null'],
  ['lastTimestamp', 'null'],
  ['reportingComponent', '""'],
  ['reportingInstance', '""'],
  ['source', '{}'],
  // Of an object that goes with the apply that takes its last one off.
  ['finalizers', 'null'],
];
const isDefaulted = (name: string, value: unknown) =>
  name === 'nodeInfo' || DEFAULTED.some(([field, text]) => field === name && text === JSON.stringify(value));

/** What a server answers, with symbols for its own values: as far as two servers can agree on it. */
export class Essence {
  readonly #namespace: string;
  readonly #prefix: string;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #generated: string[] = [];

  /** @param prefix what all names of the story begin with */
  constructor(
    { namespace, namespaceUid }: { readonly namespace: string; readonly namespaceUid: string },
    prefix: string,
  ) {
    this.#namespace = namespace;
    this.#prefix = prefix;
    this.#uids.set(namespaceUid, KEEPER);
  }

  /** A name that the server chose. */
  generated(name: string): void {
    this.#generated.push(name);
  }

  of(answer: unknown): unknown {
    let text = JSON.stringify(this.#normalised(answer));
    for (const [uid, symbol] of this.#uids) text = text.replaceAll(uid, symbol);
    this.#generated.forEach((name, index) => (text = text.replaceAll(name, `${GENERATED} ${index}`)));
    return JSON.parse(text.replaceAll(this.#namespace, NAMESPACE).replaceAll(this.#prefix, '')) as unknown;
  }

  #normalised(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => this.#normalised(item));
    if (!isFields(value)) return value;
    const fields: Fields = {};
    for (const name of Object.keys(value).sort()) {
      if (isDefaulted(name, value[name])) continue;
      if (name === 'managedFields') fields[name] = managersOf(value[name]);
      else if (name === 'metadata' && isFields(value[name])) fields[name] = this.#identified(value[name]);
      else fields[name] = this.#normalised(value[name]);
    }
    return fields;
  }

  #identified({ uid, resourceVersion, ...metadata }: Fields): unknown {
    const normalised = this.#normalised(metadata) as Fields;
    for (const time of ['creationTimestamp', 'deletionTimestamp']) if (time in normalised) normalised[time] = 'a time';
    return {
      ...normalised,
      ...given({
        uid: uid === undefined ? undefined : symbolOf(this.#uids, uid, 'uid'),
        resourceVersion:
          resourceVersion === undefined ? undefined : symbolOf(this.#versions, resourceVersion, 'version'),
      }),
    };
  }
}

/** The same word for the same value, by the order in which they are seen. */
function symbolOf(known: Map<string, string>, value: unknown, word: string): string {
  const symbol = known.get(String(value)) ?? `${word} ${known.size}`;
  known.set(String(value), symbol);
  return symbol;
}

function managersOf(entries: unknown): unknown {
  if (!Array.isArray(entries)) return entries;
  const managers = (entries as readonly Fields[]).map(({ time: _time, fieldsV1, ...who }) => {
    return { ...who, fields: sorted(fieldsV1) };
  });
  return managers.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function sorted(value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}
