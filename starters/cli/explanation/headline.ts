import { rowOf, waitsForOf } from '../../../k8s/model/reasons/reasons.ts';
import { formatSpan } from '../output/age.ts';
import type { Explanation } from './explanation.ts';
import type { WorkflowReport } from './workflow-report.ts';
import { oneLine } from '../../../providers/one-line.ts';

/** In one line, for somebody who knows nothing of Millwright: what the machine waits for, and what came back last. */
export function headlineOf(explanation: Explanation, workflow: WorkflowReport | undefined, now: number): string {
  return oneLine(sentenceOf(explanation, workflow, now));
}

function sentenceOf(explanation: Explanation, workflow: WorkflowReport | undefined, now: number): string {
  const { phase, step, reason, retryClass, waitsFor, lastError, nextTry, node } = explanation;
  const { health = '', isUnhealthy } = explanation;
  if (step === 'Failed') return `Failed, for good: ${lastError ?? 'it is not said why'}`;
  // Where nobody is at work, what the status says was true once.
  if (workflow?.obstacle !== undefined) return `Waiting for ${workflow.obstacle}`;
  if (reason !== undefined) {
    const subject = waitsForOf({ reason, retryClass }) ?? `step ${step} to work (${reason})`;
    return `Waiting for ${subject}: ${waitsFor}${whenNext(reason, nextTry, now)}`;
  }
  if (phase !== 'Running' || step !== 'Running') return `Waiting for ${waitsFor}`;
  if (lastError !== undefined) return `Running, but not well: ${lastError}`;
  if (isUnhealthy === true) return `Running, but not healthy for its health check: ${health}`;
  return `Running: Node ${node ?? ''} has joined, and the machine waits for nothing`;
}

function whenNext(reason: string, nextTry: string, now: number): string {
  const at = Date.parse(nextTry);
  if (Number.isNaN(at)) return '';
  const what = rowOf(reason)?.givesUp === true ? 'given up' : 'next try';
  return at > now ? ` (${what} in ${formatSpan(at - now)})` : ` (${what} due)`;
}
