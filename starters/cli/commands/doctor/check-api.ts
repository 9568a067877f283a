import type { KubeClient } from '../../../../k8s/client.ts';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import {
  describeWriters,
  isOurs,
  isTakeOverUnfinished,
  type CustomResourceDefinition,
} from '../../../../k8s/install/api-group.ts';
import { readCrdManifests, readPolicyManifests, type Manifest } from '../../../../k8s/install/manifests.ts';
import { isNotFound, isNotServed, KubeError } from '../../../../k8s/kube-error.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
  type Resource,
} from '../../../../k8s/resources.ts';
import { firstDifference } from './difference.ts';
import { reportFailed, reportUnknown, reportOk, wordsOf, type Finding } from './finding.ts';

const KINDS = [CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICY_BINDINGS];
const INSTALL = 'Run `millwright install` of this release.';

/** Whether definitions and admission policies are there, are ours, and are what this release's `install` applies. */
export async function checkApi(kube: KubeClient): Promise<Finding[]> {
  const manifests = [...(await readCrdManifests(APIS)), ...(await readPolicyManifests(APIS))];
  return Promise.all(manifests.map((manifest) => checkObject(kube, manifest)));
}

async function checkObject(kube: KubeClient, wanted: Manifest): Promise<Finding> {
  const { kind, metadata } = wanted;
  const check = `${SHORT_KINDS[kind] ?? kind} ${metadata.name}`;
  const resource = KINDS.find((known) => known.kind === kind);
  if (resource === undefined) return reportUnknown(check, 'not a kind that is installed');
  try {
    return judge(check, wanted, await kube.get<LiveObject>(resource, undefined, metadata.name));
  } catch (error) {
    if (isNotFound(error)) return reportFailed(check, 'it is not there', INSTALL);
    if (error instanceof KubeError && error.status === 403) return withoutPermission(kube, check, resource, wanted);
    return reportUnknown(check, wordsOf(error));
  }
}

const SHORT_KINDS: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'CRD',
  ValidatingAdmissionPolicy: 'admission policy',
  ValidatingAdmissionPolicyBinding: 'binding of policy',
};

type LiveObject = CustomResourceDefinition & {
  readonly status?: {
    readonly typeChecking?: {
      readonly expressionWarnings?: readonly { readonly fieldRef: string; readonly warning: string }[];
    };
  };
};

function judge(check: string, wanted: Manifest, live: LiveObject): Finding {
  if (!isOurs(live)) {
    return reportFailed(
      check,
      `it was written by ${describeWriters(live)}, not by \`millwright install\``,
      'Two controllers on one API are two instances per machine. To take it over, stop the other one and run ' +
        '`millwright install --take-over`.',
    );
  }
  if (isTakeOverUnfinished(live)) {
    return reportFailed(check, 'a take-over began and did not end', 'Finish it: `millwright install --take-over`.');
  }
  const difference = firstDifference(wanted, live);
  if (difference !== undefined) return reportFailed(check, `it differs from this release's at ${difference}`, INSTALL);
  const bad = live.status?.conditions?.find(
    ({ type, status }) => (type === 'Established' || type === 'NamesAccepted') && status !== 'True',
  );
  if (bad !== undefined) {
    const advice = 'Look for another CRD of the same names: kubectl get crds.';
    return reportFailed(check, `it is not served: ${bad.type} is ${bad.status}: ${bad.message ?? ''}`, advice);
  }
  const [warning] = live.status?.typeChecking?.expressionWarnings ?? [];
  if (warning !== undefined) return reportFailed(check, `${warning.fieldRef}: ${warning.warning}`, INSTALL);
  return reportOk(check, "as this release's `install` applies it");
}

/** Worker and watcher may not read definitions; whether the API is served, everybody may ask. */
async function withoutPermission(
  kube: KubeClient,
  check: string,
  resource: Resource,
  wanted: Manifest,
): Promise<Finding> {
  const advice = 'Run `millwright doctor` as an administrator to have it compared.';
  const unknown = reportUnknown(check, `these credentials may not read ${resource.plural}`, advice);
  if (resource !== CUSTOM_RESOURCE_DEFINITIONS) return unknown;
  const { group, names, versions } = (wanted as unknown as CustomResourceDefinition).spec;
  const apiVersion = `${group}/${versions[0]?.name ?? ''}`;
  const served: Resource = { apiVersion, kind: names.kind, plural: names.plural, namespaced: true };
  try {
    await kube.list(served);
    return reportUnknown(check, 'it is served; these credentials may not see whose it is', advice);
  } catch (error) {
    return isNotServed(error) ? reportFailed(check, 'it is not served', INSTALL) : unknown;
  }
}
