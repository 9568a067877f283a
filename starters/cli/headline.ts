import { meaningOf } from '../../providers/aws/ec2-errors.ts';
import type { ProviderErrorCode } from '../../providers/provider.ts';
import { formatSpan } from './age.ts';
import type { Explanation } from './explanation.ts';
import type { WorkflowReport } from './workflow-report.ts';

/** What has to come for a machine to go on, by the reason that its status gives. */
const BY_REASON: ReadonlyMap<string, string> = new Map(
  Object.entries({
    InvalidConfiguration: 'a corrected configuration',
    SecretMissing: 'a missing Secret',
    MachineClassMissing: 'a missing MachineClass',
    MachineClassInvalid: 'a corrected MachineClass',
    MachineClassDeleting: 'a MachineClass that is not being deleted',
    KubernetesRefused: 'a permission in Kubernetes',
    MalformedObject: 'the Machine object to be mended',
    Paused: 'the pause to be taken off',
    NodeNotJoined: 'its Node to join the cluster',
    NodeAmbiguous: 'its Node to be told from others',
    NodeMissing: 'its Node to register again',
    InstanceMissing: 'proof that its instance is gone',
    InstanceOfAnother: 'somebody to say whose its instance is',
    ManyInstancesMissing: 'the cloud to list its instances again',
    HookPresent: 'others to remove their hooks',
    InstanceTerminating: 'its instance to be terminated',
    ErrorCheckingProvider: 'the cloud to tell of its instance',
    CloudNotAnswering: 'the cloud, which does not answer',
    LaunchOutcomeUnknown: 'the outcome of a launch that the cloud never answered',
    AwaitingTurn: 'its turn to call the cloud, under the limits of the account',
    Settling: 'the outcome of a launch that the cloud never answered',
  }),
);

/** The same by the class of a cloud's error. */
const BY_ERROR: Readonly<Partial<Record<ProviderErrorCode, string>>> = {
  ResourceExhausted: 'the cloud to have capacity',
  Throttled: 'the cloud, which throttles our calls',
  Unauthenticated: 'credentials that the cloud accepts',
  PermissionDenied: 'a permission in the cloud',
  InvalidArgument: 'a corrected configuration',
  Unavailable: 'the cloud, which cannot be reached or is out of service',
  DeadlineExceeded: 'the cloud, which does not answer',
  Internal: 'the cloud, which fails by an error of its own',
};

/** In one line, for somebody who knows nothing of Millwright: what the machine waits for, and what came back last. */
export function headlineOf(explanation: Explanation, workflow: WorkflowReport | undefined, now: number): string {
  return oneLine(sentenceOf(explanation, workflow, now));
}

function sentenceOf(explanation: Explanation, workflow: WorkflowReport | undefined, now: number): string {
  const { phase, step, reason, waitsFor, lastError, nextTry, node } = explanation;
  if (step === 'Failed') return `Failed, for good: ${lastError ?? 'it is not said why'}`;
  // Where nobody is at work, what the status says was true once.
  if (workflow?.obstacle !== undefined) return `Waiting for ${workflow.obstacle}`;
  if (reason !== undefined)
    return `Waiting for ${subjectOf(step, reason)}: ${waitsFor}${whenNext(reason, nextTry, now)}`;
  if (phase !== 'Running' || step !== 'Running') return `Waiting for ${waitsFor}`;
  if (lastError !== undefined) return `Running, but not well: ${lastError}`;
  return `Running: Node ${node ?? ''} has joined, and the machine waits for nothing`;
}

function subjectOf(step: string, reason: string): string {
  const known = BY_REASON.get(reason);
  if (known !== undefined) return known;
  const code = isErrorCode(reason) ? reason : meaningOf(reason, '')?.code;
  if (code === 'ResourceExhausted' && /limit|quota|count/i.test(reason)) return 'room in a quota of the cloud';
  return (code === undefined ? undefined : BY_ERROR[code]) ?? `step ${step} to work (${reason})`;
}

function isErrorCode(reason: string): reason is ProviderErrorCode {
  return Object.hasOwn(BY_ERROR, reason);
}

function whenNext(reason: string, nextTry: string, now: number): string {
  const at = Date.parse(nextTry);
  if (Number.isNaN(at)) return '';
  const what = reason === 'NodeNotJoined' || reason === 'NodeAmbiguous' ? 'given up' : 'next try';
  return at > now ? ` (${what} in ${formatSpan(at - now)})` : ` (${what} due)`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
