import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { CAUSE_ANNOTATION } from '../../../k8s/model/cause.ts';
import type { Taint } from '../../../k8s/model/machine.ts';
import { aMachineDeployment } from '../../world/builders/a-machine-deployment.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { BOOTING, BY_HAND, EVICTS, LABELS, NOTE, POOL_TAINT } from '../people/settings-deeds.ts';
import { SettingsJudge } from './settings.ts';

const VERSION = 'example.com/version';

let api: ApiServer;
let now: number;
let accused: string[];
let marked: string[];
let isByHand: boolean;
let judge: SettingsJudge;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  marked = [];
  isByHand = false;
  judge = new SettingsJudge({
    api,
    now: () => now,
    isByHand: (_uid, since) => isByHand && since === now - 60_000,
    marked: () => marked,
    accuse: (by, message) => void accused.push(`${by}: ${message}`),
  });
  deploy('1');
});

type TemplateSpec = MachineDeploymentObject['spec']['template']['spec'];

/** The deployment wants this. */
function deploy(version: string, spec: Partial<TemplateSpec> = {}): void {
  const { spec: given, ...deployment } = aMachineDeployment();
  const metadata = { ...given.template.metadata, annotations: { [VERSION]: version } };
  const template = { metadata, spec: { ...given.template.spec, ...spec } };
  const stored: MachineDeploymentObject = { ...deployment, spec: { ...given, template } };
  api.put({ ...stored });
}

function run(version: string, spec: Partial<MachineObject['spec']> = {}): void {
  const metadata = { labels: { pool: 'workers' }, annotations: { [VERSION]: version } };
  const status = { phase: 'Running' as const, nodeRef: { name: 'n', uid: 'uid-of-n' } };
  api.put({ ...aMachine({ name: 'm', metadata, status, spec }) });
}

async function take(cause: string): Promise<void> {
  const annotations = { [CAUSE_ANNOTATION]: cause };
  await api.others.mergePatch(MACHINES, NAMESPACE, 'm', { metadata: { annotations } });
  await api.others.delete(MACHINES, NAMESPACE, 'm');
}

interface Has {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

function node({ labels = {}, annotations = {}, taints = [] }: Has = {}): void {
  api.put({ ...aNode({ name: 'n', annotations, metadata: { labels }, spec: { taints } }) });
}

describe('the judge of what is changed in place', () => {
  const rolled = 'rollout: MachineDeployment ns/workers replaces the machines of revision 1';

  it('accuses a machine of the template that is taken as one of an earlier one, and no other', async () => {
    run('1');
    await take(rolled);
    expect(accused).toEqual([expect.stringMatching(/^nothing is replaced for a setting: Machine m is taken/)]);
    accused = [];
    run('2');
    await take(rolled);
    run('1');
    await take('MachineDeployment ns/workers is scaled to 2 machines');
    expect(accused).toEqual([]);
  });

  it('accuses none that was of an earlier template a moment ago', async () => {
    run('2');
    deploy('2');
    now += 30_000;
    await take(rolled);
    expect(accused).toEqual([]);
    run('2');
    now += 61_000;
    await take(rolled);
    expect(accused).toHaveLength(1);
  });

  it('accuses none that somebody deletes, whatever a rollout wrote to it before', async () => {
    isByHand = true;
    run('1');
    await take(rolled);
    expect(accused).toEqual([]);
  });

  it('accuses a taint for the beginning that comes back', () => {
    node();
    node({ taints: [BOOTING] });
    node();
    expect(accused).toEqual([]);
    node({ taints: [BOOTING] });
    expect(accused).toEqual(['once at joining: Node n gets example.com/booting again, which was taken off']);
  });

  it('accuses a taint that evicts pods, on a Node that was a machine’s before', () => {
    const annotations = { [MACHINE_ANNOTATION]: 'default/m' };
    node();
    node({ annotations, taints: [EVICTS] });
    expect(accused).toEqual([]);
    node({ annotations });
    node({ annotations, taints: [EVICTS] });
    expect(accused).toEqual(['no Node in use is emptied: Node n of default/m gets example.com/evicts']);
  });
});

describe('at the end', () => {
  const [tier] = LABELS;
  const all = { labels: { [tier]: 'gold' }, annotations: { [NOTE]: 'tin' } };
  const taint = { key: POOL_TAINT, value: 'gold', effect: 'PreferNoSchedule' } as const;

  it('a Node has what its template says', () => {
    deploy('1', { metadata: all, taints: [taint] });
    run('1');
    node();
    judge.judgeEnd();
    expect(accused).toEqual([
      `a Node follows its template: Node n lacks label ${tier}=gold`,
      `a Node follows its template: Node n lacks annotation ${NOTE}=tin`,
      `a Node follows its template: Node n lacks taint ${POOL_TAINT}=gold`,
    ]);
    accused = [];
    node({ ...all, taints: [taint] });
    judge.judgeEnd();
    expect(accused).toEqual([]);
  });

  it('a Node has nothing that left the template, nor a mark of a rollout; what people put there is theirs', () => {
    run('1');
    const outdated = { key: 'machine.openshift.io/outdated-revision', effect: 'PreferNoSchedule' };
    node({ ...all, taints: [outdated] });
    marked = [`label ${tier}=gold`];
    judge.judgeEnd();
    expect(accused).toEqual([
      `a Node follows its template: Node n still has annotation ${NOTE}=tin`,
      'a Node follows its template: Node n still has taint machine.openshift.io/outdated-revision=',
    ]);
  });

  it('a taint that evicts pods is there where somebody wrote it to the machine, and nowhere else', () => {
    run('1', { taints: [{ ...EVICTS, effect: 'NoExecute' }] });
    node({ taints: [EVICTS] });
    judge.judgeEnd();
    node();
    judge.judgeEnd();
    expect(accused).toEqual([]);
    run('1');
    node({ taints: [EVICTS] });
    judge.judgeEnd();
    expect(accused).toEqual([`a Node follows its template: Node n still has taint ${EVICTS.key}=`]);
  });

  it('a Node has what people put there', () => {
    run('1');
    node();
    marked = [`label ${BY_HAND}=kept`, `label ${tier}=gold`];
    judge.judgeEnd();
    expect(accused).toEqual([`what others put there stays: Node n has lost label ${BY_HAND}=kept`]);
  });

  it('nothing is said of a machine without a Node, or without a deployment', () => {
    run('1');
    judge.judgeEnd();
    node({ labels: { [tier]: 'gold' } });
    api.drop(
      {
        apiVersion: 'machine.openshift.io/v1beta1',
        kind: 'MachineDeployment',
        plural: 'machinedeployments',
        namespaced: true,
      },
      NAMESPACE,
      'workers',
    );
    judge.judgeEnd();
    expect(accused).toEqual([]);
  });
});
