import type { KubeClient } from '../client.ts';
import type { ApiRegistry } from '../dialects/registry.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES } from '../resources.ts';
import { delay, type Clock } from '../../providers/clock.ts';
import type { CustomResourceDefinition } from './api-group.ts';
import { InstallTimeoutError } from './install-errors.ts';
import { probePolicy } from './policy-probes.ts';

const POLL_MS = 200;
/** How long kube-controller-manager may take to write a policy's status before the policy is tried, in milliseconds. */
const STATUS_GRACE_MS = 10_000;

/** How long something may take to come into force, by which clock. */
export interface Patience {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Waits until the API server serves what the CRD says. */
export function waitUntilEstablished(kube: KubeClient, name: string, patience: Patience): Promise<void> {
  return waitUntil(`CustomResourceDefinition ${name} is served`, patience, async () => {
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
 * Waits until it is known that the API server refuses by the policy. kube-controller-manager says so in its status: it has
 * read the policy, as it is now, and its expressions fit the objects they are about. The API server itself does not wait for
 * that; where no status comes, it is asked to take what it must refuse.
 * @returns undefined, or why it is not known that the policy is in force, as a clause
 * @throws InstallTimeoutError where the status says that the expressions are wrong
 */
export async function waitUntilPolicyInForce(
  kube: KubeClient,
  apis: ApiRegistry,
  name: string,
  patience: Patience,
): Promise<string | undefined> {
  const { clock, timeoutMs } = patience;
  const startedAt = clock.now();
  let unknown: string | undefined;
  await waitUntil(`ValidatingAdmissionPolicy ${name} is in force`, patience, async (isLast) => {
    unknown = undefined;
    const policy = await kube.get<AdmissionPolicy>(VALIDATING_ADMISSION_POLICIES, undefined, name);
    const { observedGeneration = 0, typeChecking } = policy.status ?? {};
    if (observedGeneration >= policy.metadata.generation) {
      const warnings = typeChecking?.expressionWarnings ?? [];
      return warnings.map(({ fieldRef, warning }) => `${fieldRef}: ${warning}`).join('; ') || undefined;
    }
    const noStatus = 'its status is not written: kube-controller-manager does that';
    if (!isLast && clock.now() - startedAt < Math.min(STATUS_GRACE_MS, timeoutMs)) return noStatus;
    const tried = await probePolicy(kube, apis, name);
    if (tried.refused) return undefined;
    unknown = `${noStatus}, and ${tried.why}`;
    return isLast || !tried.mayChange ? undefined : unknown;
  });
  return unknown;
}

/** `look` answers what is still missing, or undefined when it is so; it is told when it is the last one. */
async function waitUntil(
  what: string,
  { clock, timeoutMs }: Patience,
  look: (isLast: boolean) => Promise<string | undefined>,
): Promise<void> {
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    const isLast = clock.now() >= deadline;
    const missing = await look(isLast);
    if (missing === undefined) return;
    if (isLast) {
      throw new InstallTimeoutError(
        `waited ${timeoutMs / 1000} s until ${what}: ${missing}. Run \`millwright install\` again to go on from here.`,
      );
    }
    await delay(clock, POLL_MS);
  }
}
