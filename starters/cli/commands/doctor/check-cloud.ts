import type { KubeClient } from '../../../../k8s/client.ts';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import { isNotServed } from '../../../../k8s/kube-error.ts';
import { joinNames, someOf } from '../../../../k8s/model/some-names.ts';
import { ProviderError } from '../../../../providers/provider-error.ts';
import type { ProviderRegistry } from '../../../../providers/registry.ts';
import { findCloudAccesses, type CloudAccess, type UntoldAccess } from './cloud-access.ts';
import { reportFailed, reportUnknown, reportOk, wordsOf, type Finding } from './finding.ts';

/** An id that no cloud gives: what matters is that it answers. */
const NOBODYS_INSTANCE = 'i-00000000000000000';

/**
 * Whether each cloud accepts the credentials that Machines and MachineSets name, by looking for an instance that does not
 * exist: a read, whose answer is nothing.
 */
export async function checkCloud(
  kube: KubeClient,
  providers: ProviderRegistry,
  namespace: string | undefined,
): Promise<Finding[]> {
  try {
    const { accesses, untold } = await findCloudAccesses({ kube, apis: APIS, providers }, namespace);
    if (accesses.length === 0 && untold.length === 0) {
      return [reportOk('cloud credentials', 'no Machine and no MachineSet uses any yet')];
    }
    return [...(await Promise.all(accesses.map(tryAccess))), ...untold.map(tellUntold)];
  } catch (error) {
    // That the definitions are missing is told elsewhere.
    const why = isNotServed(error) ? 'Machines are not served' : wordsOf(error);
    return [reportUnknown('cloud credentials', `the Machines cannot be listed: ${why}`)];
  }
}

async function tryAccess({ provider, credentials, usedBy }: CloudAccess): Promise<Finding> {
  const { namespace, secretName, region } = credentials;
  const whose = secretName === undefined ? "the process's own" : `Secret ${namespace}/${secretName}`;
  const check = `${provider.name} credentials: ${whose}${region === undefined ? '' : `, ${region}`}`;
  const users = describeObjects(usedBy);
  try {
    await provider.describe(credentials, [NOBODYS_INSTANCE]);
    return reportOk(check, `the cloud accepts them; used by ${users}`);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const found = `${wordsOf(error)}; used by ${users}`;
    if (secretName === undefined) {
      // The worker runs elsewhere, with a role or an environment of its own.
      return reportUnknown(check, found, 'Those of the worker may be others: run `millwright doctor` where it runs.');
    }
    const isRefusal = error.retryClass === 'denied';
    return reportFailed(
      check,
      found,
      isRefusal
        ? `Mend Secret ${namespace}/${secretName}, or give its user the permissions of docs/providers; machines go on by themselves.`
        : 'The cloud gave no useful answer from here: check the network, its endpoint and its status page.',
    );
  }
}

function tellUntold({ message, objects }: UntoldAccess): Finding {
  const advice =
    'Run it with what the worker has (--simulated-endpoint), or mend the spec: `millwright machine explain` says more.';
  return reportUnknown(`cloud of ${describeObjects(objects)}`, message, advice);
}

/** E.g. `Machine default/a and 12 more`. */
function describeObjects(names: readonly string[]): string {
  return joinNames(someOf(names, 1));
}
