import { expect, test } from '@jest/globals';
import { APIS } from '../k8s/dialects/registry.ts';
import { openshift } from '../k8s/dialects/openshift/api.ts';
import { controllerReference } from '../k8s/model/owner-reference.ts';
import { aMachineDeployment } from '../test/world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../test/world/builders/a-machine-set.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { refOf } from '../test/world/builders/metadata.ts';
import { ApiServer } from '../test/world/kubernetes/api-server.ts';
import { machinesOfDeployment } from './machines-of-deployment.ts';

test('Machines of a set that was adopted are found by its own selector, those of others are not, and each once', async () => {
  const kube = new ApiServer();
  const deployment = aMachineDeployment({ name: 'pool', spec: { selector: { matchLabels: { pool: 'pool' } } } });
  const setOf = (name: string, matchLabels: Record<string, string>) => {
    const set = aMachineSet({ name, metadata: { ownerReferences: [controllerReference(refOf(deployment))] } });
    return { ...set, spec: { ...set.spec, selector: { matchLabels } } };
  };
  const made = setOf('pool-a', { pool: 'pool', hash: 'a' });
  const adopted = setOf('adopted', { set: 'adopted' });
  const stranger = setOf('stranger', { set: 'adopted' });
  kube.put(
    aMachine({ name: 'made', set: made, metadata: { labels: { pool: 'pool', hash: 'a' } } }),
    aMachine({ name: 'both', set: adopted, metadata: { labels: { pool: 'pool', set: 'adopted' } } }),
    aMachine({ name: 'bare', set: adopted, metadata: { labels: { set: 'adopted' } } }),
    aMachine({ name: 'strange', set: stranger, metadata: { labels: { pool: 'pool', set: 'adopted' } } }),
  );
  const { machineDeployment } = openshift.machineDeployment.read(deployment);
  const sets = [made, adopted].map((set) => openshift.machineSet.read(set).machineSet);
  const found = await machinesOfDeployment({ kube: kube.client, apis: APIS }, machineDeployment, sets);
  expect(found.map(({ meta }) => meta.ref.name).sort()).toEqual(['bare', 'both', 'made']);
});
