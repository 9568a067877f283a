import { beforeEach, describe, expect, it } from '@jest/globals';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { DEPLOYMENT_FIELD_MANAGER } from '../../../k8s/model/field-managers.ts';
import { controllerReference } from '../../../k8s/model/owner-reference.ts';
import { aMachineDeployment } from '../../world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { MADE_AT, NAMESPACE, refOf } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { DeploymentMarksJudge } from './deployment-marks.ts';

const POOL = aMachineDeployment({ spec: { replicas: 4 } });
const owned = {
  ownerReferences: [controllerReference(refOf(POOL))],
  managedFields: [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
};
const OLD = aMachineSet({ name: 'old', replicas: 2, metadata: owned });
const NEW = aMachineSet({ name: 'new', replicas: 2, metadata: owned });

let api: ApiServer;
let now: number;
let accused: string[];
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  void new DeploymentMarksJudge({
    api,
    now: () => now,
    accuse: (judge, what) => void accused.push(`${judge}: ${what}`),
  });
  api.put({ ...POOL }, { ...OLD }, { ...NEW });
  for (const [name, set] of [
    ['a', OLD],
    ['b', OLD],
    ['c', NEW],
    ['d', NEW],
  ] as const) {
    const conditions = [{ type: 'NodeReady', status: 'True' as const, lastTransitionTime: MADE_AT }];
    api.put({ ...aMachine({ name, set, status: { conditions }, metadata: { labels: { pool: 'workers' } } }) });
  }
  now += 60_000;
});

const mark = (name: string) =>
  api.others.mergePatch(MACHINES, NAMESPACE, name, { metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } } });
const want = (replicas: number) =>
  api.others.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, 'workers', { spec: { replicas } });
const order = (name: string, replicas: number, fieldManager = DEPLOYMENT_FIELD_MANAGER) =>
  api.others.mergePatch(MACHINE_SETS, NAMESPACE, name, { spec: { replicas } }, { fieldManager });

describe('the judge of marks in deployments', () => {
  it('accuses a deployment that has an available machine taken while another set keeps a marked one', async () => {
    await mark('d');
    await want(3);
    await order('old', 1);
    expect(accused).toEqual([expect.stringContaining('marked first: MachineSet old is to have 1 machines')]);
  });

  it('leaves alone one that has the marked one taken, also of the same set', async () => {
    await mark('d');
    await want(3);
    await order('new', 1);
    await mark('b');
    now += 60_000;
    await order('old', 1);
    expect(accused).toEqual([]);
  });

  it('takes it that a look was before the mark, where a machine could be spared by then', async () => {
    await want(3);
    await mark('d');
    await order('old', 1);
    expect(accused).toEqual([]);
    now += 60_000;
    await order('old', 0);
    expect(accused).toHaveLength(0);
  });

  it('leaves alone what somebody else does to a set, and what the deployment does soon after that', async () => {
    await mark('d');
    await want(3);
    await order('old', 1, 'kubectl');
    await order('old', 0);
    expect(accused).toEqual([]);
  });

  it('leaves alone one that takes all old ones at once', async () => {
    await api.others.mergePatch(MACHINE_DEPLOYMENTS, NAMESPACE, 'workers', {
      spec: { strategy: { type: 'Recreate', rollingUpdate: null } },
    });
    now += 60_000;
    await mark('d');
    await want(3);
    await order('old', 0);
    expect(accused).toEqual([]);
  });
});
