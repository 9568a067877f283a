import type { Role } from '../dialects/kind.ts';
import type { ApiRegistry } from '../dialects/registry.ts';
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
} from '../resources.ts';
import { readCrdManifests, readPolicyManifests, type PolicyManifest } from './manifests.ts';
import { PAUSED_ROLES } from './paused-roles.ts';
import { given } from '../../providers/given.ts';

/** What a process may do with the objects of one role. */
interface Grant {
  readonly verbs: readonly string[];
  /** Absent: the objects themselves. */
  readonly subresource?: 'status' | 'finalizers';
  /** Tells the operator what is not plain. */
  readonly why?: string;
}

type Grants = Readonly<Record<Role, readonly Grant[]>>;

const STATUS: Grant = { subresource: 'status', verbs: ['patch'] };

const WORKER: Grants = {
  machine: [{ verbs: ['get', 'list', 'create', 'patch', 'delete'] }, STATUS],
  machineDeployment: [
    {
      verbs: ['get', 'list', 'patch'],
      why: 'Patched for `spec.paused` only, where a set is adopted that has another template.',
    },
    STATUS,
    {
      subresource: 'finalizers',
      verbs: ['update'],
      why:
        'Where OwnerReferencesPermissionEnforcement is on, this is asked of who makes an object that holds up the deletion ' +
        'of its owner (blockOwnerDeletion).',
    },
  ],
  machineSet: [
    { verbs: ['get', 'list', 'create', 'patch', 'delete'], why: 'Written for MachineDeployments only.' },
    STATUS,
    {
      subresource: 'finalizers',
      verbs: ['update'],
      why:
        'Where OwnerReferencesPermissionEnforcement is on, this is asked of who makes an object that holds up the deletion ' +
        'of its owner (blockOwnerDeletion).',
    },
  ],
  machineClass: [
    {
      verbs: ['get', 'list', 'patch'],
      why: 'Patched for one finalizer only, which keeps a class that is in use.',
    },
    STATUS,
  ],
  machineHealthCheck: [{ verbs: ['get', 'list'] }, STATUS],
  cluster: [{ verbs: ['get', 'list'] }, STATUS],
};

/** By the watcher, whatever the role. */
const WATCHED: readonly Grant[] = [{ verbs: ['list', 'watch'] }];

const PAUSED: readonly Grant[] = [{ verbs: ['list', 'patch'] }];
const TAKE_OVER: Partial<Grants> = {
  ...Object.fromEntries(PAUSED_ROLES.map((role) => [role, PAUSED])),
  cluster: [{ verbs: ['list', 'create', 'patch'] }],
};

export interface Rule {
  readonly why?: string;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface ClusterRole {
  readonly name: string;
  /** Tells the operator what it is for. */
  readonly about?: string;
  readonly rules: readonly Rule[];
}

const CLUSTER_UID: Rule = {
  why: 'The uid of kube-system tells one cluster from another.',
  ...rule(NAMESPACES, ['get']),
  resourceNames: ['kube-system'],
};

/** What a drain of a Node takes, beside the Node. */
const DRAIN: readonly Rule[] = [
  {
    why: 'Pods are evicted, which their budgets may refuse. They are deleted only where `spec.drain` says Force, or the label `force-deletion`.',
    ...rule(PODS, ['get', 'list', 'delete']),
  },
  { apiGroups: [''], resources: [`${PODS.plural}/eviction`], verbs: ['create'] },
  { why: 'A pod of a DaemonSet that exists is left alone.', ...rule(DAEMON_SETS, ['get', 'list']) },
  { why: 'What a budget still allows is told where it holds up a drain.', ...rule(DISRUPTION_BUDGETS, ['list']) },
  { why: 'A deletion waits until volumes are detached.', ...rule(VOLUME_ATTACHMENTS, ['list']) },
  { why: 'Volumes of pods that are left alone are not waited for.', ...rule(VOLUME_CLAIMS, ['get']) },
  rule(VOLUMES, ['get']),
  {
    why: 'To tell whether the Deployment of a pod that its budget keeps can be rolled, so that a new pod comes first.',
    ...rule(DEPLOYMENTS, ['get']),
    resources: [DEPLOYMENTS.plural, REPLICA_SETS.plural],
  },
];

/** Of what Metal3 remediates machines by. */
const METAL3 = 'infrastructure.cluster.x-k8s.io';

/** What each part of Millwright may do where these APIs are driven, and nothing more. */
export async function readClusterRoles(apis: ApiRegistry): Promise<ClusterRole[]> {
  const [crds, policies] = await Promise.all([readCrdManifests(apis), readPolicyManifests(apis)]);
  const policyNames = [...new Set(policies.map(({ metadata }) => metadata.name))].sort();
  return [
    {
      name: 'millwright-worker',
      rules: [
        ...rulesOf(apis, (role) => WORKER[role]),
        ...askedRulesOf(apis),
        rule(NODES, ['get', 'list', 'patch', 'delete']),
        ...DRAIN,
        { why: 'Its conditions tell that a Node is being drained.', ...rule(NODES, ['patch'], 'status') },
        rule(EVENTS, ['create']),
        ...clusterRulesOf(
          apis,
          ['get'],
          'It says when a Node is unhealthy, for health checks that do not say so themselves.',
        ),
        CLUSTER_UID,
      ],
    },
    {
      name: 'millwright-worker-secrets',
      about: 'User-data and cloud credentials, by the name a Machine gives. No list: it reads what it can name.',
      rules: [rule(SECRETS, ['get'])],
    },
    {
      name: 'millwright-worker-lease',
      about:
        'The Leases by which the machines of a control plane are drained and terminated one at a time. To be bound in the ' +
        "namespace of the worker's option --lease-namespace, not cluster-wide.",
      rules: [rule(LEASES, ['get', 'create', 'patch'])],
    },
    {
      name: 'millwright-worker-surge',
      about:
        'To roll Deployments with the annotation millwright.dev/drain: surge where their budgets hold up a drain. Not ' +
        'bound by default. May be bound in single namespaces.',
      rules: [rule(DEPLOYMENTS, ['patch'])],
    },
    {
      name: 'millwright-worker-metal3',
      about:
        'Where MachineHealthChecks have machines remediated by Metal3 (spec.remediationTemplate): its templates are read, and its ' +
        'orders made and deleted. Not bound by default. For other programs bind a role like this one, with their kinds.',
      rules: [
        { apiGroups: [METAL3], resources: ['metal3remediationtemplates'], verbs: ['get'] },
        { apiGroups: [METAL3], resources: ['metal3remediations'], verbs: ['get', 'create', 'delete'] },
      ],
    },
    {
      name: 'millwright-watcher',
      rules: [
        ...rulesOf(apis, () => WATCHED),
        rule(NODES, ['list', 'watch']),
        {
          why: 'Of Nodes that are being drained: when pods have left is not waited for.',
          ...rule(PODS, ['list', 'watch']),
        },
        ...clusterRulesOf(
          apis,
          ['list', 'watch'],
          'One ConfigMap, by its name: health checks are woken when it changes.',
        ),
        CLUSTER_UID,
      ],
    },
    {
      name: 'millwright-watcher-lease',
      about:
        "The Lease by which one of several watchers is the active one. To be bound in the Lease's namespace, not " +
        'cluster-wide.',
      rules: [rule(LEASES, ['get', 'create', 'patch'])],
    },
    {
      name: 'millwright-install',
      about: "`millwright install`, where nobody else's API is taken over. What it writes it may write by name only.",
      rules: [
        {
          why: "All of them, to see whether the group is somebody else's.",
          ...rule(CUSTOM_RESOURCE_DEFINITIONS, ['list']),
        },
        {
          ...rule(CUSTOM_RESOURCE_DEFINITIONS, ['get', 'create', 'patch']),
          resourceNames: crds.map(({ metadata }) => metadata.name).sort(),
        },
        { why: 'To see whether the API server has them at all.', ...rule(VALIDATING_ADMISSION_POLICIES, ['list']) },
        {
          ...rule(VALIDATING_ADMISSION_POLICIES, ['create', 'patch']),
          resources: [VALIDATING_ADMISSION_POLICIES.plural, VALIDATING_ADMISSION_POLICY_BINDINGS.plural],
          resourceNames: policyNames,
        },
        {
          why: 'To wait until they are in force.',
          ...rule(VALIDATING_ADMISSION_POLICIES, ['get']),
          resourceNames: policyNames,
        },
        ...parameterRulesOf(apis, policies),
      ],
    },
    {
      name: 'millwright-install-take-over',
      about:
        'What `millwright install --take-over` does beside: it looks for known controllers, pauses what is there, makes ' +
        'a Cluster for each cluster whose instances the Machines there have, and marks every definition of the group, ' +
        'also those that Millwright does not bring.',
      rules: [
        rule(DEPLOYMENTS, ['list']),
        rule(PODS, ['list']),
        ...rulesOf(apis, (role) => TAKE_OVER[role] ?? []),
        rule(CUSTOM_RESOURCE_DEFINITIONS, ['patch']),
      ],
    },
  ];
}

/** For the ConfigMaps with the cluster's rules of health. A list or a watch is allowed where it asks for one such name only. */
function clusterRulesOf(apis: ApiRegistry, verbs: readonly string[], why: string): Rule[] {
  const names = apis.clusterRules().map(({ name }) => name);
  return names.length === 0 ? [] : [{ why, ...rule(CONFIG_MAPS, verbs), resourceNames: names }];
}

/** For what policies look at beside the object that is written. */
function parameterRulesOf(apis: ApiRegistry, policies: readonly PolicyManifest[]): Rule[] {
  const why = 'Who writes a policy that looks at them has to be allowed to read them.';
  return apis
    .all()
    .filter(({ resource: { apiVersion, kind } }) =>
      policies.some(({ spec: { paramKind } }) => paramKind?.apiVersion === apiVersion && paramKind.kind === kind),
    )
    .map(({ resource }) => ({ why, ...rule(resource, ['get', 'list']) }));
}

/** What the policies of kinds of Machines ask of the worker beside. */
function askedRulesOf(apis: ApiRegistry): Rule[] {
  return apis
    .kinds('machine')
    .flatMap(({ resource, askedVerbs }) =>
      askedVerbs === undefined ? [] : [{ why: askedVerbs.why, ...rule(resource, askedVerbs.verbs) }],
    );
}

/** The rules for the objects of all kinds; what is granted for several resources of one group is one rule. */
function rulesOf(apis: ApiRegistry, grantsOf: (role: Role) => readonly Grant[]): Rule[] {
  const rules = new Map<string, Rule>();
  for (const { role, resource } of apis.all()) {
    for (const { verbs, subresource, why } of grantsOf(role)) {
      const one = rule(resource, verbs, subresource);
      const key = JSON.stringify([one.apiGroups, verbs, why]);
      const resources = [...(rules.get(key)?.resources ?? []), ...one.resources];
      rules.set(key, { ...given({ why }), ...one, resources });
    }
  }
  return [...rules.values()];
}

function rule({ apiVersion, plural }: Resource, verbs: readonly string[], subresource?: string): Rule {
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  return { apiGroups: [group], resources: [subresource === undefined ? plural : `${plural}/${subresource}`], verbs };
}
