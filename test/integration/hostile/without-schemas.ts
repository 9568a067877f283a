import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import type { Resource } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const CRDS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const NAMES = [
  'machines',
  'machinesets',
  'machinedeployments',
  'machinehealthchecks',
  'machineclasses',
  'clusters',
].map((kind) => `${kind}.machine.openshift.io`);

interface Crd {
  readonly spec: { readonly versions: readonly { readonly schema: object }[] };
}

/** Anything at all. */
const OPEN = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

/**
 * Takes the schemas of our kinds away: what is stored then is what an API server with older CRDs, or with
 * other people's, may hold. Answers how to put them back.
 */
export async function withoutSchemas(): Promise<() => Promise<void>> {
  const before = await Promise.all(NAMES.map((name) => getStack().kube.get<Crd>(CRDS, undefined, name)));
  await Promise.all(NAMES.map((name) => putSchema(name, OPEN)));
  await untilAccepts(true);
  return async () => {
    await Promise.all(NAMES.map((name, i) => putSchema(name, before[i]?.spec.versions[0]?.schema ?? OPEN)));
    await untilAccepts(false);
  };
}

async function putSchema(name: string, schema: object): Promise<void> {
  await getStack().kube.jsonPatch(CRDS, undefined, name, [
    { op: 'replace', path: '/spec/versions/0/schema', value: schema },
  ]);
}

/** The API server takes a changed schema into use a moment after it was written. */
async function untilAccepts(accepts: boolean): Promise<void> {
  const { kube } = getStack();
  const machines = MACHINES;
  const probe = {
    apiVersion: machines.apiVersion,
    kind: machines.kind,
    metadata: { name: 'schema-probe', labels: { 'machine.openshift.io/cluster-api-cluster': 'probe' } },
    spec: { providerSpec: 'none', taints: 'none' },
  };
  await until(
    `the API server ${accepts ? 'accepts' : 'refuses'} anything`,
    async () => {
      try {
        await kube.create(machines, 'default', probe);
        await kube.delete(machines, 'default', 'schema-probe');
        return true;
      } catch {
        return false;
      }
    },
    (accepted) => accepted === accepts,
  );
}
