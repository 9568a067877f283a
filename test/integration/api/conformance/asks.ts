import { EVENTS, LEASES, NODES, SECRETS, type Resource } from '../../../../k8s/resources.ts';
import { CLUSTERS, MACHINES, MACHINE_CLASSES, MACHINE_SETS } from '../../../../k8s/dialects/openshift/resources.ts';
import { isFields } from '../../../world/kubernetes/kube-object.ts';
import type { Random } from '../../../simulation/time/random.ts';
import { given } from '../../../../providers/given.ts';
import { KINDS } from './kinds.ts';
import { GENERATED, NAME, OTHER, STALE, TARGET, UID, VERSION, type Parts } from './symbols.ts';
import { laid, metadataOf, oneOf, partsOf, stepsOf } from './bodies.ts';

/** A request, in words that mean the same to each server: see `symbols.ts`. */
export interface Ask {
  /** `watch`: from here to the end of the story. */
  readonly verb: 'create' | 'get' | 'list' | 'apply' | 'mergePatch' | 'jsonPatch' | 'delete' | 'watch';
  readonly resource: Resource;
  /** Empty: about all of them. */
  readonly name: string;
  readonly body?: unknown;
  readonly options?: AskOptions;
}

export interface AskOptions {
  readonly fieldManager?: string;
  readonly force?: boolean;
  readonly subresource?: 'status' | 'scale';
  readonly dryRun?: boolean;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

const SHORTEST = 6;
const LONGEST = 16;
/** Few, so that the requests meet. */
const NAMES = ['a', 'a', 'a', 'a', 'a', 'b', 'b', GENERATED];
const MANAGERS = ['ann', 'ben', 'eve'];
/** Which kind a story is about; more often those that the product writes most. */
const SUBJECTS = [
  MACHINES,
  MACHINES,
  MACHINES,
  MACHINES,
  MACHINE_SETS,
  MACHINE_SETS,
  CLUSTERS,
  MACHINE_CLASSES,
  NODES,
  SECRETS,
  LEASES,
  EVENTS,
];
const VERBS: readonly Ask['verb'][] = [
  ...(['create', 'create', 'get', 'list', 'delete', 'delete', 'watch', 'jsonPatch', 'jsonPatch'] as const),
  ...(['apply', 'apply', 'apply', 'apply', 'apply', 'mergePatch', 'mergePatch', 'mergePatch', 'mergePatch'] as const),
];

/** A story of requests that the product could send. */
export function drawStory(random: Random): Ask[] {
  const resource = oneOf(random, SUBJECTS);
  const length = SHORTEST + random.below(LONGEST - SHORTEST);
  const asks: Ask[] = [];
  // Another kind's objects, that this one's may belong to.
  if (resource === MACHINES) asks.push(draw(random, 'create', MACHINE_SETS, 'a'));
  asks.push(draw(random, 'create', resource, 'a'));
  while (asks.length < length) {
    const isOfOwner = resource === MACHINES && random.chance(0.1);
    const verb = isOfOwner
      ? oneOf(random, ['delete', 'get', 'create'] as const)
      : oneOf(random, KINDS.get(resource)?.verbs ?? VERBS);
    const ask = draw(random, verb, isOfOwner ? MACHINE_SETS : resource, oneOf(random, NAMES));
    asks.push(random.chance(0.1) ? spoilt(random, ask) : ask);
  }
  return asks;
}

function draw(random: Random, verb: Ask['verb'], resource: Resource, name: string): Ask {
  const kind = KINDS.get(resource);
  if (kind === undefined) throw new Error(`no bodies are known of ${resource.plural}`);
  const fieldManager = oneOf(random, MANAGERS);
  const isGenerated = resource.namespaced && random.chance(0.1);
  const target = { verb, resource, name };
  switch (verb) {
    case 'get':
      return target;
    case 'create': {
      const { apiVersion } = resource;
      // Each with a beginning of its own: in lists the ends would decide on the order.
      const own = isGenerated ? { generateName: `${NAME}g${random.below(1_000_000)}-` } : { name: TARGET };
      const drawn = metadataOf(random, 'create', resource);
      // Without its label a policy refuses it, and the story would be over.
      const metadata = { ...own, ...drawn, labels: { ...kind.metadata.labels, ...drawn.labels } };
      const parts = laid(kind.least, kind.always, partsOf(random, kind.main));
      const status = kind.status === undefined || random.chance(0.8) ? undefined : oneOf(random, kind.status);
      const body = { apiVersion, kind: resource.kind, metadata, ...parts, ...given({ status }) };
      // With a version, too, a dry run is refused for another reason than a real one.
      const isDry = random.chance(0.1) && !('resourceVersion' in metadata);
      const options = { fieldManager: 'creator', ...given({ dryRun: isDry || undefined }) };
      return { ...target, name: isGenerated ? '' : name, body, options };
    }
    case 'apply':
      return applyOf(random, target, kind, fieldManager);
    case 'mergePatch':
      return mergeOf(random, target, kind, fieldManager);
    case 'jsonPatch':
      return { ...target, body: stepsOf(random, kind), options: { fieldManager } };
    case 'delete':
      return { ...target, options: deletionOf(random, resource) };
    case 'list':
      return { ...target, name: '', options: selectionOf(random, kind) };
    case 'watch': {
      // Such as what ends every story has.
      const selectors = ['', '', 'x', 'x=1', 'x in (1,2)', 'x!=2'];
      const labelSelector = oneOf(random, selectors);
      return { ...target, name: '', options: given({ labelSelector: labelSelector || undefined }) };
    }
  }
}

/** The same request, with something in its body that the definition does not allow. */
function spoilt(random: Random, ask: Ask): Ask {
  const { malformed } = KINDS.get(ask.resource) ?? {};
  const { body, options = {} } = ask;
  if (malformed === undefined || !isFields(body) || options.subresource === 'scale') return ask;
  const part = options.subresource ?? 'spec';
  const bad = oneOf(random, malformed[part]);
  // Nobody applies a null.
  if (ask.verb === 'apply' && JSON.stringify(bad).includes('null')) return ask;
  const good = body[part];
  if (random.chance(0.1)) return { ...ask, body: { ...body, unheardOf: 1 } };
  return { ...ask, body: { ...body, [part]: isFields(bad) && isFields(good) ? { ...good, ...bad } : bad } };
}

type Target = Pick<Ask, 'verb' | 'resource' | 'name'>;

function applyOf(random: Random, target: Target, kind: Parts, fieldManager: string): Ask {
  const options = { fieldManager, ...given({ force: random.chance(0.3) ? false : undefined }) };
  const metadata = { name: TARGET, ...metadataOf(random, 'apply', target.resource) };
  if (kind.status !== undefined && random.chance(0.5)) {
    const body = { metadata: random.chance(0.5) ? { name: TARGET } : metadata, status: oneOf(random, kind.status) };
    return { ...target, body, options: { ...options, subresource: 'status' } };
  }
  if (kind.always === undefined && random.chance(0.1))
    return { ...target, body: { metadata: { name: TARGET } }, options };
  const isWhole = random.chance(0.7);
  const labels = { ...kind.metadata.labels, ...metadata.labels };
  const parts = partsOf(random, kind.main);
  const body = {
    metadata: { ...metadata, labels },
    ...laid(isWhole ? kind.least : {}, kind.always, parts),
  };
  return { ...target, body, options };
}

function mergeOf(random: Random, target: Target, kind: Parts, fieldManager: string): Ask {
  if (kind.hasScale && random.chance(0.25)) {
    const version = random.chance(0.2) ? { metadata: { resourceVersion: oneOf(random, [VERSION, STALE, '1']) } } : {};
    const body = { ...version, spec: { replicas: oneOf(random, [0, 5, 6]) } };
    return { ...target, body, options: { fieldManager, subresource: 'scale' } };
  }
  const isStatus = kind.status !== undefined && random.chance(0.4);
  const metadata = random.chance(isStatus ? 0.3 : 0.6)
    ? { metadata: metadataOf(random, 'merge', target.resource) }
    : {};
  const status =
    kind.status !== undefined && (isStatus || random.chance(0.1))
      ? { status: oneOf(random, [...kind.status, null]) }
      : {};
  const body = { ...metadata, ...(isStatus && random.chance(0.8) ? {} : partsOf(random, kind.main)), ...status };
  return {
    ...target,
    body,
    options: { fieldManager, ...given({ subresource: isStatus ? ('status' as const) : undefined }) },
  };
}

function deletionOf(random: Random, resource: Resource): AskOptions {
  return given({
    uid: random.chance(0.3) ? oneOf(random, [UID, UID, OTHER]) : undefined,
    resourceVersion: random.chance(0.2) ? oneOf(random, [VERSION, VERSION, STALE, '1']) : undefined,
    // Events belong to nobody.
    propagationPolicy:
      resource !== EVENTS && random.chance(0.3)
        ? oneOf(random, ['Background', 'Foreground', 'Orphan'] as const)
        : undefined,
  });
}

function selectionOf(random: Random, kind: Parts): AskOptions {
  const labels = [
    'x',
    '!x',
    'x=1',
    'x==1',
    'x!=1',
    'x in (1,2)',
    'x notin (1)',
    'x=1,y',
    'x,!y',
    'x=',
    '',
    'x in',
    '=1',
  ];
  const fields = ['metadata.name=«name»a', 'metadata.name!=«name»a', 'spec.none=1', 'metadata.name', ...kind.fields];
  return given({
    labelSelector: random.chance(0.6) ? oneOf(random, labels) : undefined,
    fieldSelector: random.chance(0.4) ? oneOf(random, fields) : undefined,
  });
}
