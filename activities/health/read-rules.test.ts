import { expect, test } from '@jest/globals';
import { openshift } from '../../k8s/dialects/openshift/api.ts';
import { ApiRegistry, APIS } from '../../k8s/dialects/registry.ts';
import { DEFAULT_CLUSTER_RULES } from '../../k8s/model/cluster-rules.ts';
import { aMachineHealthCheck } from '../../test/world/builders/a-machine-health-check.ts';
import { aRulesConfigMap } from '../../test/world/builders/a-rules-config-map.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import { rulesOf } from './read-rules.ts';

const { clusterRules: _place, ...WITHOUT_PLACE } = openshift.machineHealthCheck;

test.each([
  [
    'are those of the ConfigMap that their API names',
    APIS,
    [{ type: 'Ready', statuses: ['False'], timeoutMs: 60_000 }],
  ],
  [
    'are the built-in ones where their API names no ConfigMap',
    new ApiRegistry([{ ...openshift, machineHealthCheck: WITHOUT_PLACE }]),
    DEFAULT_CLUSTER_RULES,
  ],
])('the rules of checks that have none of their own %s', async (_words, apis, expected) => {
  const { kube } = new World(ownClock());
  kube.put(aRulesConfigMap('items: [{name: Ready, timeout: 1m, status: False}]'));
  const { machineHealthCheck } = openshift.machineHealthCheck.read(aMachineHealthCheck());
  const read = await rulesOf({ kube: kube.client, apis }, machineHealthCheck);
  expect(read).toEqual({
    rules: { nodeRules: expected, machineRules: [], limits: machineHealthCheck.limits },
    clusterRules: expected,
  });
});
