import type { KubeClient } from '../client.ts';
import type { ApiRegistry } from '../dialects/registry.ts';
import { KubeError } from '../kube-error.ts';

/** Where the probes are created, as dry runs: it is in every cluster. */
const NAMESPACE = 'default';

export type ProbeAnswer =
  | { readonly refused: true }
  /** `why` it is not known that the policy is in force, as a clause; `mayChange`: another try may tell. */
  | { readonly refused: false; readonly why: string; readonly mayChange: boolean };

/** Asks the API server, as a dry run, to take an object that the policy must refuse. */
export async function probePolicy(kube: KubeClient, apis: ApiRegistry, name: string): Promise<ProbeAnswer> {
  const unknown = (why: string, mayChange = true): ProbeAnswer => ({ refused: false, why, mayChange });
  const of = apis.all().find(({ policies }) => policies.some((policy) => policy.name === name));
  const probe = of?.policies.find((policy) => policy.name === name)?.probe;
  if (of === undefined || probe === undefined) {
    return unknown('creating an object does not show whether it is in force', false);
  }
  const { resource } = of;
  const { annotations = {}, object, refusal } = probe;
  const { apiVersion, kind } = resource;
  const metadata = { generateName: 'millwright-probe-', annotations };
  try {
    await kube.create(resource, NAMESPACE, { apiVersion, kind, metadata, ...object }, { dryRun: true });
    return unknown(`the API server would take a ${kind} that it must refuse`);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.message.includes(name) && error.message.includes(refusal)) return { refused: true };
    return unknown(`a dry run that it must refuse failed for another reason: ${error.message}`);
  }
}
