import type { MachineKind } from '../../k8s/dialects/kind.ts';
import type { Node } from '../../k8s/model/node.ts';
import { selects } from '../../k8s/selector.ts';
import { given, unlessEmpty } from '../../providers/given.ts';
import { isRefusal } from '../../k8s/kube-error.ts';
import type { MachineHealthCheck } from '../../k8s/model/machine-health-check.ts';
import type { RemediationTemplate } from '../../k8s/model/remediation-template.ts';
import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import {
  REQUEST_MARK,
  type FoundCheck,
  type HealthSurvey,
  type SurveyHealth,
} from '../../workflows/machine-health-check/health-activities.ts';
import { healthSettingsOf } from '../../workflows/machine-health-check/settings.ts';
import type { MachineDeps } from '../deps.ts';
import type { SeenObjects } from '../seen-objects.ts';
import { withoutDeadClaims } from './claims.ts';
import { fitToTell } from './fit-to-tell.ts';
import { rulesOf } from './read-rules.ts';
import { suspectOf, turnedGoodSince, withNodes, type SeenBody } from './see-health.ts';
import { createClusterPauses, createPauses } from './pauses.ts';
import { findRequest, problemOfTemplate, type RequestDeps } from './remediation-requests.ts';
import { lookAtSets } from './look-at-sets.ts';
import { lostZones } from './lost-zones.ts';
import { knownOutages, type OutageDeps } from './outages.ts';

type Deps = Pick<MachineDeps, 'kube' | 'apis' | 'reader' | 'settings'> & OutageDeps & RequestDeps;

/** Looks at a check, and at all that it is about. */
export async function surveyHealth(deps: Deps, objects: SeenObjects, request: SurveyHealth): Promise<HealthSurvey> {
  const { apis, settings, clock } = deps;
  const { ref } = request;
  const seenAt = clock.timeOfDay();
  const kind = apis.kindOf('machineHealthCheck', ref);
  const look = await objects.see(kind.resource, ref);
  if (look === undefined) return { found: false };
  const { stored, seen } = look;
  const { machineHealthCheck: check, status } = kind.read(stored);
  if (check.malformed !== undefined) {
    const { generation, malformed: message } = check;
    return {
      found: 'malformed',
      message,
      generation,
      status,
      ...given({ seen }),
      settings: healthSettingsOf(settings),
    };
  }
  const { rules, ...cluster } = await rulesOf(deps, check, request.clusterRules);
  const { bodies: all, nodes } = await readBodies(deps, ref.namespace);
  const { selected = [], others = [] } = Object.groupBy(all, ({ read }) =>
    selects(check.selector, read.meta.labels) ? 'selected' : 'others',
  );
  const bodies = await withoutDeadClaims(deps, ref, selected);
  const unwell = bodies.flatMap((body) => {
    const suspect = suspectOf(body, rules);
    return suspect === undefined ? [] : [{ suspect, body }];
  });
  const clusterPausedBy = createClusterPauses(deps);
  const pausedBy = createPauses(deps, clusterPausedBy);
  const unhealthy = await Promise.all(
    unwell.map(async ({ suspect, body }) => ({
      ...suspect,
      ...given({ pausedBy: await pausedBy(body.read), marks: await marksOn(deps, body, check) }),
    })),
  );
  const underway = new Set(request.underway.map(({ uid }) => uid));
  const fit = fitToTell(unhealthy, underway, ref.uid);
  // While all are well, and were, nothing is counted.
  const isOutageOfMatter = unhealthy.length > 0 || request.sightedAt !== undefined;
  const sets = [...fit.suspects.flatMap(({ set }) => set ?? []), ...request.underway.flatMap(({ set }) => set ?? [])];
  const lacking = new Set(fit.suspects.flatMap(({ lacksRoom, set }) => (lacksRoom === true && set ? [set.uid] : [])));
  return {
    found: true,
    seenAt,
    generation: check.generation,
    paused: check.paused,
    ...given({ isDeleting: check.deletedAt !== undefined || undefined }),
    limits: check.limits,
    remediation: check.remediation,
    ...cluster,
    ...given({ templateProblem: await templateProblemOf(deps, check) }),
    expected: bodies.length,
    healthy: bodies.length - unhealthy.length,
    ...fit,
    ...stillInHand(others, ref, underway),
    well: wellOf(bodies, unwell, underway),
    ...given({ turnedGood: turnedGoodSince(request.sightedAt, bodies, rules) }),
    lostZones: lostZones(nodes, all, rules.nodeRules),
    sets: await lookAtSets(deps, sets, { bodies: all, lacking, pausedBy: clusterPausedBy }),
    outages: isOutageOfMatter ? await knownOutages(deps, request.lastOutages) : [],
    status,
    ...given({ seen, proceedAt: check.proceedAt }),
    settings: healthSettingsOf(settings),
  };
}

/** All Machines of a namespace with their Nodes, as they are now. */
async function readBodies(
  { apis, reader }: Deps,
  namespace: string,
): Promise<{ readonly bodies: readonly SeenBody[]; readonly nodes: readonly Node[] }> {
  const lists = await Promise.all(
    apis.kinds('machine').map(async (kind: MachineKind) => {
      const items = await reader.inNamespace(kind, namespace);
      return items.map((item) => kind.read(item));
    }),
  );
  const machines = lists.flat();
  const nodes = machines.length === 0 ? [] : await reader.nodes();
  return { bodies: withNodes(machines, nodes), nodes };
}

/** Undefined: there is nothing left of what the check asked other programs for. */
async function marksOn(
  deps: Deps,
  { read }: SeenBody,
  { ref, remediation }: MachineHealthCheck,
): Promise<readonly string[] | undefined> {
  const { annotations } = read.meta;
  const marks: string[] = [];
  for (const step of remediation.steps) {
    if (step.action === 'Annotate' && annotations[step.key] === step.value) marks.push(step.key);
    // It is made after the claim.
    if (step.action !== 'Template' || read.health.claim?.uid !== ref.uid) continue;
    if (await mayBeRequested(deps, step.template, read.meta.ref)) marks.push(REQUEST_MARK);
  }
  return unlessEmpty(marks);
}

/** What it may not read may be there: nobody is to take it for done. */
async function mayBeRequested(deps: Deps, template: RemediationTemplate, machine: ObjectRef): Promise<boolean> {
  try {
    return (await findRequest(deps, template, machine)) !== undefined;
  } catch (error) {
    if (isRefusal(error)) return true;
    throw error;
  }
}

async function templateProblemOf(deps: Deps, { ref, remediation }: MachineHealthCheck): Promise<string | undefined> {
  const [step] = remediation.steps;
  return step?.action === 'Template' ? problemOfTemplate(deps, ref.namespace, step.template) : undefined;
}

/** Which of those under way are healthy. */
function wellOf(
  bodies: readonly SeenBody[],
  unwell: readonly { readonly body: SeenBody }[],
  underway: ReadonlySet<string>,
): string[] {
  const ill = new Set(unwell.map(({ body }) => body));
  return bodies
    .filter((body) => !ill.has(body))
    .map(({ read }) => read.meta.ref.uid)
    .filter((uid) => underway.has(uid));
}

/** Of Machines that it does not select any more: which still have its claim on, and which under way are being deleted still. */
function stillInHand(
  others: readonly SeenBody[],
  check: ObjectRef,
  underway: ReadonlySet<string>,
): Pick<FoundCheck, 'claimed' | 'leaving'> {
  const claimed: { name: string; uid: string }[] = [];
  const leaving: string[] = [];
  for (const { meta, machine, health } of others.map(({ read }) => read)) {
    const { name, uid } = meta.ref;
    if (machine.deletedAt !== undefined && underway.has(uid)) leaving.push(uid);
    if (machine.deletedAt === undefined && health.claim?.uid === check.uid) claimed.push({ name, uid });
  }
  return { claimed, leaving };
}
