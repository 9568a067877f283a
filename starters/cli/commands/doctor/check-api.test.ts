import { beforeEach, expect, test } from '@jest/globals';
import { installInto } from '../../../../k8s/install/install.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../../k8s/resources.ts';
import { ApiServer } from '../../../../test/world/kubernetes/api-server.ts';
import { inForceAtOnce } from '../../../../test/world/kubernetes/in-force.ts';
import { checkApi } from './check-api.ts';
import type { Finding } from './finding.ts';

const MACHINES = 'machines.machine.openshift.io';
let kube: ApiServer;

beforeEach(async () => {
  kube = inForceAtOnce(new ApiServer());
  await installInto(kube.client);
});

async function findingOf(name: string): Promise<Finding> {
  const findings = await checkApi(kube.client);
  const found = findings.find(({ check }) => check.endsWith(` ${name}`));
  if (found === undefined) throw new Error(`nothing was found of ${name}`);
  return found;
}

test('what install applies is well', async () => {
  const findings = await checkApi(kube.client);
  expect(findings.length).toBeGreaterThan(6);
  expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
});

test('where nothing is installed, all of it is to be', async () => {
  kube = new ApiServer();
  const findings = await checkApi(kube.client);
  expect(findings.every(({ status, found }) => status === 'failed' && found === 'it is not there')).toBe(true);
  expect(findings[0]?.advice).toContain('millwright install');
});

test.each([
  [
    'somebody else’s',
    { managedFields: [{ manager: 'cluster-version-operator' }] },
    {},
    /written by cluster-version-operator/,
    /--take-over/,
  ],
  [
    'half taken over',
    { annotations: { 'machine.millwright.dev/take-over': 'unfinished' } },
    {},
    /began and did not end/,
    /--take-over/,
  ],
  [
    'another release’s',
    {},
    { scope: 'Cluster' },
    /differs from this release's at \.spec\.scope$/,
    /millwright install/,
  ],
])('a definition that is %s is told', async (_what, metadata, spec, found, advice) => {
  const live = kube.require(CUSTOM_RESOURCE_DEFINITIONS, undefined, MACHINES);
  const changed = {
    ...live,
    metadata: { ...live.metadata, ...metadata },
    spec: { ...(live['spec'] as object), ...spec },
  };
  kube.put(changed);
  const finding = await findingOf(MACHINES);
  expect(finding.status).toBe('failed');
  expect(finding.found).toMatch(found);
  expect(finding.advice).toMatch(advice);
});
