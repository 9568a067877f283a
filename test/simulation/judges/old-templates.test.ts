import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { controllerReference } from '../../../k8s/model/owner-reference.ts';
import { ROLLOUT_ANNOTATION } from '../../../k8s/model/rollout-mark.ts';
import { aMachineDeployment } from '../../world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { OldTemplateJudge } from './old-templates.ts';

const DEPLOYMENT = aMachineDeployment({ spec: { replicas: 3 } });
const { apiVersion, kind, metadata } = DEPLOYMENT;
const owner = { apiVersion, kind, namespace: NAMESPACE, name: metadata.name ?? '', uid: metadata.uid ?? '' };
const OLD = aMachineSet({ name: 'old', metadata: { ownerReferences: [controllerReference(owner)] } });

let api: ApiServer;
let now: number;
let accused: string[];
let isExcused: boolean;
beforeEach(async () => {
  api = new ApiServer({ garbage: 'when told' });
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  isExcused = false;
  void new OldTemplateJudge({
    api,
    now: () => now,
    isExcused: () => isExcused,
    accuse: (judge, message) => void accused.push(`${judge}: ${message}`),
  });
  api.put({ ...DEPLOYMENT }, { ...OLD });
  await mark('outdated');
  for (const name of ['a', 'b', 'c']) make(name);
  now += 500_000;
});

const mark = (rollout: string | null) =>
  api.others.mergePatch(MACHINE_SETS, NAMESPACE, 'old', {
    metadata: { annotations: { [ROLLOUT_ANNOTATION]: rollout } },
  });
const make = (name: string) => api.put({ ...aMachine({ name, set: OLD }) });
const scale = (replicas: number) =>
  api.others.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, DEPLOYMENT.metadata.name ?? '', { spec: { replicas } });
const remove = (name: string) => api.others.delete(MACHINES, NAMESPACE, name);

describe('the judge of earlier templates', () => {
  it('accuses a machine of one that is made while its deployment rolls', () => {
    make('d');
    expect(accused).toEqual(['old templates: Machine d is made of an earlier template: 4 of it, and not 3']);
  });

  it('accuses one that is made in the place of another', async () => {
    await remove('a');
    now += 241_000;
    make('d');
    expect(accused).toEqual(['old templates: Machine d is made of an earlier template: 3 of it, and not 2']);
  });

  it('lets as many be made as their deployment was scaled up by, and no more', async () => {
    await scale(5);
    make('d');
    make('e');
    expect(accused).toEqual([]);
    make('f');
    expect(accused).toHaveLength(1);
  });

  it('does not count a scale up again for what is lost later', async () => {
    await scale(4);
    make('d');
    now += 241_000;
    await remove('a');
    now += 241_000;
    make('e');
    expect(accused).toHaveLength(1);
  });

  it('leaves alone what may follow from a look of a moment ago, and what nobody can know', async () => {
    await remove('a');
    now += 30_000;
    make('d');
    isExcused = true;
    make('e');
    expect(accused).toEqual([]);
  });

  it('leaves alone a set that was not outdated for long, and one whose deployment goes by steps', async () => {
    await mark(null);
    await mark('outdated');
    now += 239_000;
    make('d');
    expect(accused).toEqual([]);
    const step = { templateHash: 'h', revision: 2, passed: 0, since: '2026-01-01T12:00:00Z' };
    const stepping: MachineDeploymentObject = { ...DEPLOYMENT, status: { step } };
    api.put({ ...stepping });
    now += 500_000;
    make('e');
    expect(accused).toEqual([]);
  });
});
