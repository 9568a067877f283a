import { beforeEach, describe, expect, it } from '@jest/globals';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINES, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { MarkedFirstJudge } from './marked-first.ts';

const SET = aMachineSet({ name: 'workers', replicas: 3 });

let api: ApiServer;
let now: number;
let accused: string[];
let byHand: Set<string>;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  now = 1_000_000;
  accused = [];
  byHand = new Set();
  void new MarkedFirstJudge({
    api,
    now: () => now,
    isByHand: (uid) => byHand.has(uid),
    accuse: (message) => void accused.push(message),
  });
  api.put({ ...SET }, ...['a', 'b', 'c'].map((name) => ({ ...aMachine({ name, set: SET }) })));
});

const mark = (name: string) =>
  api.others.mergePatch(MACHINES, NAMESPACE, name, { metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } } });
const scale = (replicas: number) => api.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', { spec: { replicas } });
const remove = (name: string) => api.others.delete(MACHINES, NAMESPACE, name);

describe('the judge of marks', () => {
  it('accuses a set that is made smaller after a Machine was marked, and deletes another one', async () => {
    await mark('b');
    await scale(2);
    await remove('a');
    expect(accused).toEqual(['workers deletes Machine a, which nobody marked, and keeps a marked one']);
  });

  it('leaves alone a set that deletes the marked one, or as many more as it has to', async () => {
    await mark('b');
    await scale(1);
    await remove('a');
    await remove('b');
    expect(accused).toEqual([]);
  });

  it('takes it that a look was before the mark, where the set was smaller before it', async () => {
    await scale(2);
    now += 20_000;
    await mark('b');
    await remove('a');
    expect(accused).toEqual([]);
  });

  it('does not take a look to be as old as that', async () => {
    await scale(2);
    now += 100;
    await mark('b');
    now += 60_000;
    await remove('a');
    expect(accused).toHaveLength(1);
  });

  it('takes it for a mark that a Machine is to go by spec.delete', async () => {
    await api.others.mergePatch(MACHINES, NAMESPACE, 'b', { spec: { delete: true } });
    await scale(2);
    await remove('b');
    expect(accused).toEqual([]);
    await api.others.mergePatch(MACHINES, NAMESPACE, 'c', { spec: { delete: true } });
    await scale(1);
    await remove('a');
    expect(accused).toHaveLength(1);
  });

  it('leaves alone who deletes one by hand', async () => {
    await mark('b');
    byHand.add(api.peek(MACHINES, NAMESPACE, 'a')?.metadata.uid ?? '');
    await remove('a');
    expect(accused).toEqual([]);
  });
});
