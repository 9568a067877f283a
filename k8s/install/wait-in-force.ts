import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../client.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES } from '../resources.ts';
import type { CustomResourceDefinition } from './api-group.ts';
import { InstallTimeoutError } from './install-errors.ts';

const POLL_MS = 200;

/** Waits until the API server serves what the CRD says. */
export function waitUntilEstablished(kube: KubeClient, name: string, timeoutMs: number): Promise<void> {
  return waitUntil(`CustomResourceDefinition ${name} is served`, timeoutMs, async () => {
    const { status } = await kube.get<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS, undefined, name);
    const conditions = status?.conditions ?? [];
    if (conditions.some(({ type, status: value }) => type === 'Established' && value === 'True')) return undefined;
    const bad = conditions.filter(({ type, status: value }) => type === 'NamesAccepted' && value === 'False');
    return bad.map(({ message }) => message ?? 'its names are taken').join('; ') || 'it is not Established yet';
  });
}

interface AdmissionPolicy {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly typeChecking?: {
      readonly expressionWarnings?: readonly { readonly fieldRef: string; readonly warning: string }[];
    };
  };
}

/**
 * Waits until the policy, as it is now, was read and found right: its expressions fit the objects they are about. The API
 * servers do not tell when they refuse by it; they do within about a second.
 */
export function waitUntilPolicyObserved(kube: KubeClient, name: string, timeoutMs: number): Promise<void> {
  return waitUntil(`ValidatingAdmissionPolicy ${name} is in force`, timeoutMs, async () => {
    const policy = await kube.get<AdmissionPolicy>(VALIDATING_ADMISSION_POLICIES, undefined, name);
    const { observedGeneration = 0, typeChecking } = policy.status ?? {};
    if (observedGeneration < policy.metadata.generation) {
      return 'its status has not been written yet: kube-controller-manager does that';
    }
    const warnings = typeChecking?.expressionWarnings ?? [];
    return warnings.map(({ fieldRef, warning }) => `${fieldRef}: ${warning}`).join('; ') || undefined;
  });
}

/** `look` answers what is still missing, or undefined when it is so. */
async function waitUntil(what: string, timeoutMs: number, look: () => Promise<string | undefined>): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const missing = await look();
    if (missing === undefined) return;
    if (Date.now() >= deadline) {
      throw new InstallTimeoutError(
        `waited ${timeoutMs / 1000} s until ${what}: ${missing}. Run \`millwright install\` again to go on from here.`,
      );
    }
    await delay(POLL_MS);
  }
}
