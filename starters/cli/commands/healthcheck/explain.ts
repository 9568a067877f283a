import { withoutDeadClaims } from '../../../../activities/health/claims.ts';
import { rulesOf } from '../../../../activities/health/read-rules.ts';
import { withNodes, type SeenBody } from '../../../../activities/health/see-health.ts';
import type { MachineHealthCheck } from '../../../../k8s/model/machine-health-check.ts';
import type { ObjectRef } from '../../../../k8s/model/object-ref.ts';
import type { CheckSight } from '../../../../workflows/machine-health-check/messages.ts';
import type { Node } from '../../../../k8s/model/node.ts';
import { NODES } from '../../../../k8s/resources.ts';
import { selects } from '../../../../k8s/selector.ts';
import { findObject, listObjects } from '../../access/find-object.ts';
import { openKube, type KubeAccess } from '../../access/kube-access.ts';
import { attempt } from '../../cli-error.ts';
import { stackUiUrl } from '../../explanation/ui-link.ts';
import { reportWorkflow } from '../../explanation/workflow-report.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { isStructure, printStructure } from '../../output/print-structure.ts';
import { askCheck, isToldWhole } from '../../access/ask-check.ts';
import { explainCheck, type CheckExplanation } from './explanation.ts';
import { headlineOfCheck, renderCheck } from './render-check.ts';

export interface ExplainOptions extends GlobalOptions {
  /** Temporal Web UI to link to. */
  readonly uiUrl?: string;
}

/** `millwright healthcheck explain NAME`: from the objects, so that it works while nothing of Millwright runs, and Temporal. */
export async function explainHealthCheck(name: string, options: ExplainOptions): Promise<void> {
  const access = openKube(options);
  const explanation = await lookAtCheck(access, name, (ref) => askCheck(ref, options));
  const workflow = await reportWorkflow(explanation.ref, options, options.uiUrl ?? stackUiUrl(options.kubeconfig));
  const { output } = options;
  const { ref: _ref, ...rest } = explanation;
  if (isStructure(output)) {
    printStructure({ summary: headlineOfCheck(rest, workflow), ...rest, workflow }, output);
  } else {
    console.log(renderCheck(rest, workflow, Date.now()));
  }
}

/**
 * A check, the Machines that it selects, and their Nodes.
 *
 * @param ask asks its workflow for what its status does not tell
 */
export async function lookAtCheck(
  access: KubeAccess,
  name: string,
  ask: (ref: ObjectRef) => Promise<CheckSight | undefined>,
): Promise<CheckExplanation & Pick<MachineHealthCheck, 'ref'>> {
  const { read } = await findObject(access, 'machineHealthCheck', name);
  const { machineHealthCheck: check, status } = read;
  const what = 'read the rules of the cluster, by which it goes';
  const now = await attempt(what, () => rulesOf(access, check));
  const sight = isToldWhole(status) && now.rulesProblem === undefined ? undefined : await ask(check.ref);
  const { rules } = sight?.clusterRules === undefined ? now : await rulesOf(access, check, sight.clusterRules);
  const bodies = check.malformed === undefined ? await bodiesOf(access, check) : [];
  const listed = sight?.unhealthy ?? status.unhealthyMachines ?? [];
  const problem = sight === undefined ? now.rulesProblem : undefined;
  return { ref: check.ref, ...explainCheck(read, listed, bodies, rules, problem) };
}

async function bodiesOf(access: KubeAccess, { ref, selector }: MachineHealthCheck): Promise<SeenBody[]> {
  const all = await listObjects(access, 'machine', access);
  const machines = all.map(({ read }) => read).filter(({ meta }) => selects(selector, meta.labels));
  const nodes = machines.length === 0 ? [] : await listNodes(access);
  return withoutDeadClaims(access, ref, withNodes(machines, nodes));
}

async function listNodes({ kube }: KubeAccess): Promise<readonly Node[]> {
  return attempt('list the Nodes', async () => (await kube.list<Node>(NODES)).items);
}
