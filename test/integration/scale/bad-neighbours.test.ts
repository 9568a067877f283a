import { expect, test } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { machineManifest } from '../lifecycle/manifests.ts';
import { conditionOf, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { useNamespace } from '../lifecycle/use-namespace.ts';
import { readLedger } from '../lifecycle/cloud.ts';
import { watchSlowness } from '../slowness.ts';
import { getStack } from '../stack.ts';

const NAMESPACE = 'bad-neighbours';
/** From its creation until a healthy machine runs, among fifty that cannot. */
const MOST_MS = 15_000;
const { kube } = getStack();
let own: OwnNamespace;
useNamespace(NAMESPACE, (opened) => (own = opened));

const names = (stem: string, count: number) => Array.from({ length: count }, (_, i) => `${stem}-${i}`);

test('fifty machines with one bad Secret, a malformed one and an unknown provider are told what is wrong, and delay nobody', async () => {
  const bad = names('bad', 50);
  const healthy = names('healthy', 5);
  const startedAt = Date.now();
  const slowness = watchSlowness();
  const [malformed] = await Promise.all([
    kube
      .create(MACHINES, NAMESPACE, machineManifest(NAMESPACE, 'malformed', { spec: { providerSpec: 'all of it' } }))
      .then(
        () => 'accepted',
        (error: unknown) => String(error),
      ),
    ...bad.map((name) => own.createMachine(name, { providerSpec: { userDataSecret: { name: 'nowhere' } } })),
    own.createMachine('unknown-provider', { providerSpec: { kind: 'CloudNobodyKnows' } }),
    ...healthy.map((name) => own.createMachine(name)),
  ]);
  const running = await own.untilMachines(
    'the healthy ones run',
    (seen) => healthy.every((name) => seen.some((m) => m.metadata.name === name && m.status?.phase === 'Running')),
    { timeoutMs: 60_000, everyMs: 250 },
  );
  const tookMs = Date.now() - startedAt;
  console.log(`5 healthy machines run ${tookMs} ms after they were created among ${running.length - 5} that cannot`);

  expect(malformed).toMatch(/spec\.providerSpec.*must be of type object/);
  const told = await own.untilMachines('all are told', (seen) =>
    seen.every((m) => m.status?.phase === 'Running' || m.status?.waiting !== undefined),
  );
  const wrong = told.filter(({ metadata }) => metadata.name.startsWith('bad'));
  expect(wrong).toHaveLength(50);
  for (const machine of wrong) {
    const message = 'providerSpec.value.userDataSecret.name: Secret bad-neighbours/nowhere does not exist';
    expect(machine.status?.waiting).toMatchObject({ step: 'Launch', reason: 'SecretMissing', message });
    expect(conditionOf(machine, 'MachineCreation')).toMatchObject({
      status: 'False',
      reason: 'SecretMissing',
      message,
    });
  }
  const unknown = told.find(({ metadata }) => metadata.name === 'unknown-provider');
  expect(conditionOf(unknown ?? fail(), 'MachineCreation')).toMatchObject({
    status: 'False',
    reason: 'InvalidConfiguration',
    message: expect.stringMatching(/providerSpec\.value\.kind.*CloudNobodyKnows.*SimulatedMachineProviderConfig/),
  });
  expect(
    (await readLedger()).calls.filter(({ action, machine }) => action === 'launch' && isOf(wrong, machine)),
  ).toEqual([]);
  expect(tookMs).toBeLessThanOrEqual(MOST_MS * slowness());
}, 120_000);

function isOf(machines: readonly { readonly metadata: { readonly uid: string } }[], uid: string | null): boolean {
  return machines.some(({ metadata }) => metadata.uid === uid);
}

function fail(): never {
  throw new Error('the machine is gone');
}
