import { APIS } from '../k8s/dialects/registry.ts';
import { describe, expect, test } from '@jest/globals';
import type { KubeClient } from '../k8s/client.ts';
import { CLUSTER_LABEL } from '../k8s/dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import type { ObjectRef } from '../k8s/model/object-ref.ts';
import type { Resource } from '../k8s/resources.ts';
import { ProviderError, type Credentials, type Provider } from '../providers/provider.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { systemClock } from '../providers/clock.ts';
import type { WorkflowRun } from '../process/workflow-run.ts';
import { createInventoryActivities, type InventoryDeps } from './inventory.ts';

const API = 'machine.openshift.io/v1beta1';
const NOW = '2026-01-01T00:00:00Z';
const LAUNCHED = {
  providerStatus: {
    instanceState: 'running',
    cloud: { provider: 'fake', credentials: { namespace: 'ns', secretName: 's' } },
  },
};
const PAUSED = { waiting: { step: 'Paused', reason: 'Paused', message: 'it is paused', since: NOW } };

interface Parts {
  readonly status?: object;
  readonly spec?: object;
  readonly annotations?: Record<string, string>;
  readonly cluster?: string;
}

function stored(name: string, { status = {}, spec, annotations = {}, cluster = 'c' }: Parts = {}) {
  const labels = { [CLUSTER_LABEL]: cluster };
  const metadata = { name, namespace: 'ns', uid: name, generation: 1, creationTimestamp: NOW, labels, annotations };
  return {
    apiVersion: API,
    kind: 'Machine',
    metadata,
    spec: spec ?? { providerSpec: { value: { kind: 'Fake' } } },
    status,
  };
}

/** A Machine whose instance is on record, and which the cloud does not show. */
function absent(name: string, parts: Parts = {}) {
  const { providerStatus } = LAUNCHED;
  return stored(name, {
    ...parts,
    status: { ...parts.status, providerStatus: { ...providerStatus, instanceId: name } },
  });
}

/** One round over these Machines, of a cloud that shows nothing. */
class Round {
  readonly inspected: string[] = [];
  readonly listed: (readonly [secretName: string | undefined, cluster: string])[] = [];
  /** What happened, in its order. */
  readonly steps: string[] = [];
  credentialsOf: () => Credentials = () => ({ namespace: 'ns' });
  runs: Record<string, WorkflowRun> = {};

  take(objects: readonly object[], clusterUid = 'uid') {
    const provider = {
      name: 'fake',
      providerSpecKinds: ['Fake'],
      credentialsOf: () => this.credentialsOf(),
      list: async ({ secretName }: Credentials, of: string) => {
        this.listed.push([secretName, of]);
        this.steps.push('list');
        return [];
      },
      describeBatchSize: 10,
      describe: async () => [],
    } as unknown as Provider;
    const deps = {
      kube: {
        list: async ({ kind }: Resource) => ({
          items: objects.filter((object) => (object as { kind: string }).kind === kind),
          resourceVersion: '',
        }),
      } as unknown as KubeClient,
      apis: APIS,
      providers: createProviderRegistry([provider]),
      clusterUid: 'uid',
      inventoryIntervalSeconds: 300,
      inspect: async ({ name }: ObjectRef) => void this.inspected.push(name),
      workflows: {
        listRunning: async () => new Set(),
        lookAt: async ({ name }: ObjectRef) => this.runs[name] ?? { state: 'running' },
        start: async ({ ref }: { readonly ref: ObjectRef }) => void this.steps.push(`start ${ref.name}`),
      },
      log: { warn: () => {} },
      clock: systemClock,
    } as unknown as InventoryDeps;
    return createInventoryActivities(deps).takeInventory({ clusterUid });
  }
}

describe('a round of the inventory', () => {
  test('is refused where it is of another cluster, and another worker may take it', async () => {
    const refused = new Round().take([], 'another');
    await expect(refused).rejects.toMatchObject({ type: 'ForeignCluster', nonRetryable: false });
  });

  test('asks the cloud for nothing where no Machine has an instance', async () => {
    const round = new Round();
    expect(await round.take([stored('a')])).toMatchObject({ machines: 0, woken: 0, problems: [] });
    expect(round.listed).toEqual([]);
  });

  test('compares no machine that is paused', async () => {
    const round = new Round();
    await round.take([absent('a', { annotations: { [PAUSED_ANNOTATION]: '' } })]);
    expect([round.listed, round.inspected]).toEqual([[], []]);
  });

  test('lists each cluster for itself', async () => {
    const round = new Round();
    await round.take([absent('a'), absent('b', { cluster: 'd' }), absent('c')]);
    expect(round.listed).toEqual([
      ['s', 'c'],
      ['s', 'd'],
    ]);
  });

  test('tells that a listing is doubted which lacks most machines at once', async () => {
    const round = new Round();
    const { problems, woken } = await round.take([absent('a'), absent('b')]);
    expect([problems, woken]).toEqual([
      [expect.stringContaining('2 of 2 instances of these credentials are absent')],
      1,
    ]);
  });

  test('leaves a machine whose spec names no cloud to itself, and compares the others', async () => {
    const round = new Round();
    round.credentialsOf = () => {
      throw new ProviderError('InvalidArgument', 'no region');
    };
    const adopted = stored('a', { status: { providerStatus: { instanceId: 'i-a', instanceState: 'running' } } });
    expect(await round.take([adopted, absent('b')])).toMatchObject({ woken: 1, problems: [] });
    expect(round.inspected).toEqual(['b']);
  });

  test('tells of a machine that cannot be sorted in for another reason, and compares the others', async () => {
    const round = new Round();
    round.credentialsOf = () => {
      throw new TypeError('a defect');
    };
    const adopted = stored('a', { status: { providerStatus: { instanceId: 'i-a', instanceState: 'running' } } });
    expect(await round.take([adopted, absent('b')])).toMatchObject({ woken: 1, problems: ['Machine ns/a: a defect'] });
  });

  test('wakes of those that waited for the end of a pause only those that are not paused, and fit', async () => {
    const round = new Round();
    await round.take([
      stored('released', { status: PAUSED }),
      stored('still-paused', { status: PAUSED, annotations: { [PAUSED_ANNOTATION]: '' } }),
      stored('malformed', { status: PAUSED, spec: { providerSpec: 7 } }),
      stored('waits-for-another-thing', { status: { waiting: { ...PAUSED.waiting, step: 'Launch' } } }),
      stored('waits-for-nothing'),
    ]);
    expect(round.inspected).toEqual(['released']);
  });

  test('wakes no more than 500 of those in a round', async () => {
    const round = new Round();
    const machines = Array.from({ length: 501 }, (_, n) => stored(`m${n}`, { status: PAUSED }));
    expect(await round.take(machines)).toMatchObject({ woken: 500 });
    expect(round.inspected).toHaveLength(500);
  });

  test('starts workflows again that have ended, before the cloud is asked', async () => {
    const round = new Round();
    round.runs = { a: { state: 'ended', how: 'TERMINATED', taskQueue: 'q' } };
    expect(await round.take([absent('a'), stored('b')])).toMatchObject({ startedAgain: 1, problems: [] });
    expect(round.steps).toEqual(['start a', 'list']);
  });
});
