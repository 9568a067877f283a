import { beforeEach, expect, it } from '@jest/globals';
import { NODES } from '../../../k8s/resources.ts';
import { aMachine } from '../../world/builders/a-machine.ts';
import { aNode } from '../../world/builders/a-node.ts';
import { ApiServer } from '../../world/kubernetes/api-server.ts';
import type { CloudInMemory } from '../cluster/cloud.ts';
import { judgeOutOfService } from './out-of-service.ts';

const TAINT = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };

let api: ApiServer;
let accused: string[];
let state: string;
let touched: Set<string>;
beforeEach(() => {
  api = new ApiServer({ garbage: 'when told' });
  accused = [];
  state = 'stopped';
  touched = new Set();
  const living = () => [{ id: 'i-1', providerID: 'simulated:///zone-a/i-1', state }];
  const cloud = { living, touched } as unknown as Pick<CloudInMemory, 'living' | 'touched'>;
  judgeOutOfService({ api, cloud, accuse: (message) => void accused.push(message) });
});

async function told(isDeleted = true): Promise<readonly string[]> {
  const node = aNode({ providerID: 'simulated:///zone-a/i-1' });
  const { name, uid } = node.metadata;
  api.put(node, aMachine({ deleting: isDeleted, status: { nodeRef: { kind: 'Node', name, uid } } }));
  await api.others.mergePatch(NODES, undefined, name, { spec: { taints: [TAINT] } });
  await api.others.mergePatch(NODES, undefined, name, { metadata: { labels: { later: 'write' } } });
  return accused;
}

it('a Node of a Machine that goes, and whose instance is stopped, may be told of as out of service', async () => {
  expect(await told()).toEqual([]);
});

it('one whose instance runs may not, unless somebody may just have started it', async () => {
  state = 'running';
  expect(await told()).toEqual([expect.stringContaining('instance i-1 runs')]);
  accused = [];
  touched.add('i-1');
  expect(await told()).toEqual([]);
});

it('one of a Machine that is not deleted may not', async () => {
  expect(await told(false)).toEqual([expect.stringContaining('is not deleted')]);
});
