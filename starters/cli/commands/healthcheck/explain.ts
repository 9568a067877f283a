import { rulesOf } from '../../../../activities/health/read-rules.ts';
import type { SeenBody } from '../../../../activities/health/see-health.ts';
import type { MachineHealthCheck } from '../../../../k8s/model/machine-health-check.ts';
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
import { explainCheck, type CheckExplanation } from './explanation.ts';
import { headlineOfCheck, renderCheck } from './render-check.ts';

export interface ExplainOptions extends GlobalOptions {
  /** Temporal Web UI to link to. */
  readonly uiUrl?: string;
}

/** `millwright healthcheck explain NAME`: from the objects, so that it works while nothing of Millwright runs, and Temporal. */
export async function explainHealthCheck(name: string, options: ExplainOptions): Promise<void> {
  const access = openKube(options);
  const explanation = await lookAtCheck(access, name);
  const workflow = await reportWorkflow(explanation.ref, options, options.uiUrl ?? stackUiUrl(options.kubeconfig));
  const { output } = options;
  const { ref: _ref, ...rest } = explanation;
  if (isStructure(output)) {
    printStructure({ summary: headlineOfCheck(rest, workflow), ...rest, workflow }, output);
  } else {
    console.log(renderCheck(rest, workflow, Date.now()));
  }
}

/** A check, the Machines that it selects, and their Nodes. */
export async function lookAtCheck(
  access: KubeAccess,
  name: string,
): Promise<CheckExplanation & Pick<MachineHealthCheck, 'ref'>> {
  const { read } = await findObject(access, 'machineHealthCheck', name);
  const { machineHealthCheck: check } = read;
  const what = 'read the rules of the cluster, by which it goes';
  const { rules } = await attempt(what, () => rulesOf(access, check));
  const bodies = check.malformed === undefined ? await bodiesOf(access, check) : [];
  return { ref: check.ref, ...explainCheck(read, bodies, rules) };
}

async function bodiesOf(access: KubeAccess, { selector }: MachineHealthCheck): Promise<SeenBody[]> {
  const all = await listObjects(access, 'machine', access);
  const machines = all.map(({ read }) => read).filter(({ meta }) => selects(selector, meta.labels));
  const nodes = machines.length === 0 ? [] : await listNodes(access);
  const byUid = new Map(nodes.map((node) => [node.metadata.uid, node]));
  return machines.map((read) => ({ read, node: byUid.get(read.machine.status.nodeRef?.uid ?? '') }));
}

async function listNodes({ kube }: KubeAccess): Promise<readonly Node[]> {
  return attempt('list the Nodes', async () => (await kube.list<Node>(NODES)).items);
}
