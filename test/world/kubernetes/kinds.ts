import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ApiRegistry } from '../../../k8s/dialects/registry.ts';
import {
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  EVENTS,
  LEASES,
  NAMESPACES,
  NODES,
  PODS,
  REPLICA_SETS,
  SECRETS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  VOLUME_ATTACHMENTS,
  VOLUME_CLAIMS,
  VOLUMES,
  type Resource,
} from '../../../k8s/resources.ts';
import { schemaOfCrd, type OpenApiSchema } from './crd-schema.ts';
import { LEAF, listBy, mapOf, METADATA, OPEN, type FieldSchema, type MapSchema } from './field-schema.ts';

/** A kind that the API server serves. */
export interface Kind {
  readonly resource: Resource;
  readonly schema: MapSchema;
  /** Its status is written by a subresource only. */
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  readonly countsGenerations: boolean;
  /** Of a definition: unknown fields are dropped, a new object has no status. */
  readonly isCustom: boolean;
  /** What a definition demands of its objects, of each part of them, and of them as a whole. */
  readonly demands?: Readonly<Record<'main' | 'status' | 'whole', OpenApiSchema>>;
}

interface Crd {
  readonly spec: {
    readonly versions: readonly [
      {
        readonly schema: { readonly openAPIV3Schema: OpenApiSchema };
        readonly subresources?: { readonly status?: object; readonly scale?: object };
      },
    ];
  };
}

/** By the file of the definition, which is read once. */
const customKinds = new Map<string, Kind>();

/** A custom resource, by the text of its definition. */
function customKind(resource: Resource, definition: string): Kind {
  const [{ schema, subresources = {} }] = (parse(definition) as Crd).spec.versions;
  return {
    resource,
    schema: schemaOfCrd(schema.openAPIV3Schema),
    hasStatus: subresources.status !== undefined,
    hasScale: subresources.scale !== undefined,
    countsGenerations: true,
    isCustom: true,
    demands: demandsOf(schema.openAPIV3Schema),
  };
}

function demandsOf(whole: OpenApiSchema): NonNullable<Kind['demands']> {
  const { apiVersion: _version, kind: _kind, metadata = {}, status = {}, ...main } = whole.properties ?? {};
  // What each object has, whether a definition names it or not; of the metadata it does not name the fields.
  const identity = { apiVersion: { type: 'string' }, kind: { type: 'string' } };
  const open = { ...metadata, 'x-kubernetes-preserve-unknown-fields': true };
  return {
    main: { ...whole, properties: main },
    status: { properties: { status } },
    whole: { ...whole, properties: { ...identity, ...whole.properties, metadata: open } },
  };
}

const BY_TYPE = listBy(['type']);

function builtIn(resource: Resource, fields: Readonly<Record<string, FieldSchema>>, countsGenerations = false): Kind {
  const schema = mapOf({ apiVersion: LEAF, kind: LEAF, metadata: METADATA, ...fields }, OPEN);
  const hasStatus = fields['status'] !== undefined;
  return { resource, schema, hasStatus, hasScale: false, countsGenerations, isCustom: false };
}

const BUILT_IN: readonly Kind[] = [
  builtIn(NODES, {
    spec: mapOf({ taints: LEAF }, LEAF),
    status: mapOf({ conditions: BY_TYPE, addresses: BY_TYPE }, OPEN),
  }),
  builtIn(PODS, {
    spec: mapOf({ containers: listBy(['name']) }, OPEN),
    status: mapOf({ conditions: BY_TYPE }, OPEN),
  }),
  builtIn(CONFIG_MAPS, { data: mapOf({}, LEAF) }),
  builtIn(SECRETS, { data: mapOf({}, LEAF), type: LEAF }),
  builtIn(EVENTS, { involvedObject: LEAF }),
  builtIn(NAMESPACES, { spec: OPEN, status: OPEN }),
  builtIn(LEASES, { spec: OPEN }),
  builtIn(DEPLOYMENTS, { spec: OPEN, status: mapOf({ conditions: BY_TYPE }, OPEN) }, true),
  builtIn(REPLICA_SETS, { spec: OPEN, status: OPEN }, true),
  builtIn(DAEMON_SETS, { spec: OPEN, status: OPEN }, true),
  builtIn(DISRUPTION_BUDGETS, { spec: OPEN, status: OPEN }, true),
  builtIn(VOLUME_ATTACHMENTS, { spec: OPEN, status: OPEN }),
  builtIn(VOLUME_CLAIMS, { spec: OPEN, status: OPEN }),
  builtIn(VOLUMES, { spec: OPEN, status: OPEN }),
  builtIn(CUSTOM_RESOURCE_DEFINITIONS, { spec: OPEN, status: mapOf({ conditions: BY_TYPE }, OPEN) }, true),
  builtIn(VALIDATING_ADMISSION_POLICIES, { spec: OPEN, status: mapOf({ conditions: BY_TYPE }, OPEN) }, true),
  builtIn(VALIDATING_ADMISSION_POLICY_BINDINGS, { spec: OPEN }),
];

/** A kind of which no fields are known. */
export function openKind(resource: Resource): Kind {
  return builtIn(resource, { spec: OPEN }, true);
}

/** The kinds of these APIs, by their definitions, and those of Kubernetes that Millwright meets. */
export function servedKinds(apis: ApiRegistry): readonly Kind[] {
  const custom = apis.all().map(({ resource, definition }) => {
    const kind = customKinds.get(definition) ?? customKind(resource, readFileSync(definition, 'utf8'));
    customKinds.set(definition, kind);
    return kind;
  });
  return [...custom, ...BUILT_IN];
}
