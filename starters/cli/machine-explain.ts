import type { MachineObject } from '../../k8s/api/machine.ts';
import { isNotFound } from '../../k8s/kube-error.ts';
import { MACHINES } from '../../k8s/resources.ts';
import { attempt, CliError } from './cli-error.ts';
import { explain } from './explanation.ts';
import type { GlobalOptions } from './global-options.ts';
import { openKube } from './kube-access.ts';
import { printStructure } from './print-structure.ts';
import { renderExplanation } from './render-explanation.ts';
import { stackUiUrl } from './ui-link.ts';
import { reportWorkflow } from './workflow-report.ts';

/** `millwright machine explain NAME`: from the object alone, so that it works while nothing of Millwright runs. */
export async function explainMachine(
  name: string,
  options: GlobalOptions & { readonly uiUrl?: string },
): Promise<void> {
  const { kube, namespace } = openKube(options);
  const machine = await attempt(`read Machine ${namespace}/${name}`, () =>
    kube
      .get<MachineObject>(MACHINES, namespace, name)
      .catch((error: unknown) =>
        Promise.reject(isNotFound(error) ? new CliError(`there is no Machine ${namespace}/${name}`) : error),
      ),
  );
  const { apiVersion, kind, metadata } = machine;
  const ref = { apiVersion, kind, namespace: metadata.namespace, name: metadata.name, uid: metadata.uid };
  const workflow = await reportWorkflow(ref, options, options.uiUrl ?? stackUiUrl(options.kubeconfig));
  const explanation = explain(machine);
  const { output } = options;
  if (output === 'json' || output === 'yaml') printStructure({ ...explanation, workflow }, output);
  else console.log(renderExplanation(explanation, workflow, Date.now()));
}
