import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES, MACHINE_HEALTH_CHECKS, MACHINE_SETS } from '../../../k8s/dialects/openshift/resources.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aMachineHealthCheck } from '../../world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../world/builders/a-machine-set.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import { InFlightJudge } from './in-flight.ts';
import { Remediations } from './remediations.ts';

const CHECK = aMachineHealthCheck('check', { remediation: { maxInFlight: 1 } });
const SET = aMachineSet({ name: 'workers', replicas: 3 });

let api: ApiServer;
let now: number;
let accused: string[];
let remembersSince: number;
let judge: InFlightJudge;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  now = Date.parse('2026-01-01T12:00:00Z');
  accused = [];
  remembersSince = 0;
  const remediations = new Remediations({ api, now: () => now, onRemediation: () => {} });
  const accuse = (message: string) => void accused.push(message);
  judge = new InFlightJudge({ api, remediations, remembersSince: () => remembersSince, now: () => now, accuse });
  api.put({ ...SET }, { ...CHECK });
  for (const name of ['a', 'b', 'c']) make(name, 'True');
});

function make(name: string, ready: 'True' | 'Unknown', more: Partial<MachineObject['metadata']> = {}): void {
  const node = aNode({ name: `node-of-${name}`, ready });
  const status = { nodeRef: { kind: 'Node', name: node.metadata.name, uid: node.metadata.uid } };
  const { metadata, ...machine } = aMachine({ name, set: SET, status });
  api.put({ ...node }, { ...machine, metadata: { ...metadata, ...more } });
}

async function remediate(name: string): Promise<void> {
  const machine = api.peek(MACHINES, NAMESPACE, name) as unknown as MachineObject;
  await api.others.delete(MACHINES, NAMESPACE, name);
  judge.see({ machine, check: CHECK.metadata.uid, at: now });
  now += 1000;
}
const replace = (name: string, ready: 'True' | 'Unknown') => {
  now += 60_000;
  make(name, ready, { creationTimestamp: new Date(now).toISOString() });
};
const end = (name: string) => api.drop(MACHINES, NAMESPACE, name);

describe('the judge of what is under way', () => {
  it('accuses a check that remediates one while another goes', async () => {
    await remediate('a');
    await remediate('b');
    expect(accused).toEqual(['a, b are remediated at once, and at most 1 may be']);
  });

  it('accuses where one is gone, and its set is not whole', async () => {
    await remediate('a');
    end('a');
    await remediate('b');
    expect(accused).toEqual(['a (gone), b are remediated at once, and at most 1 may be']);
  });

  it('accuses where its replacement has not joined', async () => {
    await remediate('a');
    end('a');
    replace('d', 'Unknown');
    await remediate('b');
    expect(accused).toHaveLength(1);
  });

  it('accuses where its replacement, whose time of creation has whole seconds, has not joined', async () => {
    const creationTimestamp = new Date(now).toISOString();
    now += 500;
    await remediate('a');
    make('d', 'Unknown', { creationTimestamp });
    end('a');
    await remediate('b');
    expect(accused).toHaveLength(1);
  });

  it('leaves alone what comes when the set was whole again, or wants no other', async () => {
    await remediate('a');
    end('a');
    replace('d', 'True');
    await remediate('b');
    end('b');
    await api.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', { spec: { replicas: 2 } });
    await remediate('c');
    expect(accused).toEqual([]);
  });

  it('takes the replacement of a replacement for the same', async () => {
    await remediate('a');
    end('a');
    replace('d', 'Unknown');
    await remediate('d');
    expect(accused).toEqual([]);
  });

  it('takes one for the replacement that was made when the check took the place, however late the deletion was', async () => {
    const claim = { [REMEDIATED_BY_ANNOTATION]: `check ${CHECK.metadata.uid}` };
    await api.others.mergePatch(MACHINES, NAMESPACE, 'a', { metadata: { annotations: claim } });
    make('d', 'Unknown', { creationTimestamp: new Date(now).toISOString() });
    now += 120_000;
    await remediate('a');
    end('a');
    await remediate('d');
    expect(accused).toEqual([]);
  });

  it('takes one that failed for the replacement of the older one, where that of the younger one is there', async () => {
    await remediate('a');
    end('a');
    replace('d', 'Unknown');
    await api.others.mergePatch(MACHINE_HEALTH_CHECKS, NAMESPACE, 'check', {
      spec: { remediation: { maxInFlight: 2 } },
    });
    await remediate('b');
    end('b');
    replace('e', 'True');
    await api.others.mergePatch(MACHINE_HEALTH_CHECKS, NAMESPACE, 'check', {
      spec: { remediation: { maxInFlight: 1 } },
    });
    now += 600_000;
    await remediate('d');
    expect(accused).toEqual([]);
  });

  it('goes by the greatest limit of the last minutes', async () => {
    const edit = (maxInFlight: number) =>
      api.others.mergePatch(MACHINE_HEALTH_CHECKS, NAMESPACE, 'check', { spec: { remediation: { maxInFlight } } });
    await edit(2);
    now += 600_000;
    await remediate('a');
    await edit(1);
    await remediate('b');
    await remediate('c');
    expect(accused).toEqual(['a, b, c are remediated at once, and at most 2 may be']);
  });

  it('goes by the limit of the time when the place was taken: a machine may be rebooted for long before it is replaced', async () => {
    const edit = (maxInFlight: number) =>
      api.others.mergePatch(MACHINE_HEALTH_CHECKS, NAMESPACE, 'check', { spec: { remediation: { maxInFlight } } });
    await edit(2);
    const claim = { [REMEDIATED_BY_ANNOTATION]: `check ${CHECK.metadata.uid}` };
    await api.others.mergePatch(MACHINES, NAMESPACE, 'b', { metadata: { annotations: claim } });
    now += 60_000;
    await edit(1);
    now += 600_000;
    await remediate('a');
    await remediate('b');
    expect(accused).toEqual([]);
  });

  it('lets a check that lost its memory forget what is gone, and not what is being deleted', async () => {
    await remediate('a');
    end('a');
    await remediate('b');
    accused.length = 0;
    remembersSince = now;
    now += 120_000;
    await remediate('c');
    expect(accused).toEqual(['b, c are remediated at once, and at most 1 may be']);
  });
});
