import type { ObjectRef } from '../../../../k8s/model/object-ref.ts';
import { explain, withHealth } from '../../explanation/explanation.ts';
import { findObject } from '../../access/find-object.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { askCheck } from '../../access/ask-check.ts';
import { readHealthOf } from '../../explanation/health-of-machine.ts';
import { headlineOf } from '../../explanation/headline.ts';
import { openKube } from '../../access/kube-access.ts';
import { isStructure, printStructure } from '../../output/print-structure.ts';
import { renderExplanation } from '../../explanation/render-explanation.ts';
import { stackUiUrl } from '../../explanation/ui-link.ts';
import { reportWorkflow, type WorkflowReport } from '../../explanation/workflow-report.ts';

export interface ExplainOptions extends GlobalOptions {
  /** Temporal Web UI to link to. */
  readonly uiUrl?: string;
}

/** `millwright machine explain NAME`: from the object, so that it works while nothing of Millwright runs, and Temporal. */
export async function explainMachine(name: string, options: ExplainOptions): Promise<void> {
  const access = openKube(options);
  const { read } = await findObject(access, 'machine', name);
  const now = Date.now();
  const [workflow, health] = await Promise.all([
    reportMachine(read.machine.ref, options),
    readHealthOf(access, read, (ref) => askCheck(ref, options), now),
  ]);
  const explanation = withHealth(explain(read), health);
  const { output } = options;
  if (isStructure(output)) {
    printStructure({ summary: headlineOf(explanation, workflow, now), ...explanation, workflow }, output);
  } else {
    console.log(renderExplanation(explanation, workflow, now));
  }
}

/** What Temporal says of a Machine's workflow. */
export function reportMachine(ref: ObjectRef, options: ExplainOptions): Promise<WorkflowReport> {
  return reportWorkflow(ref, options, options.uiUrl ?? stackUiUrl(options.kubeconfig));
}
