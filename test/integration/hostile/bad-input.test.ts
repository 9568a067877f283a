import { describe, expect, it } from '@jest/globals';
import { CLUSTER_LABEL } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { readLedger } from '../lifecycle/cloud.ts';
import { machineManifest, machineSetManifest } from '../lifecycle/manifests.ts';
import { conditionOf, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { useNamespace } from '../lifecycle/use-namespace.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';

const NAMESPACE = 'bad-input';
const { kube } = getStack();
let own: OwnNamespace;
useNamespace(NAMESPACE, (opened) => (own = opened));

/** What the API server says to it; undefined: it takes it. */
async function refusalOf(resource: typeof MACHINES, object: object): Promise<string | undefined> {
  return kube.create(resource, NAMESPACE, object).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

async function eventsOf(name: string): Promise<string[]> {
  interface Event {
    readonly reason: string;
    readonly involvedObject?: { readonly name: string };
    readonly regarding?: { readonly name: string };
  }
  const events = { apiVersion: 'v1', kind: 'Event', plural: 'events', namespaced: true };
  const { items } = await kube.list<Event>(events, { namespace: NAMESPACE });
  return items.filter((e) => (e.involvedObject ?? e.regarding)?.name === name).map((e) => e.reason);
}

describe('bad input that is refused at once, with what is wrong with it', () => {
  const withoutLabel = (object: object) => ({ ...object, metadata: { name: 'unlabelled', namespace: NAMESPACE } });
  it.each([
    ['-1 replicas', MACHINE_SETS, machineSetManifest(NAMESPACE, 'negative', { replicas: -1 }), /replicas/],
    ['a name of 300 characters', MACHINES, machineManifest(NAMESPACE, 'x'.repeat(300)), /name/],
    [
      'a set whose Machines’ names would be too long',
      MACHINE_SETS,
      machineSetManifest(NAMESPACE, 'x'.repeat(60), { replicas: 0 }),
      /name/,
    ],
    ['no cluster label', MACHINES, withoutLabel(machineManifest(NAMESPACE, 'unlabelled')), /cluster-api-cluster/],
    [
      'a providerSpec that is no object',
      MACHINES,
      machineManifest(NAMESPACE, 'listed', { spec: { providerSpec: { value: [1] } } }),
      /providerSpec\.value/,
    ],
    [
      'a providerID that is none',
      MACHINES,
      machineManifest(NAMESPACE, 'named', { spec: { providerID: 'i-1' } }),
      /providerID/,
    ],
  ])('%s', async (_what, resource, object, words) => {
    expect(await refusalOf(resource, object)).toMatch(words);
  });
});

describe('two MachineSets with one selector', () => {
  it('keep to their own Machines, say so, and stop saying so when one of them is changed', async () => {
    const set = (name: string) => {
      const manifest = machineSetManifest(NAMESPACE, name, { replicas: 1 }) as {
        spec: { selector: object; template: { metadata: { labels: object } } };
      };
      const shared = { pool: 'shared' };
      manifest.spec.selector = { matchLabels: shared };
      manifest.spec.template.metadata.labels = { [CLUSTER_LABEL]: NAMESPACE, ...shared };
      return manifest;
    };
    await kube.create(MACHINE_SETS, NAMESPACE, set('first'));
    await own.untilMachineSet('first', (s) => s.status?.replicas === 1, 'has its Machine');
    await kube.create(MACHINE_SETS, NAMESPACE, set('second'));
    await own.untilMachineSet('second', (s) => s.status?.replicas === 1, 'has its Machine');
    const told = await own.untilMachineSet(
      'second',
      (s) => conditionOf(s, 'SelectorConflict')?.status === 'True',
      'is told',
    );
    expect(conditionOf(told, 'SelectorConflict')).toMatchObject({
      reason: 'SelectorOverlap',
      message: expect.stringMatching(/spec\.selector matches Machine first-/),
    });
    await until(
      'an event says so',
      () => eventsOf('second'),
      (reasons) => reasons.includes('SelectorOverlap'),
    );
    const machines = (await own.machines()).filter((m) => m.metadata.labels?.['pool'] === 'shared');
    expect(new Set(machines.map((m) => m.metadata.ownerReferences?.[0]?.name))).toEqual(new Set(['first', 'second']));
    await kube.delete(MACHINE_SETS, NAMESPACE, 'first');
    await own.untilMachines('its Machine is gone', (left) => left.every((m) => !m.metadata.name.startsWith('first-')), {
      timeoutMs: 60_000,
    });
    await own.untilMachineSet('second', (s) => conditionOf(s, 'SelectorConflict') === undefined, 'is alone');
  }, 150_000);
});

describe('a providerID that two Machines claim', () => {
  it('is the one’s that it was launched for; the other waits and says so, and takes nothing with it when it goes', async () => {
    await own.createMachine('owner');
    const owner = await own.untilPhase('owner', 'Running');
    const providerID = owner.spec.providerID ?? '';
    await own.createMachine('claimant', { spec: { providerID } });
    const told = await own.untilMachine(
      'claimant',
      (m) => m.status?.waiting?.reason === 'InstanceOfAnother',
      'is told',
    );
    expect(conditionOf(told, 'InstanceExists')).toMatchObject({
      status: 'Unknown',
      message: expect.stringContaining(`${NAMESPACE}/owner`),
    });
    await own.removeMachine('claimant');
    const { instances } = await readLedger(owner.metadata.uid);
    expect(instances.map(({ state }) => state)).toEqual(['running']);
    expect((await own.machine('owner'))?.status?.phase).toBe('Running');
  }, 120_000);
});
