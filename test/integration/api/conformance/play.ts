import { isDeepStrictEqual } from 'node:util';
import { ApiServer } from '../../../world/kubernetes/api-server.ts';
import { isFields } from '../../../world/kubernetes/kube-object.ts';
import type { Ask } from './asks.ts';
import { REFUSED_BY_POLICY, Side, type Server } from './side.ts';

/** Where the two servers first differ in a story. */
export interface Difference {
  readonly story: readonly Ask[];
  /** Which request; one behind the last: the watches. */
  readonly at: number;
  readonly real: unknown;
  readonly simulated: unknown;
}

/** After a definition is new, the real collector takes half a minute to look at its objects. */
const GARBAGE_MS = 60_000;
/** How long the search for a shorter story goes on, in milliseconds. */
const SEARCH_MS = 120_000;
/** In names: the real node controller remembers Nodes that are gone, so that a name is used once in a stack. */
const RUN = Date.now().toString(36);
let plays = 0;

/** Tells a story to both servers. */
export async function playStory(realServer: Server, story: readonly Ask[]): Promise<Difference | undefined> {
  const prefix = `c${RUN}-${(plays += 1)}-`;
  const api = new ApiServer({ garbage: 'when told' });
  const real = new Side(realServer, prefix);
  const simulated = new Side(await simulatedServer(api, realServer.namespace), prefix);
  const resources = new Set(story.map(({ resource }) => resource));
  const differ = (at: number, there: unknown, here: unknown) =>
    isDeepStrictEqual(there, here) ? undefined : { story, at, real: there, simulated: here };
  try {
    for (const [at, ask] of story.entries()) {
      const there = await real.ask(ask);
      if (there === REFUSED_BY_POLICY) return undefined;
      const difference = differ(at, there, await simulated.ask(ask));
      if (difference !== undefined) return difference;
      const before = api.store.version;
      api.collectGarbage();
      if (api.store.version === before) continue;
      const wanted = await simulated.glance(resources);
      const left = await collected(() => real.glance(resources), wanted);
      if (left !== wanted) return { story, at, real: left, simulated: wanted };
    }
    return differ(story.length, await real.events(), await simulated.events());
  } finally {
    await real.clear(resources);
  }
}

/** The garbage collector of the real one takes its time. */
async function collected(glance: () => Promise<string>, wanted: string): Promise<string> {
  const until = Date.now() + GARBAGE_MS;
  for (;;) {
    const now = await glance();
    if (now === wanted || Date.now() > until) return now;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function simulatedServer(api: ApiServer, namespace: string): Promise<Server> {
  const namespaceUid = '99999999-2222-4333-8444-555555555555';
  api.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, uid: namespaceUid, managedFields: [] } });
  api.collectGarbage();
  return {
    kube: api.client,
    namespace,
    namespaceUid,
    eventsOf: async (resource, from) => (await api.watch(resource, from)).take() as { type: string; object: object }[],
  };
}

/** The shortest story that still differs: without the requests and the fields that it takes no part of. */
export async function shorten(server: Server, found: Difference): Promise<Difference> {
  let least: Difference = { ...found, story: found.story.slice(0, found.at + 1) };
  const until = Date.now() + SEARCH_MS;
  const attempt = async (story: readonly Ask[]) => {
    if (Date.now() > until) return false;
    const difference = await playStory(server, story);
    const isSame = difference !== undefined && kindOf(difference) === kindOf(found);
    if (isSame) least = difference;
    return isSame;
  };
  for (let at = found.story.length - 1; at >= 0; at--) {
    if (at < least.story.length) await attempt(least.story.filter((_ask, index) => index !== at));
  }
  for (let at = 0; at < least.story.length; at++) {
    for (let isShorter = true; isShorter;) {
      isShorter = false;
      for (const body of withoutOneField(least.story[at]?.body)) {
        isShorter = await attempt(least.story.map((ask, index) => (index === at ? { ...ask, body } : ask)));
        if (isShorter) break;
      }
    }
  }
  return least;
}

/** What tells one difference from another: a story is not to be shortened into that of something else. */
function kindOf({ story, at, real, simulated }: Difference): string {
  const [first = ''] = differences(real, simulated, '');
  const isRefused = [real, simulated].map((answer) => (typeof answer === 'string' ? answer : ''));
  return [story[at]?.verb, ...isRefused, first.split(': ')[0]?.replaceAll(/[.][0-9]+/g, '.n')].join(' ');
}

/** Without them the request would be another one, or be refused for another reason. */
const KEPT = new Set([
  'apiVersion',
  'kind',
  'name',
  'op',
  'path',
  'value',
  'providerSpec',
  'template',
  'selector',
  'machine.openshift.io/cluster-api-cluster',
]);

/** The body without each of its fields and items. What identifies it stays. */
function* withoutOneField(value: unknown): Generator {
  const entries = Array.isArray(value) ? value.entries() : isFields(value) ? Object.entries(value) : [];
  for (const [name, field] of [...entries] as [string | number, unknown][]) {
    const put = (...replaced: readonly unknown[]) =>
      Array.isArray(value)
        ? (value as readonly unknown[]).flatMap((item, index) => (index === name ? replaced : [item]))
        : { ...(value as object), [name]: replaced[0] };
    if (KEPT.has(String(name)) || field === undefined) continue;
    yield put();
    for (const less of withoutOneField(field)) yield put(less);
  }
}

/** A story as it is told to people: the requests, and where the answers differ. */
export function tell({ story, at, real, simulated }: Difference): string {
  const lines = story.slice(0, at + 1).map(({ verb, resource, name, body, options }) => {
    const words = [body, options].map((part) => (part === undefined ? '' : ` ${JSON.stringify(part)}`)).join('  ');
    return `  ${verb} ${resource.plural} ${name}${words}`;
  });
  const where = at < story.length ? 'The last one is answered' : 'The watches tell';
  return [...lines, `${where} differently (real | simulated):`, ...differences(real, simulated, '  ')].join('\n');
}

function differences(real: unknown, simulated: unknown, path: string): string[] {
  if (isDeepStrictEqual(real, simulated)) return [];
  const areMaps = isFields(real) && isFields(simulated);
  const areLists = Array.isArray(real) && Array.isArray(simulated) && real.length === simulated.length;
  if (!areMaps && !areLists) return [`${path}: ${JSON.stringify(real)} | ${JSON.stringify(simulated)}`];
  const [there, here] = [real as Record<string, unknown>, simulated as Record<string, unknown>];
  const names = new Set([...Object.keys(there), ...Object.keys(here)]);
  return [...names].flatMap((name) => differences(there[name], here[name], `${path}.${name}`));
}
