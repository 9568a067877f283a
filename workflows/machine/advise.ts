import type { RetryClass } from '../../providers/provider.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/labels.ts';
import type { Pass } from './pass.ts';

/** What a person can do about where a machine stands: a sentence. */
export function advise(pass: Pass): string {
  const { status, memory } = pass;
  const { error, waiting } = status;
  if (status.phase === 'Failed') return FAILED[error?.reason ?? ''] ?? 'Delete the Machine when it is understood.';
  if (waiting === undefined) {
    const isDoubled = status.conditions.some((c) => c.type === 'InstancesUnique' && c.status === 'False');
    if (isDoubled) {
      return 'Nothing for instances that are ended. Find out whose one is that is left alone: end it by hand, or take its tag `millwright/machine-uid` off.';
    }
    const isOutdated = status.conditions.some((c) => c.type === 'UpToDate' && c.status === 'False');
    if (isOutdated) return 'Nothing has to be done. To get the new spec, delete the Machine and make another.';
    return 'Nothing: it goes on by itself.';
  }
  const known = WAITING[waiting.reason];
  if (known !== undefined) return known;
  const last = memory.attempt?.lastError;
  const isLaunchError = last !== undefined && waiting.reason === (last.cloudCode ?? last.code);
  return BY_CLASS[(isLaunchError ? last.retryClass : undefined) ?? CLASSES[waiting.reason] ?? 'soon'];
}

const FAILED: Readonly<Record<string, string>> = {
  JoinClusterTimeoutError:
    "Read the instance's console output: its user-data, its network and its kubelet keep it from joining. Then delete the Machine, which ends the instance.",
  UpdateError: 'Delete the Machine: its MachineSet, if it has one, makes another.',
};

/** By the reason of the wait. */
const WAITING: Readonly<Record<string, string>> = {
  Paused: `Take off the pause (the annotation \`${PAUSED_ANNOTATION}\`, or that of whoever is named above) when it may go on.`,
  AccountChanged:
    'Put credentials of the account that is named above into the Secret again, or tell whoever changed them: the instance is in that account.',
  MalformedObject: 'Mend the field that is named above; it goes on at once.',
  KubernetesRefused: 'Allow what was refused (permissions, admission webhook, quota); it goes on at the next try.',
  SecretMissing: 'Create the Secret, or correct its name in the spec; it goes on at the next try.',
  MachineClassMissing: 'Create the MachineClass, or correct its name in the spec; it goes on at once.',
  MachineClassInvalid: 'Correct the MachineClass; it goes on at once.',
  InvalidConfiguration: 'Correct the field that is named above; it goes on at once.',
  AwaitingTurn:
    'Nothing: its call is made when the limits of the cloud have room for it, oldest first. Where that takes too long, have the cloud raise them, and tell the worker (`--cloud-rates`).',
  Settling: 'Nothing: it goes on when it is proved that the last call made no instance.',
  CloudNotAnswering:
    'Nothing at first: it is tried again by itself, at the time above. If it lasts, check the health of the cloud in this region, and that the worker reaches it.',
  LaunchOutcomeUnknown: 'Nothing: it goes on when the instance is found, or proved never to have been.',
  NodeNotJoined:
    "Nothing, while the instance boots. If that takes long, read the instance's console output and its kubelet's log.",
  NodeAmbiguous: 'Delete the Nodes that are not of this machine, or give each Node its own providerID.',
  NodeMissing: 'Restart the kubelet, which registers the Node again; or delete the Machine to replace it.',
  InstanceMissing: 'Nothing: the next looks tell whether it is gone.',
  InstanceOfAnother:
    'Decide whose instance it is: correct spec.providerID, or delete the Machine that should not have it.',
  ManyInstancesMissing:
    'Check the account, the region and the permissions of the credentials: more than half of their instances cannot be seen.',
  HookPresent:
    'Nothing, while those who are named above do their part: they remove their hooks from spec.lifecycleHooks. Remove one by hand only where its owner will not.',
  InstanceTerminating: 'Nothing: the cloud is ending the instance.',
};

/** Codes that stand for the class of an error; a cloud's own codes do not. */
const CLASSES: Readonly<Record<string, RetryClass>> = {
  PermissionDenied: 'denied',
  Unauthenticated: 'denied',
  ResourceExhausted: 'exhausted',
  Throttled: 'throttled',
  InvalidArgument: 'invalid',
};

const BY_CLASS: Readonly<Record<RetryClass, string>> = {
  exhausted:
    'Have the quota raised, or choose another instance type or zone; else it is tried again until there is room, and never Failed for it.',
  denied: 'Mend the credentials, or what they are permitted; it goes on at the next try.',
  throttled: 'Nothing: it is tried again, ever more slowly. If it lasts, find out who else calls this cloud so often.',
  invalid: 'Correct what is named above; it goes on at the next try.',
  soon: 'Nothing at first: it is tried again by itself. If it lasts, check that the worker reaches the cloud.',
};
