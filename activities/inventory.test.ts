import { APIS } from '../k8s/dialects/registry.ts';
import { describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '../k8s/client.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { CLUSTER_LABEL } from '../k8s/dialects/openshift/labels.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Resource } from '../k8s/resources.ts';
import { ProviderError, type Credentials, type Provider } from '../providers/provider.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { systemClock } from '../providers/clock.ts';
import { createInventoryActivities, type InventoryDeps } from './inventory.ts';

const API = 'machine.openshift.io/v1beta1';
const NOW = '2026-01-01T00:00:00Z';

/** A Machine with an instance that was found with credentials of its own. */
function stored(name: string, secretName: string, more: object = {}) {
  const labels = { [CLUSTER_LABEL]: 'c' };
  const cloud = { provider: 'fake', credentials: { namespace: 'ns', secretName } };
  return {
    apiVersion: API,
    kind: 'Machine',
    metadata: { name, namespace: 'ns', uid: name, generation: 1, creationTimestamp: NOW, labels },
    spec: { providerSpec: { value: { kind: 'Fake' } } },
    status: { providerStatus: { instanceId: `i-${name}`, instanceState: 'running', cloud }, ...more },
  };
}

function takeInventory(
  objects: readonly object[],
  list: (credentials: Credentials) => Promise<readonly { id: string; state: string; machineUid?: string }[]>,
  refused: Readonly<Record<string, number>> = {},
  describe: (ids: readonly string[]) => readonly { id: string; state: string }[] = () => [],
) {
  const inspected: string[] = [];
  const counted: string[] = [];
  const provider = {
    name: 'fake',
    providerSpecKinds: ['Fake'],
    list,
    describeBatchSize: 2,
    describe: async (_credentials: Credentials, ids: readonly string[]) => describe(ids),
  } as unknown as Provider;
  const kube = {
    list: async ({ kind, plural }: Resource) => {
      const status = refused[plural];
      if (status !== undefined) throw new KubeError(status, 'No', `no ${plural}`);
      return { items: objects.filter((object) => (object as { kind: string }).kind === kind), resourceVersion: '' };
    },
  } as unknown as KubeClient;
  const activities = createInventoryActivities({
    kube,
    apis: APIS,
    providers: createProviderRegistry([provider]),
    clusterUid: 'uid',
    inventoryIntervalSeconds: 300,
    inspect: async ({ name }: ObjectRef) => void inspected.push(name),
    workflows: { listRunning: async () => new Set(), lookAt: async () => ({ state: 'running' }) },
    recount: async ({ name }: ObjectRef) => void counted.push(name),
    log: { warn: () => {} },
    clock: systemClock,
  } as unknown as InventoryDeps);
  return { report: activities.takeInventory({ clusterUid: 'uid' }), inspected, counted };
}

describe('an inventory', () => {
  test('lists several credentials at once, and no more than eight', async () => {
    let now = 0;
    let most = 0;
    const machines = Array.from({ length: 20 }, (_, i) => stored(`m${i}`, `s${i}`));
    const { report } = takeInventory(machines, async ({ secretName = '' }) => {
      now += 1;
      most = Math.max(most, now);
      await delay(5);
      now -= 1;
      return [{ id: secretName.replace('s', 'i-m'), state: 'running' }];
    });
    expect(await report).toMatchObject({ machines: 20, instances: 20, woken: 0, problems: [] });
    expect(most).toBe(8);
  });

  test('wakes the machines of those credentials that answer, and tells of the others', async () => {
    const { report, inspected } = takeInventory([stored('a', 'dead'), stored('b', 'alive')], async (credentials) => {
      if (credentials.secretName === 'dead') throw new ProviderError('Unavailable', 'no answer');
      return [];
    });
    expect(await report).toMatchObject({ woken: 1, problems: ['fake, dead: no answer'] });
    expect(inspected).toEqual(['b']);
  });

  test('asks by id for what the listing by tag leaves out: an adopted instance is neither absent nor doubted', async () => {
    const machines = ['a', 'b', 'c', 'd', 'e'].map((name) => stored(name, 's'));
    const listed = async () => [{ id: 'i-a', state: 'running' }];
    const asked: (readonly string[])[] = [];
    const { report, inspected } = takeInventory(machines, listed, {}, (ids) => {
      asked.push(ids);
      return ids.filter((id) => id !== 'i-d').map((id) => ({ id, state: 'running' }));
    });
    expect(await report).toMatchObject({ woken: 1, problems: [] });
    expect(inspected).toEqual(['d']);
    expect(asked).toEqual([
      ['i-b', 'i-c'],
      ['i-d', 'i-e'],
    ]);
  });

  test('is done with the others before a defect fails it', async () => {
    const { report, inspected } = takeInventory([stored('a', 'defect'), stored('b', 'alive')], async (credentials) => {
      if (credentials.secretName === 'defect') throw new TypeError('a defect');
      await delay(5);
      return [];
    });
    await expect(report).rejects.toThrow('a defect');
    expect(inspected).toEqual(['b']);
  });

  test('goes on where the classes cannot be listed, and tells of it once', async () => {
    const { report, inspected } = takeInventory([stored('a', 's')], async () => [], { machineclasses: 403 });
    const { problems, woken } = await report;
    expect(problems).toEqual([
      expect.stringMatching(/^machineclasses: .* list machineclasses\.machine\.openshift\.io/),
    ]);
    expect([woken, inspected]).toEqual([1, ['a']]);
  });

  test('wakes a machine that waits for the end of a pause that is over', async () => {
    const waiting = { step: 'Paused', reason: 'Paused', message: 'the Cluster cannot be read', since: NOW };
    const running = async () => [{ id: 'i-a', state: 'running' }];
    const over = takeInventory([stored('a', 's', { waiting })], running);
    expect(await over.report).toMatchObject({ woken: 1 });
    expect(over.inspected).toEqual(['a']);
    const refused = takeInventory([stored('a', 's', { waiting })], running, { clusters: 403 });
    expect(await refused.report).toMatchObject({ woken: 0 });
  });

  test('has a machine count its instances where a second living one is tagged as its own', async () => {
    const both = ['i-a', 'i-late'].map((id) => ({ id, state: 'running', machineUid: 'a' }));
    const { report, inspected, counted } = takeInventory([stored('a', 's')], async () => both);
    expect(await report).toMatchObject({ instances: 2, woken: 1 });
    expect([inspected, counted]).toEqual([[], ['a']]);
  });
});
