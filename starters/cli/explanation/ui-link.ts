import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Address of a workflow's page in the Temporal UI. */
export function workflowUrl(uiUrl: string, temporalNamespace: string, workflowId: string): string {
  const base = uiUrl.replace(/\/+$/, '');
  return `${base}/namespaces/${encodeURIComponent(temporalNamespace)}/workflows/${encodeURIComponent(workflowId)}`;
}

/** The UI of the embedded stack whose `stack.json` lies beside the kubeconfig in use; undefined where none does. */
export function stackUiUrl(kubeconfig: string | undefined): string | undefined {
  const path = kubeconfig ?? process.env['KUBECONFIG']?.split(delimiter)[0];
  if (path === undefined || path === '') return undefined;
  try {
    const stack: unknown = JSON.parse(readFileSync(join(dirname(path), 'stack.json'), 'utf8'));
    const { uiUrl } = (stack as { temporal: { uiUrl?: unknown } }).temporal;
    return typeof uiUrl === 'string' ? uiUrl : undefined;
  } catch {
    return undefined; // No stack runs there.
  }
}
